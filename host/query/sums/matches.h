/* The zones that a search has found: a bit for each zone of the trace. One thread makes the set, several fill
 * it, any number read it meanwhile. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/sums/marks.h"

#define TD_MATCH_ZONES 64u /* of a word: a row's bits come in words */

struct td_match_row {
    uint32_t track, row;
    uint64_t zones;
    uint64_t *bits; /* atomic */
    float *ns;      /* length of the matches of each word; written before the word's bits */
};

struct td_matches {
    struct td_match_row *rows; /* by track and row */
    size_t row_count;
    uint32_t *first_row; /* of each track; `tracks` + 1 values */
    uint32_t tracks;
    uint64_t *bits; /* of all rows */
    float *ns;
    uint64_t count; /* atomic: matches so far */
    int references; /* atomic */
};

/* An empty set with room for the zones that the trace has now. NULL: no memory. */
struct td_matches *td_matches_create(const struct td_trace *trace);
struct td_matches *td_matches_share(struct td_matches *matches); /* NULL is allowed, as below */
void td_matches_release(struct td_matches *matches);

static inline uint64_t td_match_word(const struct td_match_row *row, uint64_t word)
{
    return __atomic_load_n(&row->bits[word], __ATOMIC_ACQUIRE);
}
uint64_t td_matches_count(const struct td_matches *matches);
uint64_t td_matches_count_of(const struct td_matches *matches, uint32_t track); /* so far */
/* NULL: the row had no zones when the set was made. */
const struct td_match_row *td_matches_row(const struct td_matches *matches, uint32_t track, uint32_t row);
/* First match of the row among zones first .. first + count - 1, or SIZE_MAX. */
size_t td_matches_in(const struct td_matches *matches, uint32_t track, uint32_t row, size_t first,
                     size_t count);
/* The match of any track that begins next after (forward) or before time_ns. Zones that begin at the same time
 * are visited in the order of tracks and rows, starting from `from` (TD_NO_ZONE: none). */
struct td_zone_ref td_matches_next(const struct td_matches *matches, const struct td_trace *trace,
                                   int64_t time_ns, struct td_zone_ref from, bool forward);
