#include "host/client/api/mark.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/records.h"
#include "host/client/queue/replayed.h"
#include "host/client/session/start.h"

#include <stdatomic.h>
#include <string.h>

void td_mark_record(struct td_mark *mark)
{
    const struct td_record_info *info = &td_record_infos[mark->kind];
    uint64_t time = mark->time ? mark->time : td_client_ticks();
    void *overflow_text;
    unsigned words = td_compose_measure(mark, &overflow_text);
    if (!words) {
        atomic_fetch_add(&td_queue_lost, 1);
        return;
    }
    int of_thread = !info->ordered || mark->kind == TD_REC_FIBER_ENTER || mark->kind == TD_REC_FIBER_LEAVE;
    uint64_t *record = of_thread ? td_reserve(words) : td_reserve_ordered(words);
    if (!record) {
        td_pool_free(overflow_text);
        return;
    }
    unsigned kind = mark->kind | (mark->frames ? TD_REC_STACK : 0);
    td_compose_fill(record, mark, overflow_text);
    if (info->ordered)
        td_publish_ordered(record, kind, time, mark->fields[0]);
    else
        td_client_publish(record, kind, time);
}

/* Most texts are short, and a call of memcpy() would be most of the cost. */
static inline void copy_text(uint64_t *record, const char *text, size_t bytes)
{
    char *to = (char *)record;
    if (bytes < 8 || bytes > 64) {
        if (bytes) /* else `text` may be NULL */
            memcpy(to, text, bytes);
        return;
    }
    for (size_t i = 0; i + 8 < bytes; i += 8)
        memcpy(to + i, text + i, 8);
    memcpy(to + bytes - 8, text + bytes - 8, 8);
}

/* Not inlined, so that markers of short texts save no registers for it. */
static __attribute__((noinline)) void mark_long_text(uint32_t kind, uint64_t word, const char *text,
                                                     size_t bytes, uint64_t time)
{
    struct td_mark mark = {.kind = kind, .fields = {word}, .text = text, .bytes = bytes, .time = time};
    td_mark_record(&mark);
}

void td_mark_text(uint32_t kind, uint64_t word, const char *text, size_t bytes, uint64_t time)
{
    if (__builtin_expect(bytes > TD_REC_TEXT_MAX, 0)) {
        mark_long_text(kind, word, text, bytes, time);
        return;
    }
    uint64_t *record = td_reserve(2 + (unsigned)(bytes + 7) / 8);
    if (!record)
        return;
    record[1] = word | bytes;
    copy_text(record + 2, text, bytes);
    td_client_publish(record, kind, time);
}

void td_mark_replayed(struct td_mark *mark)
{
    struct td_signals signals;
    td_client_start();
    int keep = td_setting_value(TD_SETTING_ON_DEMAND) != 0;
    uint64_t about = keep ? td_replayed_about(mark) : 0; /* a bad name faults here, where no lock is held */
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_REPLAYED);
    if (!mark->time)
        mark->time = td_client_ticks();
    if (keep)
        td_replayed_add_locked(mark, about);
    if (td_client_is_live())
        td_mark_record(mark);
    td_fork_lock_release(TD_FORK_LOCK_REPLAYED);
    td_signals_restore(&signals);
}
