/* BRISC: reads the tiles of A and B that each output tile needs from DRAM over the NoC. */
#include "matmul.h"

#include <tendril/tendril.h>
#include <tendril/cb.h>
#include <tendril/noc.h>

static void read_tile(const struct mm_args *args, uint32_t base, uint32_t tile, uint32_t to)
{
    uint32_t bank = tile % args->banks;
    td_noc_read(args->bank_x[bank], args->bank_y[bank], base + tile / args->banks * MM_TILE_BYTES, to,
                MM_TILE_BYTES);
}

int main(void)
{
    const struct mm_args *args = (const struct mm_args *)td_arg();
    uint32_t sequence = 0;
    for (uint32_t o = args->first; o < args->mt * args->nt; o += args->stride) {
        uint32_t m = o / args->nt, n = o % args->nt;
        ZoneScopedN("read for output tile");
        ZoneValue(o);
        for (uint32_t k = 0; k < args->kt; k++) {
            {
                TD_WAIT("in full");
                td_cb_reserve_back(args->in_a, 1);
                td_cb_reserve_back(args->in_b, 1);
            }
            ZoneScopedN("read tiles");
            TD_FLOW_OUT("input", args->first << 16 | sequence++);
            read_tile(args, args->a_base, m * args->kt + k, td_cb_write_pointer(args->in_a));
            read_tile(args, args->b_base, k * args->nt + n, td_cb_write_pointer(args->in_b));
            {
                TD_WAIT("noc read");
                td_noc_barrier();
            }
            td_cb_push_back(args->in_a, 1);
            td_cb_push_back(args->in_b, 1);
        }
    }
    return 0;
}
