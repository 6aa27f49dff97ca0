/* Packets of two to seven slots. The expected value of every word can be computed from the packet alone. */
#include "tendril/tendril.h"

int main(void)
{
    const uint32_t packets = td_arg();
    for (uint32_t i = 1; i <= packets; i++) {
        const uint32_t m = i * 2654435761u;
        if (i % 3 == 0)
            TD_LOG("%u", i);
        else if (i % 3 == 1)
            TD_LOG("%u %u %u %u", i, m, ~i, m ^ i);
        else
            TD_LOG("%u %u %u %u %u %u %u %u", i, m, ~i, m ^ i, ~m, m + i, m - i, i << 7);
    }
    return 0;
}
