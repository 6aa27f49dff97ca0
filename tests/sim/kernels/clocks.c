/* BRISC reads the clock's low half, NCRISC does so after the low half has wrapped; then BRISC reads the
 * latch. */
#include "kernels.h"

void kernel(volatile struct clocks *p)
{
    if (p->role == 0) {
        p->low = CLOCK_LOW;
        p->latched_at_once = CLOCK_LATCHED_HIGH;
        p->ready = 1;
        while (!p->go)
            ;
        p->latched_later = CLOCK_LATCHED_HIGH;
        p->live_high = CLOCK_LIVE_HIGH;
        p->done = 1;
    } else {
        volatile struct clocks *first = (volatile struct clocks *)p->other;
        while (!first->ready || !CLOCK_LIVE_HIGH)
            ;
        p->low = CLOCK_LOW;
        first->go = 1;
        p->done = 1;
    }
}
