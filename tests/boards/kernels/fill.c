/* Fills most of the core's private RAM (WORDS depends on the board), reads it back, and checks the core's
 * place on the NoC. Exits with a code other than 0 when the board differs from its description. */
#include "tendril/noc.h"
#include "tendril/tendril.h"

static volatile uint32_t words[WORDS];

int main(void)
{
    uint32_t sum = 0;
    {
        ZoneScopedN("fill");
        for (uint32_t i = 0; i < WORDS; i++)
            words[i] = i ^ td_arg();
    }
    {
        ZoneScopedN("read back");
        for (uint32_t i = 0; i < WORDS; i++)
            sum += words[i] ^ td_arg();
    }
    TD_LOG("argument %u", td_arg());
    if (td_noc_my_x() != (td_arg() & 0xff) || td_noc_my_y() != (td_arg() >> 8 & 0xff))
        return 2;
    return sum == WORDS * (WORDS - 1) / 2 ? 0 : 1;
}
