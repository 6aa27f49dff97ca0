#include "tests/stress/trace_checks.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
    const struct td_trace *trace;
    const struct random_log *log;
    bool is_part;
    int found[RANDOM_ZONES], cut, lost, faults;
    int64_t track_of[RANDOM_TRACKS]; /* of the trace; -1: not seen yet */
    int gpu, gpu_at[RANDOM_GPU];
    int64_t gpu_first;
};

#define FAULT(check, ...) (printf("  " __VA_ARGS__), putchar('\n'), (check)->faults++)

static int64_t ns_of(const struct random_log *log, int64_t ticks)
{
    return (int64_t)((double)(ticks - log->begin_ticks) * log->tick_ns);
}

static bool is_within(const struct random_log *log, int64_t ns, const int64_t ticks[2])
{
    const int64_t slack = 20 + ns_of(log, ticks[0]) / 100000; /* the rate is measured */
    return ns >= ns_of(log, ticks[0]) - slack && ns <= ns_of(log, ticks[1]) + slack;
}

/* The number in front of `says` in a note of the client. */
static int noted(const struct td_trace *trace, const char *key, const char *says)
{
    const char *note;
    for (size_t i = 0; (note = td_trace_get_note(trace, key, i)) != NULL; i++)
        if (strstr(note, says))
            return atoi(note);
    return 0;
}

static void check_extra(struct check *c, int i, uint64_t extra)
{
    const struct td_series *extras = td_trace_table(c->trace, TD_TABLE_EXTRA);
    const struct td_dict *dict = td_trace_dict(c->trace);
    const struct random_zone *zone = &c->log->zone[i];
    char texts[RANDOM_TEXTS * 40] = "", name[16] = "";
    size_t n = 0;
    for (int t = 0; t < zone->text_count; t++) {
        const int number = abs(zone->texts[t]);
        n += (size_t)snprintf(texts + n, sizeof texts - n, "%s%d", t ? "\n" : "", number);
        if (number != zone->texts[t])
            n += (size_t)snprintf(texts + n, sizeof texts - n, " [0x%x]", (unsigned)number);
    }
    if (zone->name)
        snprintf(name, sizeof name, "%d", zone->name);
    const char *text = td_dict_text(dict, extra ? (uint32_t)td_series_get(extras, extra, TD_EXTRA_TEXT) : 0);
    const char *named = td_dict_text(dict, extra ? (uint32_t)td_series_get(extras, extra, TD_EXTRA_NAME) : 0);
    const int color = extra ? (int)td_series_get(extras, extra, TD_EXTRA_COLOR) : 0;
    /* What waited for the inner zones of a zone that was never ended is lost, and counted. */
    const bool may_lack = c->is_part || (c->lost && !zone->has_ended);
    if (may_lack ? *text && !strstr(texts, text) : strcmp(text, texts) != 0)
        FAULT(c, "zone z%d: text '%s' instead of '%s'", i, text, texts);
    if (!may_lack && (strcmp(named, name) != 0 || color != zone->color))
        FAULT(c, "zone z%d: name '%s', color %d instead of '%s', %d", i, named, color, name, zone->color);
}

static bool is_around(const struct random_log *log, int outer, int inner)
{
    while (inner >= 0 && inner != outer)
        inner = log->zone[inner].parent;
    return inner == outer;
}

static void check_zone(struct check *c, uint32_t track, const struct td_series *row, uint64_t at, int parent,
                       int i)
{
    const struct random_log *log = c->log;
    const struct random_zone *zone = &log->zone[i];
    const int64_t start = td_series_get(row, at, TD_ZONE_START),
                  length = td_series_get(row, at, TD_ZONE_DURATION);
    if (c->found[i]++)
        FAULT(c, "zone z%d is there twice", i);
    if (zone->begin[1] && !is_within(log, start, zone->begin))
        FAULT(c, "zone z%d begins at %" PRId64 " instead of %" PRId64, i, start, ns_of(log, zone->begin[0]));
    if (length < 0 && zone->has_ended && !c->is_part)
        FAULT(c, "zone z%d has no end", i);
    if (length >= 0 && zone->has_ended && !c->is_part && !is_within(log, start + length, zone->end))
        FAULT(c, "zone z%d ends at %" PRId64 " instead of %" PRId64, i, start + length,
              ns_of(log, zone->end[0]));
    c->cut += length >= 0 && !zone->has_ended && !zone->end[0];
    if (c->is_part ? parent >= 0 && !is_around(log, parent, i) : parent != zone->parent)
        FAULT(c, "zone z%d is in z%d instead of z%d", i, parent, zone->parent);
    if (c->track_of[zone->track] < 0)
        c->track_of[zone->track] = track;
    if (c->track_of[zone->track] != track && !c->is_part)
        FAULT(c, "zone z%d is in another track than those before", i);
    check_extra(c, i, (uint64_t)td_series_get(row, at, TD_ZONE_EXTRA));
}

