/* Records that are written seldom, from their parts; and those that are kept for later connections. */
#include "host/client/client.h"
#include "host/client/switches.h"

#include <pthread.h>
#include <string.h>

atomic_uint td_frame_count;

/* What connections to come must see. */
struct kept {
    struct kept *next;
    int dead; /* to be freed once nobody goes through the list */
    uint64_t word[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *first, *last;
static int replaying;

/* The record's length in words; *beside gets memory for a text that is too long for it. 0: no memory. */
static unsigned measure(struct td_mark *mark, void **beside)
{
    const struct td_record_info *info = &td_record_infos[mark->kind];
    unsigned words = info->words;
    *beside = NULL;
    if (info->tail == TD_REC_TAIL_TEXT) {
        if (mark->bytes > TD_WIRE_TEXT_MAX)
            mark->bytes = TD_WIRE_TEXT_MAX;
        if (mark->bytes > TD_REC_TEXT_MAX && (td_queue_is_full() || !(*beside = td_pool_take(mark->bytes))))
            return 0;
        words += *beside ? 1 : (unsigned)(mark->bytes + 7) / 8;
        mark->fields[info->words - 2] |= mark->bytes;
    }
    return words + (mark->frames ? 1 + mark->frames : 0);
}

/* All but word 0 and the order. */
static void fill(uint64_t *record, const struct td_mark *mark, void *beside)
{
    const struct td_record_info *info = &td_record_infos[mark->kind];
    unsigned at = info->words;
    memcpy(record + 1, mark->fields, 8 * (at - 1u));
    if (beside) {
        memcpy(beside, mark->text, mark->bytes);
        record[at++] = (uintptr_t)beside;
    } else if (info->tail == TD_REC_TAIL_TEXT) {
        memcpy(record + at, mark->text, mark->bytes);
        at += (unsigned)(mark->bytes + 7) / 8;
    }
    if (mark->frames) {
        record[at] = mark->frames;
        memcpy(record + at + 1, mark->stack, 8 * (size_t)mark->frames);
    }
}

void td_mark(struct td_mark *mark)
{
    const struct td_record_info *info = &td_record_infos[mark->kind];
    uint64_t time = mark->time ? mark->time : td_client_ticks();
    void *beside;
    unsigned words = measure(mark, &beside);
    if (!words) {
        atomic_fetch_add(&td_queue_lost, 1);
        return;
    }
    int of_thread = !info->ordered || mark->kind == TD_REC_FIBER_ENTER || mark->kind == TD_REC_FIBER_LEAVE;
    uint64_t *record = of_thread ? td_reserve(words) : td_reserve_ordered(words);
    if (!record) {
        td_pool_give(beside);
        return;
    }
    unsigned kind = mark->kind | (mark->frames ? TD_REC_STACK : 0);
    fill(record, mark, beside);
    if (info->ordered)
        td_publish_ordered(record, kind, time, mark->fields[0]);
    else
        td_client_publish(record, kind, time);
}

/* Most texts are short: a call would be most of the cost. */
static inline void copy_text(uint64_t *record, const char *text, size_t bytes)
{
    char *to = (char *)record;
    if (bytes < 8 || bytes > 64) {
        memcpy(to, text, bytes);
        return;
    }
    for (size_t i = 0; i + 8 < bytes; i += 8)
        memcpy(to + i, text + i, 8);
    memcpy(to + bytes - 8, text + bytes - 8, 8);
}

/* Apart, so that short ones save no registers for it. */
static __attribute__((noinline)) void mark_long_text(uint32_t kind, uint64_t word, const char *text,
                                                     size_t bytes, uint64_t time)
{
    struct td_mark mark = {.kind = kind, .fields = {word}, .text = text, .bytes = bytes, .time = time};
    td_mark(&mark);
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

static void keep(struct td_mark *mark)
{
    struct td_mark copy = *mark; /* measuring adds the count */
    void *beside;
    unsigned words = measure(&copy, &beside);
    struct kept *kept = words ? td_pool_take(sizeof *kept + 8 * (size_t)words) : NULL;
    if (!kept) {
        td_pool_give(beside);
        return;
    }
    kept->next = NULL;
    kept->dead = 0;
    kept->word[0] = copy.time << 8 | copy.kind;
    fill(kept->word, &copy, beside);
    if (last)
        last->next = kept;
    else
        first = kept;
    last = kept;
}

void td_mark_kept(struct td_mark *mark)
{
    struct td_quiet quiet;
    td_client_start();
    td_quiet_begin(&quiet);
    pthread_mutex_lock(&lock);
    if (!mark->time)
        mark->time = td_client_ticks();
    if (td_switch(TD_SWITCH_ON_DEMAND))
        keep(mark);
    if (td_client_is_live())
        td_mark(mark);
    pthread_mutex_unlock(&lock);
    td_quiet_end(&quiet);
}

static int is_of_lock(const struct kept *kept, uint32_t id)
{
    uint32_t kind = (uint32_t)kept->word[0] & (TD_REC_STACK - 1);
    return (kind == TD_REC_LOCK_ANNOUNCE || kind == TD_REC_LOCK_ANNOUNCE_SHARED ||
            kind == TD_REC_LOCK_NAME) &&
           (uint32_t)(kept->word[1] >> 32) == id;
}

int td_mark_refers(uint64_t start, uint64_t end)
{
    struct td_quiet quiet;
    int refers = 0;
    td_quiet_begin(&quiet);
    pthread_mutex_lock(&lock);
    for (struct kept *kept = first; kept && !refers; kept = kept->next) {
        unsigned named = td_record_infos[kept->word[0] & (TD_REC_STACK - 1)].named;
        uint64_t address = named ? kept->word[TD_REC_NAMED_WORD(named)] : 0;
        refers = address >= start && address < end;
    }
    pthread_mutex_unlock(&lock);
    td_quiet_end(&quiet);
    return refers;
}

static void sweep_locked(void)
{
    struct kept *before = NULL;
    for (struct kept *kept = first, *next; kept; kept = next) {
        next = kept->next;
        if (!kept->dead) {
            before = kept;
            continue;
        }
        if (before)
            before->next = next;
        else
            first = next;
        if (last == kept)
            last = before;
        struct td_rec rec;
        td_rec_read(kept->word, &rec);
        td_rec_free_owned(&rec);
        td_pool_give(kept);
    }
}

void td_mark_forget_lock(uint32_t id)
{
    struct td_quiet quiet;
    td_quiet_begin(&quiet);
    pthread_mutex_lock(&lock);
    for (struct kept *kept = first; kept; kept = kept->next)
        kept->dead |= is_of_lock(kept, id);
    if (!replaying)
        sweep_locked();
    pthread_mutex_unlock(&lock);
    td_quiet_end(&quiet);
}

int td_mark_connect(uint32_t live, int64_t *since, int (*each)(void *self, const struct td_rec *rec),
                    void *self)
{
    pthread_mutex_lock(&lock);
    td_queue_set_live(live);
    *since = (int64_t)td_client_ticks();
    struct kept *kept = first, *end = last;
    replaying = 1;
    pthread_mutex_unlock(&lock);
    /* Sending may take long; the program must not wait for it. What comes behind `end` is in the queues. */
    int failed = 0;
    while (kept && !failed) {
        struct td_rec rec;
        td_rec_read(kept->word, &rec);
        failed = each(self, &rec);
        kept = kept == end ? NULL : kept->next;
    }
    pthread_mutex_lock(&lock);
    replaying = 0;
    sweep_locked();
    pthread_mutex_unlock(&lock);
    return failed;
}

void td_mark_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void td_mark_after_fork(int in_child)
{
    pthread_mutex_unlock(&lock);
}
