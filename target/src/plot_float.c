#include "target/src/point.h"

void td_plot_float(uint32_t site, uint32_t bits)
{
    td_point_write(TD_PACKET_PLOT_FLOAT, site, bits);
}
