/* Three nested zones that are never closed, with closed zones before and in each, and a span that is not
 * bound to a block. The argument selects what happens in the innermost zone. */
#include "tendril/tendril.h"

#include <stdlib.h>

enum { RETURNS, FAULTS, HANGS, EXITS, ABORTS, EXITS_AT_ONCE, LEAVES_SPAN };

static void spend(unsigned turns)
{
    for (volatile unsigned i = 0; i < turns; i++)
        ;
}

static void closed(void)
{
    ZoneScopedN("closed");
    spend(20);
}

__attribute__((noinline)) static void end(unsigned how)
{
    ZoneScopedN("inner");
    ZoneText("ends by %u", how);
    closed();
    if (how == FAULTS)
        *(volatile uint32_t *)0x7f000000 = 1;
    if (how == EXITS)
        exit(3);
    if (how == ABORTS)
        abort();
    if (how == EXITS_AT_ONCE)
        _exit(7);
    while (how == HANGS)
        spend(1000);
}

int main(void)
{
    const unsigned how = td_arg();
    closed();
    spend(100);
    ZoneScopedN("outer");
    closed();
    spend(100);
    if (how == LEAVES_SPAN) {
        TD_ZONE_BEGIN(span, "span");
        spend(100);
        (void)span;
        return 0;
    }
    {
        ZoneScopedN("middle");
        TD_ZONE_BEGIN(span, "closed span");
        closed();
        TD_ZONE_END(span);
        spend(100);
        end(how);
    }
    return 0;
}
