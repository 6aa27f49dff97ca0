/* Zones of every kind and other markers between them, the same in each launch. The argument is how often. */
#include "tendril/tendril.h"

static void spend(unsigned turns)
{
    for (volatile unsigned i = 0; i < turns; i++)
        ;
}

__attribute__((noinline)) static void dive(unsigned depth)
{
    ZoneScoped;
    spend(5);
    if (depth)
        dive(depth - 1);
    spend(5);
}

__attribute__((noinline)) static struct td_span begin_span(void)
{
    TD_ZONE_BEGIN(span, "span");
    return span;
}

int main(void)
{
    for (unsigned i = 0; i < td_arg(); i++) {
        ZoneScopedN("round");
        ZoneValue(i);
        dive(3);
        TD_LOG("round %u", i);
        struct td_span span = begin_span();
        for (unsigned k = 0; k < 4; k++) {
            ZoneScopedNC("step", 0xff8000);
            if (k == 2)
                ZoneText("step %u", k);
        }
        TD_PLOT_INT("done", (int)i);
        TD_ZONE_END(span);
        {
            TD_WAIT("wait");
            spend(20);
        }
        ZoneScopedN("long");
        spend(10000);
    }
    return 0;
}
