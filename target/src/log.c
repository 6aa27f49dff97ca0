#include "target/src/args_packet.h"

void td_log(uint32_t site, uint32_t count, ...)
{
    va_list args;
    va_start(args, count);
    td_args_packet(TD_PACKET_LOG, site, count, args);
    va_end(args);
}
