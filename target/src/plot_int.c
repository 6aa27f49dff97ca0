#include "target/src/point.h"

void td_plot_int(uint32_t site, int32_t value)
{
    td_point_write(TD_PACKET_PLOT_INT, site, (uint32_t)value);
}
