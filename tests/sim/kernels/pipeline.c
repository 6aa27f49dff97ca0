#include "kernels.h"
#include "tendril/cb.h"

void kernel(volatile struct stage *p)
{
    uint32_t from = p->from, to = p->to;
    uint32_t sum = 0;
    for (uint32_t page = 0; page < p->pages; page++) {
        volatile uint32_t *in = 0, *out = 0;
        if (from) {
            td_cb_wait_front(from, 1);
            in = (volatile uint32_t *)td_cb_read_pointer(from);
        }
        if (to) {
            td_cb_reserve_back(to, 1);
            out = (volatile uint32_t *)td_cb_write_pointer(to);
        }
        for (uint32_t i = 0; i < p->words; i++) {
            uint32_t value = in ? in[i] + 1 : page + i;
            if (out)
                out[i] = value;
            sum += value;
        }
        if (from)
            td_cb_pop_front(from, 1);
        if (to)
            td_cb_push_back(to, 1);
    }
    p->sum = sum;
    p->done = 1;
}
