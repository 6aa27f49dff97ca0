/* Records that later connections must see, too (on demand). */
#include "host/client/client.h"

atomic_uint td_frame_count;

struct kept {
    struct kept *next;
    int dead; /* to be freed once nobody goes through the list */
    uint64_t word[];
};

/* Under TD_GUARD_KEPT. */
static struct kept *first, *last;
static int replaying;

void td_kept_add_locked(struct td_mark *mark)
{
    struct td_mark copy = *mark; /* measuring adds the count */
    void *beside;
    unsigned words = td_compose_measure(&copy, &beside);
    struct kept *kept = words ? td_pool_take(sizeof *kept + 8 * (size_t)words) : NULL;
    if (!kept) {
        td_pool_give(beside);
        return;
    }
    kept->next = NULL;
    kept->dead = 0;
    kept->word[0] = copy.time << 8 | copy.kind;
    td_compose_fill(kept->word, &copy, beside);
    if (last)
        last->next = kept;
    else
        first = kept;
    last = kept;
}

static int is_of_lock(const struct kept *kept, uint32_t id)
{
    uint32_t kind = (uint32_t)kept->word[0] & (TD_REC_STACK - 1);
    return (kind == TD_REC_LOCK_ANNOUNCE || kind == TD_REC_LOCK_ANNOUNCE_SHARED ||
            kind == TD_REC_LOCK_NAME) &&
           (uint32_t)(kept->word[1] >> 32) == id;
}

int td_kept_refers(uint64_t start, uint64_t end)
{
    struct td_quiet quiet;
    int refers = 0;
    td_quiet_begin(&quiet);
    td_guard_enter(TD_GUARD_KEPT);
    for (struct kept *kept = first; kept && !refers; kept = kept->next) {
        unsigned named = td_record_infos[kept->word[0] & (TD_REC_STACK - 1)].named;
        uint64_t address = named ? kept->word[TD_REC_NAMED_WORD(named)] : 0;
        refers = address >= start && address < end;
    }
    td_guard_leave(TD_GUARD_KEPT);
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

void td_kept_forget_lock(uint32_t id)
{
    struct td_quiet quiet;
    td_quiet_begin(&quiet);
    td_guard_enter(TD_GUARD_KEPT);
    for (struct kept *kept = first; kept; kept = kept->next)
        kept->dead |= is_of_lock(kept, id);
    if (!replaying)
        sweep_locked();
    td_guard_leave(TD_GUARD_KEPT);
    td_quiet_end(&quiet);
}

int td_kept_connect(uint32_t live, int64_t *since, int (*each)(void *self, const struct td_rec *rec),
                    void *self)
{
    td_guard_enter(TD_GUARD_KEPT);
    td_queue_set_live(live);
    *since = (int64_t)td_client_ticks();
    struct kept *kept = first, *end = last;
    replaying = 1;
    td_guard_leave(TD_GUARD_KEPT);
    /* Sending may take long; the program must not wait for it. What comes behind `end` is in the queues. */
    int failed = 0;
    while (kept && !failed) {
        struct td_rec rec;
        td_rec_read(kept->word, &rec);
        failed = each(self, &rec);
        kept = kept == end ? NULL : kept->next;
    }
    td_guard_enter(TD_GUARD_KEPT);
    replaying = 0;
    sweep_locked();
    td_guard_leave(TD_GUARD_KEPT);
    return failed;
}
