/* Packets with argument words. */
#ifndef TD_TARGET_ARGS_PACKET_H
#define TD_TARGET_ARGS_PACKET_H
#include "target/src/lane.h"

#include <stdarg.h>

void td_args_packet(enum td_packet type, uint32_t site, uint32_t count, va_list args);
#endif
