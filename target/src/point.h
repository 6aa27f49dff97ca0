/* Packets of a head and at most one word. */
#ifndef TD_TARGET_POINT_H
#define TD_TARGET_POINT_H
#include "target/src/lane.h"

/* An instant of this type, now, with one continuation slot that carries `word`. */
void td_point_write(enum td_packet type, uint32_t site, uint32_t word);
#endif
