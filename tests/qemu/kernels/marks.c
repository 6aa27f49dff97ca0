/* Every way to mark, as often as the launch asks for; the messages carry numbers that the host can foretell.
 */
#include "tendril/tendril.h"

#include <stdio.h>

int main(void)
{
    const uint32_t rounds = td_arg();
    for (uint32_t i = 1; i <= rounds; i++) {
        ZoneScopedN("round");
        ZoneValue(i);
        {
            ZoneScopedN("inner");
            TD_PLOT_INT("square", i * i);
        }
        TD_LOG("round %u of %u", i, rounds);
        printf("line %u: %s\n", (unsigned)i, i % 2 ? "odd" : "even");
    }
    return 0;
}
