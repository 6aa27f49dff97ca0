#include "host/query/rows/frame_matches.h"
#include "host/trace/walk.h"

#include <stdlib.h>

#define WORD        TD_MATCH_ZONES /* zones of a word of the matches */
#define CHECK_EVERY 4096           /* words between two looks at whether the job is cancelled */

struct frame_matching {
    struct td_frame_matches *made;
    const struct td_trace *trace;
    uint32_t set;
    int64_t now_ns;
    size_t frame;             /* no frame before it reaches to the zone that is looked at */
    int64_t start_ns, end_ns; /* of that frame */
    struct td_zones zones;    /* read last */
    uint64_t words_seen;
    struct td_job *job;
};

static void load_frame(struct frame_matching *m, size_t frame)
{
    m->frame = frame;
    if (frame >= m->made->frames)
        return;
    m->start_ns = td_trace_frame(m->trace, m->set, frame).start_ns;
    m->end_ns = m->start_ns + td_frame_length(m->trace, m->set, frame, m->now_ns);
}

/* Zones of a row come in the order of time: so the frames are passed once. Before a long gap they are searched. */
static void seek_frame(struct frame_matching *m, int64_t time_ns)
{
    for (int near = 0; m->frame < m->made->frames && m->end_ns <= time_ns; near++) {
        const size_t next = near < 8 ? m->frame + 1 : td_frame_at(m->trace, m->set, (double)time_ns);
        load_frame(m, next == SIZE_MAX || next <= m->frame ? m->frame + 1 : next);
    }
}

static void add_zone(struct frame_matching *m, int64_t start_ns, int64_t end_ns)
{
    seek_frame(m, start_ns);
    while (m->frame < m->made->frames && (m->start_ns < end_ns || m->start_ns == start_ns)) {
        const int64_t from = start_ns > m->start_ns ? start_ns : m->start_ns;
        const int64_t to = end_ns < m->end_ns ? end_ns : m->end_ns;
        float *ns = &m->made->ns[m->frame];
        *ns += to > from ? (float)(to - from) : 0;
        *ns = *ns < TD_FRAME_TOUCHED ? TD_FRAME_TOUCHED : *ns;
        if (end_ns <= m->end_ns)
            return;
        load_frame(m, m->frame + 1);
    }
}

static void add_word(struct frame_matching *m, const struct td_match_row *row, uint64_t word, uint64_t bits)
{
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_DURATION;
    struct td_zones *z = &m->zones;
    for (; bits; bits &= bits - 1) {
        const uint64_t zone = word * WORD + (uint64_t)__builtin_ctzll(bits);
        if ((zone < z->first || zone >= z->first + z->count) &&
            !td_trace_zones_read(m->trace, row->track, row->row, zone, columns, z))
            return;
        const int64_t start = z->column[TD_ZONE_START][zone - z->first],
                      length = z->column[TD_ZONE_DURATION][zone - z->first];
        add_zone(m, start, length < 0 ? (m->now_ns > start ? m->now_ns : start) : start + length);
    }
}

static int add_row(struct frame_matching *m, const struct td_match_row *row, uint64_t all_words)
{
    load_frame(m, 0);
    m->zones.first = m->zones.count = 0;
    for (uint64_t word = 0; word * WORD < row->zones; word++) {
        const uint64_t bits = td_match_word(row, word);
        if (m->job && m->words_seen++ % CHECK_EVERY == 0) {
            if (td_job_cancelled(m->job))
                return TD_E_STOPPED;
            td_job_set_progress(m->job, m->words_seen, all_words);
        }
        if (bits)
            add_word(m, row, word, bits);
    }
    return 0;
}

static void sum_blocks(struct td_frame_matches *made)
{
    for (size_t i = 0; i < made->frames; i++) {
        float *most = &made->most[i / TD_FRAME_BLOCK];
        *most = made->ns[i] > *most ? made->ns[i] : *most;
        made->found += made->ns[i] > 0;
    }
}

int td_frame_matches_make(struct td_frame_matches *made, const struct td_trace *trace, uint32_t set,
                          const struct td_matches *matches, const struct td_lane_choice *lanes,
                          int64_t now_ns, struct td_job *job)
{
    struct frame_matching *m = calloc(1, sizeof *m);
    uint64_t words = 0;
    int rc = 0;
    *made = (struct td_frame_matches){.frames = td_trace_frames(trace, set)};
    made->ns = calloc(made->frames + 1, sizeof *made->ns);
    made->most = calloc(made->frames / TD_FRAME_BLOCK + 1, sizeof *made->most);
    if (!m || !made->ns || !made->most) {
        free(m);
        return TD_E_NOMEM;
    }
    *m = (struct frame_matching){.made = made, .trace = trace, .set = set, .now_ns = now_ns, .job = job};
    for (size_t i = 0; matches && i < matches->row_count; i++)
        words += matches->rows[i].zones / WORD + 1;
    for (size_t i = 0; rc == 0 && matches && i < matches->row_count; i++)
        if (td_lane_chosen(lanes, matches->rows[i].track))
            rc = add_row(m, &matches->rows[i], words);
    if (rc == 0)
        sum_blocks(made);
    free(m);
    return rc;
}

void td_frame_matches_free(struct td_frame_matches *made)
{
    free(made->ns);
    free(made->most);
    *made = (struct td_frame_matches){0};
}

float td_frame_matches_most(const struct td_frame_matches *matches, size_t first, size_t end)
{
    float most = 0;
    end = end < matches->frames ? end : matches->frames;
    for (size_t i = first; i < end;) {
        const bool block = i % TD_FRAME_BLOCK == 0 && i + TD_FRAME_BLOCK <= end;
        const float ns = block ? matches->most[i / TD_FRAME_BLOCK] : matches->ns[i];
        most = ns > most ? ns : most;
        i += block ? TD_FRAME_BLOCK : 1;
    }
    return most;
}
