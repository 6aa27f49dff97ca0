/* TRISC0: widens tiles to 32 bits and turns B's over, so that the multiplication walks both along rows. */
#include "matmul.h"

#include <tendril/tendril.h>
#include <tendril/cb.h>

static void widen(const int16_t *from, int32_t *to)
{
    for (uint32_t i = 0; i < MM_ELEMENTS; i++)
        to[i] = from[i];
}

static void widen_transposed(const int16_t *from, int32_t *to)
{
    for (uint32_t row = 0; row < MM_SIDE; row++)
        for (uint32_t column = 0; column < MM_SIDE; column++)
            to[column * MM_SIDE + row] = from[row * MM_SIDE + column];
}

int main(void)
{
    const struct mm_args *args = (const struct mm_args *)td_arg();
    uint32_t sequence = 0;
    for (uint32_t o = args->first; o < args->mt * args->nt; o += args->stride)
        for (uint32_t k = 0; k < args->kt; k++) {
            {
                TD_WAIT("in empty");
                td_cb_wait_front(args->in_a, 1);
                td_cb_wait_front(args->in_b, 1);
            }
            {
                TD_WAIT("src full");
                td_cb_reserve_back(args->src_a, 1);
                td_cb_reserve_back(args->src_b, 1);
            }
            ZoneScopedN("unpack");
            TD_FLOW_IN("input", args->first << 16 | sequence++);
            widen((const int16_t *)td_cb_read_pointer(args->in_a),
                  (int32_t *)td_cb_write_pointer(args->src_a));
            widen_transposed((const int16_t *)td_cb_read_pointer(args->in_b),
                             (int32_t *)td_cb_write_pointer(args->src_b));
            td_cb_push_back(args->src_a, 1);
            td_cb_push_back(args->src_b, 1);
            td_cb_pop_front(args->in_a, 1);
            td_cb_pop_front(args->in_b, 1);
        }
    return 0;
}
