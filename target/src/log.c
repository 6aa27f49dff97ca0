/* Messages: td_log_0() to td_log_8(). */
#include "target/src/args_packet.h"

#define TD_X(n) TD_ARGS_FUNCTION(td_log_, TD_PACKET_LOG, n)
TD_ARGUMENT_COUNTS(TD_X)
