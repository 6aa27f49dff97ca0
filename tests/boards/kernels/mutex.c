/* Takes and gives back a mutex of the Tensix unit, by instructions of the core or, with PUSH, through its pipe. */
#include <tendril/tendril.h>

#define ATGETM 0xa0000000u
#define ATRELM 0xa1000000u
/* Among instructions of the core, the low two bits are not 11. */
#define INLINE(word) __asm__ volatile(".4byte %0" : : "i"((word) << 2 | (word) >> 30))

int main(void)
{
    ZoneScopedN("mutex");
#ifdef PUSH
    *(volatile uint32_t *)0xFFE40000 = ATGETM;
    *(volatile uint32_t *)0xFFE40000 = ATRELM;
#else
    INLINE(ATGETM);
    INLINE(ATRELM);
#endif
    return 0;
}
