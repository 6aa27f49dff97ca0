/* What goes wrong on a chip, `arg` times 8 chooses: see tests/boards/test_ttsim.py. */
#include <tendril/tendril.h>

#include <stdlib.h>

enum { ILLEGAL = 1, HANG, LEAVE };

int main(void)
{
    const unsigned turns = td_arg() / 8, what = td_arg() % 8;
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < turns; i++) {
        ZoneScopedN("turn");
        sum += i;
    }
    ZoneScopedN("odd");
    if (what == ILLEGAL)
        sum += *(volatile unsigned *)0xFFE90000;
    while (what == HANG)
        sum += 1;
    if (what == LEAVE)
        exit(3);
    return 0;
}
