/* Calls itself as often as the argument says: each call takes 32 bytes of stack or more. Then it waits if there is a
 * second argument, and returns. */
#include "tendril/tendril.h"

static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t deeper(uint32_t calls)
{
    volatile uint32_t room[4] = {calls};
    if (calls == 0)
        return 0;
    return deeper(calls - 1) + room[0];
}

int main(void)
{
    sink = deeper(td_arg());
    while (td_arg_count() > 1 && td_arg_at(1))
        ;
    return 7;
}
