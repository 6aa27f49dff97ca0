/* Counts for ever. */
#include "kernels.h"

void kernel(volatile struct answer *p)
{
    for (;;)
        p->runs = p->runs + 1;
}
