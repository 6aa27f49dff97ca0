/* Rows of locks: in a group of their own, or below the threads that waited for them. */
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/layout_internal.h"

#include <stdio.h>
#include <stdlib.h>

static void label_lock(const struct layout_builder *b, struct td_node *node)
{
    const struct td_series *locks = td_trace_table(b->trace, TD_TABLE_LOCK);
    const char *name = td_dict_text(b->dict, (uint32_t)td_series_get(locks, node->number, TD_LOCK_NAME));
    const uint32_t place = (uint32_t)td_series_get(locks, node->number, TD_LOCK_SRCLOC);
    td_layout_copy_label(node->label, sizeof node->label, *name ? name : td_dict_zone_name(b->dict, place));
}

static bool has_lock_row(const struct layout_builder *b, uint64_t lock)
{
    const bool waited =
        b->as.lock_times && lock < b->as.lock_times->count && b->as.lock_times->lock[lock].waiters;
    if (b->as.locks == TD_LOCKS_NONE || (b->as.locks == TD_LOCKS_BESIDE && waited) ||
        !td_series_count(td_trace_list(b->trace, TD_TABLE_LOCK_EVENT, lock)))
        return false;
    return b->as.locks != TD_LOCKS_CONTENDED || !b->as.lock_times || lock >= b->as.lock_times->count ||
           td_lock_times_until(b->as.lock_times, b->trace, lock, INT64_MAX).contended > 0;
}

void td_layout_add_locks(struct layout_builder *b)
{
    const struct td_series *locks = td_trace_table(b->trace, TD_TABLE_LOCK);
    int group = -1, used = 0;
    for (uint64_t l = 0; l < td_series_count(locks); l++) {
        if (!has_lock_row(b, l))
            continue;
        if (group < 0)
            group = td_layout_add_group(b, 0, -1, false);
        struct td_node *node = td_layout_add_node(b, TD_NODE_LOCK, 1, group, (uint32_t)l);
        label_lock(b, node);
        used++;
    }
    if (group >= 0) {
        struct td_node *node = td_layout_end_group(b, group);
        node->collapsed = true;
        snprintf(node->label, sizeof node->label, "Locks");
        snprintf(node->detail, sizeof node->detail, "%d", used);
    }
}

static int compare_waits(const void *a, const void *b)
{
    const struct td_lock_wait *m = a, *n = b;
    return m->thread != n->thread ? (m->thread < n->thread ? -1 : 1)
           : m->lock < n->lock    ? -1
                                  : m->lock > n->lock;
}

int td_layout_find_waits(struct layout_builder *b)
{
    const struct td_locks *locks = b->as.locks == TD_LOCKS_BESIDE ? b->as.lock_times : NULL;
    for (uint64_t l = 0; locks && l < locks->count; l++) {
        const struct td_series *threads = td_trace_list(b->trace, TD_TABLE_LOCK_THREAD, l);
        for (uint64_t t = 0; t < 64 && t < td_series_count(threads); t++) {
            const struct td_lock_wait wait = {(uint64_t)td_series_get(threads, t, TD_LOCK_THREAD_THREAD),
                                              (uint32_t)l};
            if (locks->lock[l].waiters >> t & 1 &&
                TD_APPEND(b->waits.at, b->waits.count, b->waits.capacity, wait) < 0)
                return TD_E_NOMEM;
        }
    }
    if (b->waits.count)
        qsort(b->waits.at, b->waits.count, sizeof *b->waits.at, compare_waits);
    return 0;
}

void td_layout_add_waited(struct layout_builder *b, uint32_t track, int level, int parent)
{
    const struct td_track *of = td_dict_get_track(b->dict, track);
    size_t low = 0, high = b->waits.count;
    int below = b->layout->count - 1; /* the track, or its ghost zones */
    if (!high || td_track_is_core(of) || of->context || of->fiber || b->no_memory)
        return;
    below -= b->layout->nodes[below].below;
    TD_BISECT(low, high, i, b->waits.at[i].thread < of->thread);
    for (; low < b->waits.count && b->waits.at[low].thread == of->thread; low++) {
        struct td_node *node = td_layout_add_node(b, TD_NODE_LOCK, level, parent, b->waits.at[low].lock);
        node->below = b->layout->count - 1 - below;
        label_lock(b, node);
        snprintf(node->detail, sizeof node->detail, "lock");
    }
}
