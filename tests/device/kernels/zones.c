/* As many zones as the launch asks for, and every thousand of them a message that says how many there were.
 */
#include "tendril/tendril.h"

int main(void)
{
    const uint32_t zones = td_arg();
    for (uint32_t i = 1; i <= zones; i++) {
        {
            ZoneScopedN("work");
        }
        if (i % 1000 == 0)
            TD_LOG("after %u", i);
    }
    return 0;
}
