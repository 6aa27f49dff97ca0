/* Returns the number of its arguments plus their sum, modulo 256. */
#include "tendril/tendril.h"

int main(void)
{
    uint32_t sum = td_arg_count();
    for (uint32_t i = 0; i < td_arg_count(); i++)
        sum += td_arg_at(i);
    return (int)(sum & 0xff);
}
