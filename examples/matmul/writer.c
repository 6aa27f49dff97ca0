/* NCRISC: writes finished tiles back to DRAM over the NoC. */
#include "matmul.h"

#include <tendril/tendril.h>
#include <tendril/cb.h>
#include <tendril/noc.h>

int main(void)
{
    const struct mm_args *args = (const struct mm_args *)td_arg();
    uint32_t written = 0;
    for (uint32_t o = args->first; o < args->mt * args->nt; o += args->stride) {
        {
            TD_WAIT("out empty");
            td_cb_wait_front(args->out, 1);
        }
        ZoneScopedN("write tile");
        TD_FLOW_IN("output", o);
        uint32_t bank = o % args->banks;
        td_noc_write(args->bank_x[bank], args->bank_y[bank], args->c_base + o / args->banks * MM_TILE_BYTES,
                     td_cb_read_pointer(args->out), MM_TILE_BYTES);
        {
            TD_WAIT("noc write");
            td_noc_barrier();
        }
        td_cb_pop_front(args->out, 1);
        written++;
    }
    TD_LOG("wrote %u output tiles of %u", written, args->mt * args->nt);
    (void)written;
    return 0;
}
