/* BRISC of all tiles: tile 0,0 waits for the others' semaphore, multicasts a word and a flag. Each of the others
 * checks what came. The corners of the rectangle come in the order of tt-metal's second NoC. */
#include <stdlib.h>

void kernel_main()
{
    const uint32_t others = get_arg_val<uint32_t>(0), word = get_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t *arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_semaphore(0));
    volatile tt_l1_ptr uint32_t *go = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_semaphore(1));
    if (get_absolute_logical_x() == 0 && get_absolute_logical_y() == 0) {
        const uint64_t all = get_noc_multicast_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3),
                                                    get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), word);
        noc_semaphore_wait(arrived, others);
        *reinterpret_cast<volatile uint32_t *>(word) = 0x1234;
        noc_async_write_multicast(word, all, 4, others);
        noc_async_write_barrier();
        noc_semaphore_set(go, VALID);
        const uint64_t flags = all - word + get_semaphore(1);
        noc_semaphore_set_multicast(get_semaphore(1), flags, others);
        noc_async_write_barrier();
    } else {
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), get_semaphore(0)),
                          1);
        noc_semaphore_wait(go, VALID);
        /* A word of the own tile through the NoC: this tile's place. */
        noc_inline_dw_write(get_noc_addr(word + 4), my_x[0] | my_y[0] << 8);
        noc_async_write_barrier();
        const volatile uint32_t *own = reinterpret_cast<const volatile uint32_t *>(word);
        if (own[0] != 0x1234 || own[1] != (td_noc_my_x() | td_noc_my_y() << 8))
            exit(1);
    }
}
