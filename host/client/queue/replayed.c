/* A list in the order of the markers, and a hash table of it by kind and subject. A record replaces the
 * earlier one with the same subject (the settings of a plot, the value of a parameter ...). So the list
 * grows with the number of plots, parameters and so on, not with the number of markers. */
#include "host/client/queue/replayed.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/base/hash.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/records.h"
#include "host/wire/releases.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <string.h>

#define INFO_BYTES (1u << 20) /* limit for application information: each text may be a new one */

struct replayed {
    struct replayed *next, *before; /* in the list */
    struct replayed *neighbour;     /* in its bucket */
    uint32_t kind;
    uint64_t about; /* its subject */
    int dead;       /* replaced, and freed when no replay runs */
    int late;       /* added during a replay, which does not reach it */
    uint64_t word[];
};

atomic_uint td_frame_count;

/* Under TD_FORK_LOCK_REPLAYED. */
static struct replayed *first, *last;
static int replaying;
static struct replayed *few[64], **buckets = few;
static size_t bucket_count = sizeof few / sizeof *few, count, info_bytes;
static unsigned left_out, left_out_before;

/* ---- subjects of records ---- */

static uint32_t kind_of(uint32_t kind)
{
    return kind == TD_REC_LOCK_ANNOUNCE_SHARED ? TD_REC_LOCK_ANNOUNCE : kind;
}

uint64_t td_replayed_about(const struct td_mark *mark)
{
    const char *name = (const char *)(uintptr_t)mark->fields[0];
    switch (mark->kind) {
    case TD_REC_APP_INFO:
        return td_hash(mark->text, mark->bytes);
    case TD_REC_PLOT_CONFIG: /* by its text: two libraries have the same name at two addresses */
        return name ? td_hash(name, strlen(name)) : 0;
    case TD_REC_PARAMETER:
        return mark->fields[1] & 0xfffffff;
    case TD_REC_SECTION_SETUP:
        return mark->fields[0] >> 16 & 0xffff;
    case TD_REC_GPU_CONTEXT:
    case TD_REC_GPU_CONTEXT_NAME:
        return mark->fields[0] >> 48;
    case TD_REC_GPU_NOTE_NAME: {
        uint64_t of[2] = {mark->fields[0] >> 48, mark->fields[1]};
        return td_hash(of, sizeof of);
    }
    default: /* a lock's number */
        return mark->fields[0] >> 32;
    }
}

static struct replayed **bucket_of(uint32_t kind, uint64_t about)
{
    uint64_t mixed = (about ^ (uint64_t)kind << 56) * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[(mixed >> 32) & (bucket_count - 1)];
}

static struct replayed **find_replayed(uint32_t kind, uint64_t about)
{
    struct replayed **at = bucket_of(kind, about);
    while (*at && ((*at)->kind != kind || (*at)->about != about))
        at = &(*at)->neighbour;
    return at;
}

/* Without memory the chains get longer. */
static void more_buckets(void)
{
    size_t more = 4 * bucket_count;
    struct replayed **larger = td_pool_alloc(more * sizeof *larger);
    if (!larger)
        return;
    memset(larger, 0, more * sizeof *larger);
    if (buckets != few)
        td_pool_free(buckets);
    buckets = larger;
    bucket_count = more;
    for (struct replayed *replayed = first; replayed; replayed = replayed->next) {
        if (replayed->dead)
            continue;
        struct replayed **bucket = bucket_of(replayed->kind, replayed->about);
        replayed->neighbour = *bucket;
        *bucket = replayed;
    }
}

/* ---- the list ---- */

static void append_replayed(struct replayed *replayed)
{
    replayed->before = last;
    replayed->next = NULL;
    if (last)
        last->next = replayed;
    else
        first = replayed;
    last = replayed;
}

static void drop_replayed(struct replayed *replayed)
{
    struct td_rec rec;
    if (replayed->before)
        replayed->before->next = replayed->next;
    else
        first = replayed->next;
    if (replayed->next)
        replayed->next->before = replayed->before;
    else
        last = replayed->before;
    td_rec_read(replayed->word, &rec);
    td_rec_free_owned(&rec);
    td_pool_free(replayed);
}

static void forget_replayed(uint32_t kind, uint64_t about)
{
    struct replayed **at = find_replayed(kind, about), *replayed = *at;
    if (!replayed)
        return;
    *at = replayed->neighbour;
    count--;
    struct td_rec rec;
    td_rec_read(replayed->word, &rec);
    if (kind == TD_REC_APP_INFO)
        info_bytes -= rec.bytes;
    replayed->dead = 1;
    if (!replaying || replayed->late)
        drop_replayed(replayed);
}

