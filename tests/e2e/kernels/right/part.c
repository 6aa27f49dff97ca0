/* One of two sources of this name; each is compiled in its own folder. */
#include "tendril/tendril.h"

void right_part(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ZoneScopedN("right part %d\"%");
        TD_PLOT_INT("right depth", (int)i);
    }
}

void right_function(void)
{
    ZoneScoped;
}
