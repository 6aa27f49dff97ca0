#include "host/viewer/ui/frame_cost.h"

#include <time.h>

static int64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void td_frame_cost_resume(struct td_frame_cost *cost)
{
    cost->since_ns = thread_ns();
}

void td_frame_cost_pause(struct td_frame_cost *cost)
{
    if (cost->since_ns)
        cost->spent_ns += thread_ns() - cost->since_ns;
    cost->since_ns = 0;
}

void td_frame_cost_add(struct td_frame_cost *cost)
{
    cost->frames++;
    td_frame_cost_wait(cost);
}

void td_frame_cost_wait(struct td_frame_cost *cost)
{
    cost->total_ns += cost->spent_ns;
    if (cost->spent_ns > cost->worst_ns)
        cost->worst_ns = cost->spent_ns;
    cost->spent_ns = 0;
}

struct td_frame_cost td_frame_cost_take(struct td_frame_cost *cost)
{
    const struct td_frame_cost taken = *cost;
    cost->frames = 0;
    cost->total_ns = cost->worst_ns = 0;
    return taken;
}
