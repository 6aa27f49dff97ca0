/* One of two sources of this name; each is compiled in its own folder. */
#include "tendril/tendril.h"

void left_part(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ZoneScopedN("left part %d\"%");
        TD_PLOT_INT("left depth", (int)i);
    }
}

void left_function(void)
{
    ZoneScoped;
}
