/* Freezing the board, and sleeping until the host has changed something. */
#include "boards/tensix_sim/sim.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool is_freezing(const struct sim *sim)
{
    return TD_BAR_FREEZES(__atomic_load_n(&sim->bar->freezing, __ATOMIC_SEQ_CST)) > 0;
}

/* Under gate_lock. */
static void announce_frozen(struct sim *sim)
{
    if (sim->moving == 0 && is_freezing(sim))
        __atomic_store_n(&sim->bar->frozen, 1, __ATOMIC_SEQ_CST);
}

int gate_go(struct sim *sim)
{
    pthread_mutex_lock(&sim->gate_lock);
    int may = !is_freezing(sim);
    if (may) {
        /* Take `frozen` back, then look again: a host that froze the board meanwhile sees 0, or is seen here.
         */
        __atomic_store_n(&sim->bar->frozen, 0, __ATOMIC_SEQ_CST);
        may = !is_freezing(sim);
    }
    if (may)
        sim->moving++;
    else
        announce_frozen(sim);
    pthread_mutex_unlock(&sim->gate_lock);
    return may;
}

void gate_stop(struct sim *sim)
{
    pthread_mutex_lock(&sim->gate_lock);
    sim->moving--;
    announce_frozen(sim);
    pthread_mutex_unlock(&sim->gate_lock);
}

void gate_poll(struct sim *sim)
{
    pthread_mutex_lock(&sim->gate_lock);
    announce_frozen(sim);
    pthread_mutex_unlock(&sim->gate_lock);
}

uint32_t doorbell(const struct sim *sim)
{
    return __atomic_load_n(&sim->bar->doorbell, __ATOMIC_SEQ_CST);
}

void doorbell_seen(struct sim *sim)
{
    pthread_mutex_lock(&sim->gate_lock);
    uint32_t now = doorbell(sim), all = now;
    for (unsigned i = 0; i < sim->threads; i++) {
        uint32_t seen = __atomic_load_n(&sim->workers[i].bell_seen, __ATOMIC_SEQ_CST);
        if (now - seen > now - all)
            all = seen;
    }
    __atomic_store_n(&sim->bar->doorbell_seen, all, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&sim->gate_lock);
}

void doorbell_wait(struct sim *sim, uint32_t seen, long ns)
{
    struct timespec at_most = {0, sim->far && ns > FAR_LOOK_NS ? FAR_LOOK_NS : ns};
    syscall(SYS_futex, &sim->bar->doorbell, FUTEX_WAIT, seen, &at_most, NULL, 0);
}
