/* Turns its interrupts off, so that nothing brings it back, for as long as a word in L1 is zero;
 * the word behind that says when it does. */
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
