/* `arg` zones and a message: no NoC, no compute engine. */
#include <tendril/tendril.h>

int main(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < td_arg(); i++) {
        ZoneScopedN("turn");
        sum += i;
    }
    TD_LOG("sum %u", sum);
    return 0;
}
