/* Built twice, with different ADD. */
#include "kernels.h"

void kernel(volatile struct answer *p)
{
    p->result = p->value + ADD;
    p->runs = p->runs + 1;
}
