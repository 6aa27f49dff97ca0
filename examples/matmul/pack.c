/* TRISC2: rounds, shifts and saturates sums to 16 bits. */
#include "matmul.h"

#include <tendril/tendril.h>
#include <tendril/cb.h>

/* Returns the largest magnitude of the tile. */
static int32_t pack(const int32_t *from, int16_t *to, uint32_t shift)
{
    int32_t largest = 0;
    for (uint32_t i = 0; i < MM_ELEMENTS; i++) {
        int32_t v = (from[i] + (1 << (shift - 1))) >> shift;
        v = v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v;
        to[i] = (int16_t)v;
        if (v > largest)
            largest = v;
        if (-v > largest)
            largest = -v;
    }
    return largest;
}

int main(void)
{
    const struct mm_args *args = (const struct mm_args *)td_arg();
    for (uint32_t o = args->first; o < args->mt * args->nt; o += args->stride) {
        {
            TD_WAIT("dst empty");
            td_cb_wait_front(args->dst, 1);
        }
        {
            TD_WAIT("out full");
            td_cb_reserve_back(args->out, 1);
        }
        ZoneScopedN("pack");
        TD_FLOW_OUT("output", o);
        int32_t largest = pack((const int32_t *)td_cb_read_pointer(args->dst),
                               (int16_t *)td_cb_write_pointer(args->out), args->shift);
        TD_PLOT_INT("largest element", largest);
        (void)largest;
        td_cb_push_back(args->out, 1);
        td_cb_pop_front(args->dst, 1);
    }
    return 0;
}