static void check_gpu_zone(struct check *c, const struct td_series *row, uint64_t at)
{
    const int64_t start = td_series_get(row, at, TD_ZONE_START),
                  length = td_series_get(row, at, TD_ZONE_DURATION);
    const int i = c->gpu++;
    if (i >= c->log->gpu || c->is_part)
        return;
    const struct random_gpu *zone = &c->log->gpu_zone[i];
    if (i == 0)
        c->gpu_first = start - zone->time[0];
    if (start - c->gpu_first != zone->time[0] ||
        (zone->has_ended && start + length - c->gpu_first != zone->time[1]))
        FAULT(c, "GPU zone %d: %" PRId64 " to %" PRId64, i, start - c->gpu_first,
              start + length - c->gpu_first);
}

static void check_zones(struct check *c, uint32_t track, uint32_t depth, uint64_t from, uint64_t to,
                        int parent)
{
    const struct td_series *row = td_trace_row(c->trace, track, depth);
    const struct td_dict *dict = td_trace_dict(c->trace);
    for (uint64_t at = from; at < to; at++) {
        const char *name = td_dict_zone_name(dict, (uint32_t)td_series_get(row, at, TD_ZONE_SRCLOC));
        const struct td_srcloc *place =
            td_dict_get_srcloc(dict, (uint32_t)td_series_get(row, at, TD_ZONE_SRCLOC));
        const int i = name[0] == 'z' ? atoi(name + 1) : -1;
        if (td_dict_get_track(dict, track)->context)
            check_gpu_zone(c, row, at);
        else if (c->is_part && !strcmp(name, "???")) /* the program was killed before it was asked */
            continue;
        else if (i < 0 || i >= c->log->zones || place->line != (uint32_t)i + 1)
            FAULT(c, "a zone '%s' that was never marked", name);
        else
            check_zone(c, track, row, at, parent, i);
        const uint64_t first = at ? (uint64_t)td_series_get(row, at - 1, TD_ZONE_CHILD_END) : 0,
                       end = (uint64_t)td_series_get(row, at, TD_ZONE_CHILD_END);
        if (first < end)
            check_zones(c, track, depth + 1, first, end, i);
    }
}

/* The number before " in all" of the note that begins so; 0: there is none. */
static int reported(const struct td_trace *trace, const char *says)
{
    const char *note;
    for (size_t i = 0; (note = td_trace_get_note(trace, TD_NOTE_INSTRUMENTATION, i)) != NULL; i++) {
        const char *count = strstr(note, " in all");
        if (strncmp(note, says, strlen(says)) != 0 || !count)
            continue;
        while (count > note && count[-1] != ' ')
            count--;
        return atoi(count);
    }
    return 0;
}

static void check_reports(struct check *c)
{
    static const char *const says[RANDOM_FAULTS] = {
        "zone ended", "text for a zone that is not open", "name for a zone that is not open",
        "color for a zone that is not open", "value for a zone that is not open"};
    int short_ones = 0;
    for (int kind = 0; kind < RANDOM_FAULTS; kind++) {
        int count = reported(c->trace, kind == RANDOM_END ? "zone ended out of order" : says[kind]);
        if (kind == RANDOM_END)
            count += reported(c->trace, "zone ended twice");
        /* The short record of a zone that another thread has ended does not say which interface it is of. */
        short_ones += c->log->faults[kind] - count;
        if (count > c->log->faults[kind])
            FAULT(c, "%d reports '%s' instead of %d", count, says[kind], c->log->faults[kind]);
    }
    const int unmatched = noted(c->trace, "tendril.client.unmatched", "outside of every zone");
    if (unmatched != c->log->unmatched + short_ones)
        FAULT(c, "%d unmatched markers instead of %d", unmatched, c->log->unmatched);
    const int cut = noted(c->trace, "tendril.client.unmatched", "never ended");
    if (cut != c->cut)
        FAULT(c, "%d zones ended with the zone around them, %d are said to", c->cut, cut);
}

bool check_trace(const struct td_trace *trace, const struct random_log *log, bool is_part)
{
    struct check *c = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->trace = trace;
    c->log = log;
    c->is_part = is_part;
    c->lost = noted(trace, "tendril.client.lost", "left open inside");
    memset(c->track_of, 0xff, sizeof c->track_of);
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    for (uint32_t t = 0; t < tracks; t++) {
        const struct td_series *roots = td_trace_row(trace, t, 0);
        if (roots)
            check_zones(c, t, 0, 0, td_series_count(roots), -1);
    }
    for (int i = 0; !is_part && i < log->zones; i++)
        if (!c->found[i])
            FAULT(c, "zone z%d is missing", i);
    if (!is_part && (c->gpu != log->gpu))
        FAULT(c, "%d GPU zones instead of %d", c->gpu, log->gpu);
    if (!is_part)
        check_reports(c);
    const bool ok = !c->faults;
    const char *note;
    for (size_t i = 0; !ok && (note = td_trace_get_note(trace, TD_NOTE_INSTRUMENTATION, i)) != NULL; i++)
        printf("  reported: %s\n", note);
    free(c);
    return ok;
}
