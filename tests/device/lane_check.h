/* What must hold for any bytes that are fed to the decoder as a lane: used by the fuzz target and by its
 * replay as a test. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Feeds the bytes whole and in pieces (the first byte seeds their lengths); aborts where the results differ,
 * where the slots do not add up or where a record points to what cannot be read. */
void lane_check(const uint8_t *data, size_t size);
