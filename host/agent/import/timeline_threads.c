#include "host/agent/import/timeline_threads.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>

void td_late_threads_free(struct td_late_threads *threads)
{
    free(threads->at);
    td_map_finish(&threads->by_tid);
    *threads = (struct td_late_threads){0};
}

uint32_t td_late_threads_find(struct td_late_threads *threads, struct td_timeline *timeline, int64_t tid)
{
    uint32_t number = td_map_get(&threads->by_tid, (uint64_t)tid, UINT32_MAX);
    if (number != UINT32_MAX)
        return number;
    number = (uint32_t)threads->count;
    const uint32_t owner = td_timeline_later(timeline);
    return owner == UINT32_MAX ||
                   TD_APPEND(threads->at, threads->count, threads->room,
                             (struct td_late_thread){.tid = tid, .owner = owner}) < 0 ||
                   td_map_add(&threads->by_tid, (uint64_t)tid, number) < 0
               ? UINT32_MAX
               : number;
}

static int settle(const struct td_late_thread *thread, struct td_timeline *timeline)
{
    char pid[24] = "", tid[24];
    const int tid_bytes = snprintf(tid, sizeof tid, "%" PRId64, thread->tid);
    const int pid_bytes = thread->has_pid ? snprintf(pid, sizeof pid, "%" PRId64, thread->pid) : 0;
    const uint32_t process = td_timeline_process(timeline, (struct td_timeline_id){pid, (size_t)pid_bytes});
    const struct td_timeline_place is = {
        .owner = td_timeline_thread(timeline, process, (struct td_timeline_id){tid, (size_t)tid_bytes})};
    if (is.owner == UINT32_MAX)
        return TD_E_NOMEM;
    if (thread->name)
        td_timeline_name_thread(timeline, is.owner, thread->name);
    td_timeline_settle(timeline, thread->owner, &is);
    return 0;
}

int td_late_threads_settle(const struct td_late_threads *threads, struct td_timeline *timeline)
{
    int bad = 0;
    for (size_t i = 0; i < threads->count && !bad; i++)
        bad = settle(&threads->at[i], timeline);
    return bad;
}
