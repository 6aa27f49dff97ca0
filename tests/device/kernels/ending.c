/* Ends as the launch asks: 0 to 255 is the exit code, what is more is an address to be written. */
#include "tendril/tendril.h"

__attribute__((noinline)) static void write_to(uint32_t address)
{
    *(volatile uint32_t *)address = 1;
}

int main(void)
{
    const uint32_t arg = td_arg();
    if (arg > 255)
        write_to(arg);
    return (int)arg;
}
