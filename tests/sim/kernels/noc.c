#include "kernels.h"
#include "tendril/noc.h"

static void step(volatile struct noc_step *s)
{
    uint32_t before = CLOCK_LOW;
    if (s->op == OP_READ || s->op == OP_CLOCK)
        td_noc_read(s->x, s->y, s->address, s->local, s->bytes);
    else if (s->op == OP_WRITE)
        td_noc_write(s->x, s->y, s->address, s->local, s->bytes);
    else if (s->op == OP_MULTICAST)
        td_noc_multicast_write(s->x, s->y, s->x1, s->y1, s->address, s->local, s->bytes);
    else if (s->op == OP_MULTICAST_SELF)
        td_noc_multicast_write_self(s->x, s->y, s->x1, s->y1, s->address, s->local, s->bytes);
    else if (s->local == NO_LOCAL)
        td_noc_atomic_add(s->x, s->y, s->address, s->bytes);
    else
        td_noc_atomic_fetch_add(s->x, s->y, s->address, s->bytes, s->local);
    td_noc_barrier();
    s->ticks = CLOCK_LOW - before;
}

void kernel(volatile struct noc_list *list)
{
    for (unsigned i = 0; list->steps[i].op != OP_END; i++)
        step(&list->steps[i]);
    list->done = 1;
}
