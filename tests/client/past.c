/* A program with events at given times, which test_past.py expects. */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static void nap_ms(long ms)
{
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static void *work(void *thread)
{
    TracyCZoneN(zone, "other thread", 1);
    *(uint32_t *)thread = td_client_thread_id();
    TracyCZoneEnd(zone);
    return NULL;
}

int main(void)
{
    static const char *const pool = "past";
    int64_t at[4];
    uint32_t other = 0;
    pthread_t thread;
    if (!td_client_wait_connected(20000) || pthread_create(&thread, NULL, work, &other) != 0)
        return 1;
    pthread_join(thread, NULL);
    for (int i = 0; i < 4; i++) {
        TracyCZoneN(zone, "moment", 1);
        at[i] = (int64_t)td_client_ticks();
        TracyCZoneEnd(zone);
        nap_ms(5);
    }
    TracyCAllocN((void *)0x100, 1, "present");
    td_client_memory_alloc_at(pool, 0x1000, 100, at[0], other);
    TracyCFreeN((void *)0x100, "present");
    td_client_memory_alloc_at(pool, 0x2000, UINT64_C(1) << 33, at[1], 0);
    td_client_memory_free_at(pool, 0x1000, at[2], 0);
    td_client_memory_free_at(pool, 0, at[2], 0);
    TracyCAllocN((void *)0x100, 2, "present");
    td_client_memory_free_at(pool, 0x2000, at[3], other);
    TracyCZoneN(now, "now", 1);
    td_client_memory_alloc_at(pool, 0x3000, 7, 0, 0);
    TracyCFreeN((void *)0x100, "present");
    TracyCZoneN(inner, "inner", 1);
    td_client_plot_at("in the past", 3, at[3]);
    td_client_plot_at("in the past", 1, at[1]);
    td_client_plot_at("in the past", NAN, at[1]);
    td_client_plot_at("in the past", 0.5, at[0]);
    td_client_plot_at("in the past", -2, at[2]);
    TracyCPlot("in the present", 1.0);
    TracyCZoneEnd(inner);
    td_client_plot_at("in the past", 4, 0);
    TracyCZoneEnd(now);
    TracyCMessageL("the last");
    return 0;
}
