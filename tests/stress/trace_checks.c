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
    int since, gpu_since; /* the first zones of the session */
    int found[RANDOM_ZONES], gpu_found[RANDOM_GPU], cut, lost, faults;
    int64_t track_of[RANDOM_TRACKS]; /* of the trace; -1: not seen yet */
    uint32_t context[RANDOM_CONTEXTS];
    int64_t gpu_zero[RANDOM_CONTEXTS]; /* ns at the GPU's time 0 */
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
    const int around = zone->parent < c->since ? -1 : zone->parent;
    if (c->is_part ? parent >= 0 && !is_around(log, parent, i) : parent != around)
        FAULT(c, "zone z%d is in z%d instead of z%d", i, parent, around);
    if (c->track_of[zone->track] < 0)
        c->track_of[zone->track] = track;
    if (c->track_of[zone->track] != track && !c->is_part)
        FAULT(c, "zone z%d is in another track than those before", i);
    check_extra(c, i, (uint64_t)td_series_get(row, at, TD_ZONE_EXTRA));
}

static void check_gpu_zone(struct check *c, uint32_t context, const struct td_series *row, uint64_t at, int i)
{
    const int64_t start = td_series_get(row, at, TD_ZONE_START),
                  length = td_series_get(row, at, TD_ZONE_DURATION);
    const struct random_gpu *zone = &c->log->gpu_zone[i];
    if (c->gpu_found[i]++)
        FAULT(c, "GPU zone g%d is there twice", i);
    const int64_t query = td_series_get(row, at, TD_ZONE_QUERY);
    const bool begins = !(query & TD_ZONE_NO_START),
               ends = begins && length >= 0 && !(query & TD_ZONE_NO_END);
    if (c->is_part ? begins > zone->has_time[0] || ends > zone->has_time[1]
                   : begins != zone->has_time[0] || ends != zone->has_time[1])
        FAULT(c, "GPU zone g%d: begins %d, ends %d instead of %d, %d", i, begins, ends, zone->has_time[0],
              zone->has_time[1]);
    if (!begins)
        return;
    if (!c->context[zone->context]) {
        c->context[zone->context] = context;
        c->gpu_zero[zone->context] = start - zone->time[0];
    }
    const int64_t zero = c->gpu_zero[zone->context];
    if (context != c->context[zone->context])
        FAULT(c, "GPU zone g%d is in another context than those before", i);
    if (start - zero != zone->time[0] || (ends && start + length - zero != zone->time[1]))
        FAULT(c, "GPU zone g%d: %" PRId64 " to %" PRId64 " instead of %" PRId64 " to %" PRId64, i,
              start - zero, start + length - zero, zone->time[0], zone->time[1]);
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
        const uint32_t context = td_dict_get_track(dict, track)->context;
        const int i = name[0] == (context ? 'g' : 'z') ? atoi(name + 1) : -1,
                  first = context ? c->gpu_since : c->since, end = context ? c->log->gpu : c->log->zones;
        if (i < first || i >= end || place->line != (uint32_t)i + 1)
            FAULT(c, "a zone '%s' that was not marked", name);
        else if (context)
            check_gpu_zone(c, context, row, at, i);
        else
            check_zone(c, track, row, at, parent, i);
        const uint64_t inner = at ? (uint64_t)td_series_get(row, at - 1, TD_ZONE_CHILD_END) : 0,
                       inner_end = (uint64_t)td_series_get(row, at, TD_ZONE_CHILD_END);
        if (inner < inner_end)
            check_zones(c, track, depth + 1, inner, inner_end, i);
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
        FAULT(c, "%d unmatched markers instead of %d, %d of them without a report", unmatched,
              c->log->unmatched + short_ones, short_ones);
    const int cut = noted(c->trace, "tendril.client.unmatched", "never ended");
    if (cut != c->cut)
        FAULT(c, "%d zones ended with the zone around them, %d are said to", c->cut, cut);
}

static void check_missing(struct check *c)
{
    for (int i = c->since; i < c->log->zones; i++)
        if (!c->found[i])
            FAULT(c, "zone z%d is missing", i);
    for (int i = c->gpu_since; i < c->log->gpu; i++)
        if (!c->gpu_found[i])
            FAULT(c, "GPU zone g%d is missing", i);
}

bool check_trace(const struct td_trace *trace, const struct random_log *log, const struct random_log *since,
                 enum check_how how)
{
    struct check *c = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->trace = trace;
    c->log = log;
    c->is_part = how != CHECK_ALL;
    c->since = since ? since->zones : 0;
    c->gpu_since = since ? since->gpu : 0;
    c->lost = noted(trace, "tendril.client.lost", "left open inside");
    memset(c->track_of, 0xff, sizeof c->track_of);
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    for (uint32_t t = 0; t < tracks; t++) {
        const struct td_series *roots = td_trace_row(trace, t, 0);
        if (roots)
            check_zones(c, t, 0, 0, td_series_count(roots), -1);
    }
    if (td_trace_clamped(trace))
        FAULT(c, "%llu times were changed", (unsigned long long)td_trace_clamped(trace));
    if (how != CHECK_PART)
        check_missing(c);
    if (how == CHECK_ALL && !since)
        check_reports(c);
    const bool ok = !c->faults;
    const char *note;
    for (size_t i = 0; !ok && (note = td_trace_get_note(trace, TD_NOTE_INSTRUMENTATION, i)) != NULL; i++)
        printf("  reported: %s\n", note);
    free(c);
    return ok;
}
