/* Runs of short zones into columns: the hot loop of the decoder, plain and vectorised; both give the same. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define TD_ZONE_RUN 256 /* zones of a run: a ring of the usual size */

/* 16-bit ids and durations and 32-bit ends hold all that a short zone has. */
struct td_zone_room {
    _Alignas(32) uint32_t end[TD_ZONE_RUN];
    _Alignas(32) uint16_t id[TD_ZONE_RUN];
    _Alignas(32) uint16_t duration[TD_ZONE_RUN];
};

/* Decodes short zones from the first slot on, up to a slot that is none, or TD_ZONE_RUN: their number. The
 * columns after them have any content. */
typedef size_t td_zone_decoder(const uint32_t *words, size_t slots, struct td_zone_room *room);
td_zone_decoder td_zones_scalar;
/* NULL: not on this processor. */
td_zone_decoder *td_zones_vector(void);
/* The fastest that this processor has. */
td_zone_decoder *td_zones_fastest(void);
