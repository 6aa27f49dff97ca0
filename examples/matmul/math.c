/* TRISC1: multiplies and adds up. */
#include "matmul.h"

#include <tendril/tendril.h>
#include <tendril/cb.h>

/* acc += a * b; both tiles along rows. */
static void multiply_add(const int32_t *a, const int32_t *b, int32_t *acc)
{
    for (uint32_t i = 0; i < MM_SIDE; i++)
        for (uint32_t j = 0; j < MM_SIDE; j++) {
            int32_t sum = acc[i * MM_SIDE + j];
            for (uint32_t k = 0; k < MM_SIDE; k++)
                sum += a[i * MM_SIDE + k] * b[j * MM_SIDE + k];
            acc[i * MM_SIDE + j] = sum;
        }
}

int main(void)
{
    const struct mm_args *args = (const struct mm_args *)td_arg();
    for (uint32_t o = args->first; o < args->mt * args->nt; o += args->stride) {
        {
            TD_WAIT("dst full");
            td_cb_reserve_back(args->dst, 1);
        }
        ZoneScopedN("output tile");
        ZoneText("row %u column %u", o / args->nt, o % args->nt);
        int32_t *acc = (int32_t *)td_cb_write_pointer(args->dst);
        for (uint32_t i = 0; i < MM_ELEMENTS; i++)
            acc[i] = 0;
        for (uint32_t k = 0; k < args->kt; k++) {
            {
                TD_WAIT("src empty");
                td_cb_wait_front(args->src_a, 1);
                td_cb_wait_front(args->src_b, 1);
            }
            ZoneScopedN("multiply");
            multiply_add((const int32_t *)td_cb_read_pointer(args->src_a),
                         (const int32_t *)td_cb_read_pointer(args->src_b), acc);
            td_cb_pop_front(args->src_a, 1);
            td_cb_pop_front(args->src_b, 1);
        }
        td_cb_push_back(args->dst, 1);
    }
    return 0;
}
