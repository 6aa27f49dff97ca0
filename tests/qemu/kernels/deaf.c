/* Turns its interrupts off, so that the host cannot stop it, until a word in L1 is not zero. The next word
 * reports that the interrupts are off. */
#include "tendril/tendril.h"

int main(void)
{
    volatile uint32_t *word = (volatile uint32_t *)td_arg();
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrci mstatus,8\n.option pop");
    word[1] = 1;
    while (*word == 0)
        ;
    return 0;
}
