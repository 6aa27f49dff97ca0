/* Frame images: DXT1 blocks to RGBA. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_DXT1_SIDE_MAX 8192

/* The pixels, 4 bytes each, which the caller frees. NULL: no memory; or width or height are not multiples of
 * four, or too large, or do not fit to the number of bytes. */
uint8_t *td_dxt1_decode(const uint8_t *data, size_t bytes, int64_t width, int64_t height);
