#include "host/client/queue/zone_acts.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/queue.h"

#include <stdatomic.h>
#include <string.h>

static _Atomic(struct td_zone_act *) newest;

struct td_zone_act *td_zone_act_copy(const struct td_zone_act *act)
{
    struct td_zone_act *copy = td_queue_is_full() ? NULL : td_pool_alloc(sizeof *copy + act->bytes);
    if (!copy)
        return NULL;
    *copy = *act;
    copy->text = (const char *)(copy + 1);
    if (act->bytes)
        memcpy(copy + 1, act->text, act->bytes);
    return copy;
}

bool td_zone_act_add(const struct td_zone_act *act)
{
    struct td_zone_act *copy = td_zone_act_copy(act);
    if (!copy)
        return 0;
    copy->next = atomic_load_explicit(&newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&newest, &copy->next, copy, memory_order_release,
                                                  memory_order_relaxed))
        ;
    return 1;
}

struct td_zone_act *td_zone_acts_take(void)
{
    if (!atomic_load_explicit(&newest, memory_order_relaxed))
        return NULL;
    struct td_zone_act *at = atomic_exchange_explicit(&newest, NULL, memory_order_acquire), *first = NULL;
    while (at) {
        struct td_zone_act *next = at->next;
        at->next = first;
        first = at;
        at = next;
    }
    return first;
}

void td_zone_acts_forked(void)
{
    atomic_store(&newest, NULL);
}
