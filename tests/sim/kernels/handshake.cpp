/* Two tiles send a page and a semaphore back and forth. Each side passes the page through its circular buffer
 * first. The kernel is C++ so that the headers are compiled as C++. */
#include "kernels.h"
#include "tendril/cb.h"
#include "tendril/sem.h"

extern "C" void kernel(volatile struct handshake *p)
{
    td_sem *sem = (td_sem *)p->semaphore;
    td_cb_init(p->cb, 64, 2);
    for (uint32_t round = 1; round <= p->rounds; round++) {
        if (p->second)
            td_sem_wait_min(sem, round);
        td_cb_reserve_back(p->cb, 1);
        volatile uint32_t *in = (volatile uint32_t *)p->page;
        volatile uint32_t *out = (volatile uint32_t *)td_cb_write_pointer(p->cb);
        for (uint32_t i = 0; i < 16; i++)
            out[i] = in[i] + 1;
        td_cb_push_back(p->cb, 1);
        td_cb_wait_front(p->cb, 1);
        td_noc_write(p->x, p->y, p->page, td_cb_read_pointer(p->cb), 64);
        td_sem_add_remote(p->x, p->y, p->semaphore, 1);
        td_noc_write_barrier();
        td_cb_pop_front(p->cb, 1);
        if (!p->second)
            td_sem_wait_min(sem, round);
    }
    td_sem_add(sem, 1000);
    p->value = td_sem_value(sem);
    td_sem_set(sem, 0);
    p->done = 1;
}
