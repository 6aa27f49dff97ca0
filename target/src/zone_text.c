/* Texts of zones: td_zone_text_0() to td_zone_text_8(). */
#include "target/src/args_packet.h"

#define TD_X(n) TD_ARGS_FUNCTION(td_zone_text_, TD_PACKET_ZTEXT, n)
TD_ARGUMENT_COUNTS(TD_X)
