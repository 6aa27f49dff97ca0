#include "target/src/point.h"

void td_flow_out(uint32_t site, uint32_t id)
{
    td_point_write(TD_PACKET_FLOW_OUT, site, id);
}
