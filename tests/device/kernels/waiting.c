/* Runs until a word in L1, whose address is the argument, is not zero any more. */
#include "tendril/tendril.h"

int main(void)
{
    volatile uint32_t *word = (volatile uint32_t *)td_arg();
    TD_WAIT("for the host");
    while (*word == 0)
        ;
    return 0;
}