static void free_dead(void)
{
    for (struct replayed *replayed = first, *next; replayed; replayed = next) {
        next = replayed->next;
        replayed->late = 0;
        if (replayed->dead)
            drop_replayed(replayed);
    }
}

static struct replayed *make_replayed(struct td_mark copy)
{
    void *overflow_text;
    unsigned words = td_compose_measure(&copy, &overflow_text);
    struct replayed *replayed = words ? td_pool_alloc(sizeof *replayed + 8 * (size_t)words) : NULL;
    if (!replayed) {
        td_pool_free(overflow_text);
        return NULL;
    }
    replayed->dead = 0;
    replayed->late = replaying;
    replayed->word[0] = copy.time << 8 | copy.kind;
    td_compose_fill(replayed->word, &copy, overflow_text);
    return replayed;
}

void td_replayed_add_locked(const struct td_mark *mark, uint64_t about)
{
    uint32_t kind = kind_of(mark->kind);
    size_t bytes = mark->bytes < TD_WIRE_TEXT_MAX ? mark->bytes : TD_WIRE_TEXT_MAX;
    forget_replayed(kind, about);
    if (kind == TD_REC_GPU_CONTEXT) /* a new context of that number: the old one's name is not its own */
        forget_replayed(TD_REC_GPU_CONTEXT_NAME, about);
    if (kind == TD_REC_APP_INFO && info_bytes + bytes > INFO_BYTES) {
        left_out++;
        return;
    }
    struct replayed *replayed = make_replayed(*mark);
    if (!replayed) {
        atomic_fetch_add(&td_queue_lost, 1);
        return;
    }
    if (kind == TD_REC_APP_INFO)
        info_bytes += bytes;
    replayed->kind = kind;
    replayed->about = about;
    if (++count > 2 * bucket_count)
        more_buckets();
    struct replayed **bucket = bucket_of(kind, about);
    replayed->neighbour = *bucket;
    *bucket = replayed;
    append_replayed(replayed);
}

void td_replayed_forget_lock(uint32_t id)
{
    struct td_signals signals;
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_REPLAYED);
    forget_replayed(TD_REC_LOCK_ANNOUNCE, id);
    forget_replayed(TD_REC_LOCK_NAME, id);
    td_fork_lock_release(TD_FORK_LOCK_REPLAYED);
    td_signals_restore(&signals);
}

bool td_replayed_refers(uint64_t start, uint64_t end)
{
    struct td_signals signals;
    int refers = 0;
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_REPLAYED);
    for (struct replayed *replayed = first; replayed && !refers; replayed = replayed->next) {
        unsigned named = td_record_infos[replayed->word[0] & (TD_REC_STACK - 1)].named;
        uint64_t address = named ? replayed->word[TD_REC_NAMED_WORD(named)] : 0;
        refers = address >= start && address < end;
    }
    td_fork_lock_release(TD_FORK_LOCK_REPLAYED);
    td_signals_restore(&signals);
    return refers;
}

int td_replayed_connect(uint32_t live, int64_t *since, int (*each)(void *self, const struct td_rec *rec),
                        void *self)
{
    td_fork_lock_acquire(TD_FORK_LOCK_REPLAYED);
    td_queue_set_live(live);
    *since = (int64_t)td_client_ticks();
    struct replayed *replayed = first, *end = last;
    left_out_before = left_out;
    replaying = 1;
    td_fork_lock_release(TD_FORK_LOCK_REPLAYED);
    /* Without the lock: sending may take long, and the program's markers must not wait. Records after
     * `end` are in the queues, too. */
    int failed = 0;
    while (replayed && !failed) {
        struct td_rec rec;
        td_rec_read(replayed->word, &rec);
        failed = each(self, &rec);
        replayed = replayed == end ? NULL : replayed->next;
    }
    td_fork_lock_acquire(TD_FORK_LOCK_REPLAYED);
    replaying = 0;
    free_dead();
    td_fork_lock_release(TD_FORK_LOCK_REPLAYED);
    return failed;
}

unsigned td_replayed_left_out(void)
{
    struct td_signals signals;
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_REPLAYED);
    unsigned before = left_out_before;
    td_fork_lock_release(TD_FORK_LOCK_REPLAYED);
    td_signals_restore(&signals);
    return before;
}

void td_replayed_forked(void)
{
    replaying = 0;
    free_dead();
}
