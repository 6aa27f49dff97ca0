/* The table of call stacks of samples. */
#include "host/base/compare.h"
#include "host/query/code/sample_tables.h"
#include "host/base/grow.h"
#include "host/query/code/stack_text.h"

#include <stdlib.h>

#define LIST_FRAMES 40 /* in a list */
#define TEXT_FRAMES 200

struct td_samples_choice td_samples_of(const struct td_query_request *of)
{
    const struct td_samples_wanted *wanted = of->with;
    struct td_samples_choice choice = {0};
    if (of->from_ns != INT64_MIN || of->to_ns != INT64_MAX) {
        choice.from_ns = of->from_ns;
        choice.to_ns = of->to_ns == INT64_MAX ? INT64_MAX : of->to_ns + 1;
    }
    if (wanted) {
        choice.tracks = wanted->tracks;
        choice.track_count = wanted->track_count;
        choice.within = *wanted->within ? wanted->within : NULL;
    }
    return choice;
}

void td_samples_wanted_free(void *wanted)
{
    if (wanted)
        free(((struct td_samples_wanted *)wanted)->tracks);
    free(wanted);
}

struct stack_row {
    uint64_t count;
    uint32_t stack;
};
struct stack_rows {
    struct td_query_rows rows;
    struct stack_row *at;
    size_t capacity;
    uint64_t samples;
};
#define ROWS  struct stack_rows
#define STACK r->at[i].stack

struct td_query_value td_is_stack(const struct td_query_rows *rows, uint32_t stack, bool in_list,
                                  char room[TD_QUERY_ROOM])
{
    return td_is_text(td_stack_text(rows->of.trace, stack, in_list ? " < " : ";",
                                    in_list ? LIST_FRAMES : TEXT_FRAMES, room, TD_QUERY_ROOM));
}

/* clang-format off */
#define STACK_COLUMNS(X)                                                                                     \
    X(samples, "Samples",    COUNT, 100, td_is_uint(r->at[i].count))                                         \
    X(share,   "Share",      SHARE, 80,  td_is_real((double)r->at[i].count / (double)r->samples))            \
    X(stack,   "Functions",  TEXT,  0,   td_is_stack(rows, STACK, false, room))                              \
    X(callers, "Call stack", TEXT,  0,   td_is_stack(rows, STACK, true, room))
/* clang-format on */
TD_QUERY_COLUMNS(STACK_COLUMNS)

TD_COMPARE(compare_stacks, struct stack_row, TD_DOWN(count) TD_UP(stack))

static int add_stack(struct stack_rows *r, uint32_t stack, uint64_t count)
{
    if (TD_APPEND(r->at, r->rows.count, r->capacity, (struct stack_row){count, stack}) < 0)
        return TD_E_NOMEM;
    r->samples += count;
    return 0;
}

/* Whether a stack is one of those that are wanted. */
static bool is_wanted(const struct td_samples_wanted *wanted, const struct td_levels *levels)
{
    const size_t most = wanted && wanted->anywhere ? levels->count : 1;
    if (!levels->count)
        return false;
    if (!wanted || (wanted->bytes && levels->at[0].address - wanted->address >= wanted->bytes))
        return !wanted;
    for (size_t i = 0; i < most && wanted->key; i++)
        if (td_level_key(&levels->at[i]) == wanted->key)
            return true;
    return !wanted->key;
}

static int list_stacks(struct stack_rows *r, const struct td_stack_counts *counts)
{
    const struct td_samples_wanted *wanted = r->rows.of.with;
    struct td_levels levels = {0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < counts->stacks; i++) {
        if (!counts->at[i])
            continue;
        rc = td_levels_read(&levels, r->rows.of.trace, (uint32_t)i);
        if (rc == 0 && is_wanted(wanted, &levels))
            rc = add_stack(r, (uint32_t)i, counts->at[i]);
    }
    td_levels_free(&levels);
    return rc;
}

static int make_stacks(struct td_query_rows *rows)
{
    struct stack_rows *r = (void *)rows;
    const struct td_samples_choice choice = td_samples_of(&rows->of);
    const struct td_progress progress = td_job_progress_of(rows->of.job);
    struct td_stack_counts counts = {0};
    int rc = td_stack_counts_make(rows->of.trace, &choice, &progress, &counts, NULL);
    rc = rc ? rc : list_stacks(r, &counts);
    td_stack_counts_free(&counts);
    if (rows->count)
        qsort(r->at, rows->count, sizeof *r->at, compare_stacks);
    return rc;
}

TD_QUERY_FREES(free_stacks, free(r->at))

uint32_t td_stacks_at(const struct td_query_rows *rows, uint64_t row)
{
    return ((const struct stack_rows *)rows)->at[row].stack;
}

uint64_t td_stacks_samples(const struct td_query_rows *rows)
{
    return ((const struct stack_rows *)rows)->samples;
}

const struct td_query_table td_table_stacks = {
    .name = "stacks",
    .about = "a call stack with samples",
    TD_QUERY_WITH_COLUMNS,
    .make = make_stacks,
    .free = free_stacks,
    .free_with = td_samples_wanted_free,
    .json = "samples stack",
    .lines = "samples stack",
};
