#include "host/query/sums/matches.h"
#include "host/base/sorted.h"

#include <stdlib.h>

#define WORD TD_MATCH_ZONES

/* ---- the set ---- */

static uint64_t words_of(uint64_t zones)
{
    return (zones + WORD - 1) / WORD;
}

static void count_rows(const struct td_trace *trace, uint32_t tracks, size_t *rows, uint64_t *words)
{
    *rows = 0;
    *words = 0;
    for (uint32_t t = 0; t < tracks; t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++) {
            ++*rows;
            *words += words_of(td_trace_row_zones(trace, t, r));
        }
}

static void free_matches(struct td_matches *m)
{
    free(m->rows);
    free(m->first_row);
    free(m->bits);
    free(m->ns);
    free(m);
}

struct td_matches *td_matches_create(const struct td_trace *trace)
{
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    size_t rows;
    uint64_t words;
    count_rows(trace, tracks, &rows, &words);
    struct td_matches *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->references = 1;
    m->tracks = tracks;
    m->rows = calloc(rows + 1, sizeof *m->rows);
    m->first_row = calloc((size_t)tracks + 1, sizeof *m->first_row);
    m->bits = calloc(words + 1, sizeof *m->bits);
    m->ns = calloc(words + 1, sizeof *m->ns);
    if (!m->rows || !m->first_row || !m->bits || !m->ns) {
        free_matches(m);
        return NULL;
    }
    uint64_t used = 0;
    for (uint32_t t = 0; t < tracks; t++) {
        m->first_row[t] = (uint32_t)m->row_count;
        for (uint32_t r = 0; r < td_trace_rows(trace, t) && m->row_count < rows; r++) {
            uint64_t zones = td_trace_row_zones(trace, t, r);
            if (used + words_of(zones) > words) /* the trace has grown since it was counted */
                zones = (words - used) * WORD;
            m->rows[m->row_count++] = (struct td_match_row){t, r, zones, m->bits + used, m->ns + used};
            used += words_of(zones);
        }
    }
    m->first_row[tracks] = (uint32_t)m->row_count;
    return m;
}

struct td_matches *td_matches_share(struct td_matches *matches)
{
    if (matches)
        __atomic_add_fetch(&matches->references, 1, __ATOMIC_RELAXED);
    return matches;
}

void td_matches_release(struct td_matches *matches)
{
    if (matches && __atomic_sub_fetch(&matches->references, 1, __ATOMIC_ACQ_REL) == 0)
        free_matches(matches);
}

uint64_t td_matches_count_of(const struct td_matches *m, uint32_t track)
{
    uint64_t count = 0;
    for (uint32_t r = track < m->tracks ? m->first_row[track] : 0;
         track < m->tracks && r < m->first_row[track + 1]; r++)
        for (uint64_t w = 0; w < words_of(m->rows[r].zones); w++)
            count += (uint64_t)__builtin_popcountll(td_match_word(&m->rows[r], w));
    return count;
}

uint64_t td_matches_count(const struct td_matches *matches)
{
    return matches ? __atomic_load_n(&matches->count, __ATOMIC_RELAXED) : 0;
}

const struct td_match_row *td_matches_row(const struct td_matches *matches, uint32_t track, uint32_t row)
{
    if (!matches || track >= matches->tracks)
        return NULL;
    uint32_t first = matches->first_row[track], rows = matches->first_row[track + 1] - first;
    return row < rows ? &matches->rows[first + row] : NULL;
}

/* ---- finding ---- */

/* The first match at or after zone `from`, below `end`; UINT64_MAX: none. */
static uint64_t first_match(const struct td_match_row *row, uint64_t from, uint64_t end)
{
    end = end < row->zones ? end : row->zones;
    while (from < end) {
        uint64_t bits = td_match_word(row, from / WORD) >> from % WORD;
        if (bits) {
            from += (uint64_t)__builtin_ctzll(bits);
            return from < end ? from : UINT64_MAX;
        }
        from = (from / WORD + 1) * WORD;
    }
    return UINT64_MAX;
}

/* The last match below `end`; UINT64_MAX: none. */
static uint64_t last_match(const struct td_match_row *row, uint64_t end)
{
    end = end < row->zones ? end : row->zones;
    while (end) {
        uint64_t word = (end - 1) / WORD, bits = td_match_word(row, word);
        bits &= ~UINT64_C(0) >> (WORD - 1 - (end - 1) % WORD);
        if (bits)
            return word * WORD + 63 - (uint64_t)__builtin_clzll(bits);
        end = word * WORD;
    }
    return UINT64_MAX;
}

size_t td_matches_in(const struct td_matches *matches, uint32_t track, uint32_t row, size_t first,
                     size_t count)
{
    const struct td_match_row *r = td_matches_row(matches, track, row);
    uint64_t found = r ? first_match(r, first, (uint64_t)first + count) : UINT64_MAX;
    return found == UINT64_MAX ? SIZE_MAX : (size_t)found;
}

struct match_position {
    int64_t time_ns;
    struct td_zone_ref ref;
};

static int compare_positions(const struct match_position *a, const struct match_position *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->ref.track != b->ref.track)
        return a->ref.track < b->ref.track ? -1 : 1;
    if (a->ref.row != b->ref.row)
        return a->ref.row < b->ref.row ? -1 : 1;
    return a->ref.index < b->ref.index ? -1 : a->ref.index > b->ref.index;
}

/* The first zone of the row whose position is not before `here` (or, `after`, is after it). */
static uint64_t first_zone_from(const struct td_match_row *row, const struct td_trace *trace,
                                const struct match_position *here, bool after)
{
    uint64_t low = 0, high = row->zones;
    struct match_position p;
    TD_BISECT(low, high, i,
              (p = (struct match_position){td_trace_zone(trace, row->track, row->row, i).start_ns,
                                           {row->track, row->row, i}},
               compare_positions(&p, here) < after));
    return low;
}

struct td_zone_ref td_matches_next(const struct td_matches *matches, const struct td_trace *trace,
                                   int64_t time_ns, struct td_zone_ref from, bool forward)
{
    struct match_position here = {time_ns, from}, best = {0, TD_NO_ZONE};
    const bool has_from = td_ref_valid(from);
    if (!has_from) /* before all zones that begin at that time, in either direction */
        here.ref = (struct td_zone_ref){0, 0, 0};
    for (size_t i = 0; matches && i < matches->row_count; i++) {
        const struct td_match_row *row = &matches->rows[i];
        uint64_t limit = first_zone_from(row, trace, &here, forward && has_from);
        uint64_t found = forward ? first_match(row, limit, row->zones) : last_match(row, limit);
        if (found == UINT64_MAX)
            continue;
        struct td_zone_ref ref = {row->track, row->row, (size_t)found};
        struct match_position p = {td_trace_zone(trace, row->track, row->row, ref.index).start_ns, ref};
        int order = td_ref_valid(best.ref) ? compare_positions(&p, &best) : (forward ? -1 : 1);
        if (forward ? order < 0 : order > 0)
            best = p;
    }
    return best.ref;
}
