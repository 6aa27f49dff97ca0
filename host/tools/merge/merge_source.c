#include "host/tools/merge/merge_source.h"
#include "host/base/compare.h"
#include "host/base/path.h"
#include "host/base/time_text.h"
#include "host/file/format.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

/* ---- the rule ---- */

static int parse_frame(const char *text, struct merge_rule *rule, struct td_err *err)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    unsigned long long number = colon ? strtoull(colon + 1, &end, 10) : 0;
    if (!colon || end == colon + 1 || *end || colon[1] == '-' || colon - text >= (int)sizeof rule->set)
        return td_fail(err, TD_E_USAGE,
                       "--align frame:SET:N: '%.100s' is not the name of a frame set and a number", text);
    snprintf(rule->set, sizeof rule->set, "%.*s", (int)(colon - text), text);
    rule->frame = number;
    return 0;
}

int merge_rule_parse(const char *text, struct merge_rule *rule, struct td_err *err)
{
    *rule = (struct merge_rule){.by = MERGE_BY_CLOCK};
    if (!text || !strcmp(text, "clock"))
        return 0;
    if (!strcmp(text, "first")) {
        rule->by = MERGE_BY_FIRST;
        return 0;
    }
    if (!strncmp(text, "message:", 8) && text[8]) {
        rule->by = MERGE_BY_MESSAGE;
        rule->text = text + 8;
        return 0;
    }
    if (!strncmp(text, "frame:", 6)) {
        rule->by = MERGE_BY_FRAME;
        return parse_frame(text + 6, rule, err);
    }
    return td_fail(err, TD_E_USAGE, "--align: '%.100s' is not clock, first, message:TEXT or frame:SET:N",
                   text);
}

/* ---- one trace ---- */

static int64_t find_first(const struct td_trace *trace)
{
    int64_t first = INT64_MAX;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++) {
        const struct td_series *row = td_trace_row(trace, t, 0);
        int64_t start = row ? td_series_get(row, 0, TD_ZONE_START) : INT64_MAX;
        first = start < first ? start : first;
    }
    if (td_trace_messages(trace) && td_trace_message(trace, 0).time_ns < first)
        first = td_trace_message(trace, 0).time_ns;
    return first == INT64_MAX ? TD_UNKNOWN_NS : first;
}

static int64_t find_message(const struct td_trace *trace, const char *text)
{
    size_t count = td_trace_messages(trace);
    for (size_t i = 0; i < count; i++) {
        struct td_message m = td_trace_message(trace, i);
        if (strstr(td_dict_text(td_trace_dict(trace), m.text), text))
            return m.time_ns;
    }
    return TD_UNKNOWN_NS;
}

static int64_t find_frame(const struct td_trace *trace, const char *set, uint64_t number)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (uint32_t i = 0; i < td_dict_frame_set_count(dict); i++) {
        const char *name = i ? td_dict_text(dict, td_dict_get_frame_set(dict, i, NULL)) : "Frame";
        if (!strcmp(name, set) && number < td_trace_frames(trace, i))
            return td_trace_frame(trace, i, number).start_ns;
    }
    return TD_UNKNOWN_NS;
}

static int find_mark(struct merge_source *s, const struct td_trace *trace, const struct merge_rule *rule,
                     struct td_err *err)
{
    s->mark_ns = TD_UNKNOWN_NS;
    switch (rule->by) {
    case MERGE_BY_CLOCK:
        return 0;
    case MERGE_BY_FIRST:
        s->mark_ns = find_first(trace);
        break;
    case MERGE_BY_MESSAGE:
        s->mark_ns = find_message(trace, rule->text);
        break;
    case MERGE_BY_FRAME:
        s->mark_ns = find_frame(trace, rule->set, rule->frame);
    }
    if (s->mark_ns != TD_UNKNOWN_NS)
        return 0;
    if (rule->by == MERGE_BY_MESSAGE)
        return td_fail(err, TD_E_NOTFOUND, "%s has no message with the text '%.100s'", s->path, rule->text);
    if (rule->by == MERGE_BY_FRAME)
        return td_fail(err, TD_E_NOTFOUND, "%s has no frame %" PRIu64 " in a set '%.100s'", s->path,
                       rule->frame, rule->set);
    return td_fail(err, TD_E_NOTFOUND, "%s has neither zones nor messages to align by", s->path);
}

int merge_source_look(struct merge_source *s, const struct td_trace *trace, const struct merge_rule *rule,
                      struct td_err *err)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    snprintf(s->program, sizeof s->program, "%s",
             info->program && *info->program ? info->program : "program");
    s->start_s = info->capture_time_s < INT32_MAX ? (int64_t)info->capture_time_s : 0;
    s->last_ns = info->last_time_ns;
    s->zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        s->zones += td_trace_track_zones(trace, t);
    s->has_origin = td_clock_origin_read(trace, &s->origin);
    return find_mark(s, trace, rule, err);
}

/* ---- labels ---- */

static bool is_taken(const struct merge_source *sources, size_t count, size_t but, const char *label)
{
    for (size_t i = 0; i < count; i++)
        if (i != but && !strcmp(sources[i].label, label))
            return true;
    return false;
}

static void label_by_file(struct merge_source *s)
{
    const char *name = td_path_name(s->path);
    size_t bytes = strlen(name);
    if (bytes > 6 && !strcmp(name + bytes - 6, ".tracy"))
        bytes -= 6;
    snprintf(s->label, sizeof s->label, "%.63s %.*s", s->program, bytes < 64 ? (int)bytes : 64, name);
}

TD_COMPARE(by_path, struct merge_source, TD_UP_TEXT(path))

TD_COMPARE(by_label, struct merge_source, TD_UP_TEXT(label))

/* The order of the sources does not depend on that of the command line, so that the result does not. */
void merge_label(struct merge_source *sources, size_t count)
{
    qsort(sources, count, sizeof *sources, by_path);
    for (size_t i = 0; i < count; i++) {
        bool shared = false;
        for (size_t k = 0; k < count; k++)
            shared |= k != i && !strcmp(sources[i].program, sources[k].program);
        if (sources[i].named)
            continue;
        if (shared)
            label_by_file(&sources[i]);
        else
            snprintf(sources[i].label, sizeof sources[i].label, "%s", sources[i].program);
    }
    for (size_t i = 0; i < count; i++) {
        char label[100];
        snprintf(label, sizeof label, "%.99s", sources[i].label);
        for (unsigned n = 2; is_taken(sources, count, i, sources[i].label); n++)
            snprintf(sources[i].label, sizeof sources[i].label, "%s #%u", label, n);
    }
    qsort(sources, count, sizeof *sources, by_label);
}

/* ---- clocks ---- */

/* The time of day minus the monotonic clock of the source's boot: that of the boot's first source. */
static const struct merge_source *first_of_boot(const struct merge_source *sources, size_t count,
                                                const struct merge_source *s)
{
    for (size_t i = 0; i < count; i++)
        if (sources[i].has_origin && !strcmp(sources[i].origin.boot, s->origin.boot))
            return &sources[i];
    return s;
}

static struct td_time_line mono_line(const struct td_clock_origin *o)
{
    unsigned last = o->pairs - 1;
    return td_time_line_through(o->pair[0].at_ns, o->pair[0].mono_ns, o->pair[last].at_ns,
                                o->pair[last].mono_ns);
}

/* The line to the time of day, and its error next to the other sources. */
static void align_by_clock(struct merge_source *sources, size_t count, struct merge_source *s, bool one_boot)
{
    const struct td_clock_origin *o = &s->origin;
    if (!s->has_origin) {
        /* Tracy stores the second in which the program began. */
        s->line = (struct td_time_line){.offset_ns = s->start_s * SECOND_NS};
        s->error_ns = s->start_s ? SECOND_NS : -1;
        s->by = s->start_s ? "the date of its program's start" : "nothing: it has no date";
        return;
    }
    if (!o->boot[0]) {
        s->line = (struct td_time_line){.offset_ns = o->real_ns};
        s->error_ns = o->real_error_ns;
        s->by = "the time of day";
        return;
    }
    const struct merge_source *base = first_of_boot(sources, count, s);
    struct td_time_line base_line = mono_line(&base->origin);
    int64_t real_minus_mono = base->origin.real_ns - td_time_line_at(&base_line, 0);
    s->line = mono_line(o);
    s->line.offset_ns += real_minus_mono;
    s->error_ns = o->error_ns + (one_boot ? 0 : base->origin.real_error_ns);
    s->by = one_boot ? "its machine's clock" : "its machine's clock and time of day";
}

static bool have_one_boot(const struct merge_source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sources[i].has_origin || !sources[i].origin.boot[0] ||
            strcmp(sources[i].origin.boot, sources[0].origin.boot))
            return false;
    return true;
}

static void align_by_mark(struct merge_source *s, const struct merge_rule *rule)
{
    s->line.offset_ns = -s->mark_ns;
    s->line.drift = 0;
    s->error_ns = -1;
    s->by = rule->by == MERGE_BY_FIRST     ? "its first event"
            : rule->by == MERGE_BY_MESSAGE ? "a message"
                                           : "a frame";
}

/* Such a source begins when the first of the others does. */
static bool is_dateless(const struct merge_source *s, const struct merge_rule *rule)
{
    return rule->by == MERGE_BY_CLOCK && !s->has_origin && !s->start_s;
}

int merge_check_span(const struct merge_source *sources, size_t count, struct td_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct merge_source *s = &sources[i];
        int64_t last_ns = td_time_line_at(&s->line, s->last_ns);
        if (last_ns >= TD_FILE_TIME_LIMIT && s->last_ns < TD_FILE_TIME_LIMIT)
            return td_fail(err, TD_E_LIMIT,
                           "by %s, %.200s ends %" PRId64 " hours after the first trace begins, and a trace "
                           "holds 39: align by first, message or frame, or give an offset",
                           s->by, s->path, last_ns / SECOND_NS / 3600);
    }
    return 0;
}

bool merge_align(struct merge_source *sources, size_t count, const struct merge_rule *rule,
                 struct td_clock_origin *origin)
{
    bool one_boot = have_one_boot(sources, count), one_clock = rule->by == MERGE_BY_CLOCK;
    int64_t first_ns = INT64_MAX, error_ns = 0;
    if (count == 1) {
        sources->line = (struct td_time_line){.offset_ns = sources->added_ns};
        sources->error_ns = 0;
        sources->by = "nothing: it is alone";
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct merge_source *s = &sources[i];
        if (rule->by == MERGE_BY_CLOCK)
            align_by_clock(sources, count, s, one_boot);
        else
            align_by_mark(s, rule);
        one_clock = one_clock && s->has_origin && !s->added_ns;
        error_ns = s->error_ns > error_ns ? s->error_ns : error_ns;
        s->line.offset_ns += s->added_ns;
        int64_t zero_ns = td_time_line_at(&s->line, 0);
        if (!is_dateless(s, rule))
            first_ns = zero_ns < first_ns ? zero_ns : first_ns;
    }
    first_ns = first_ns == INT64_MAX ? 0 : first_ns;
    for (size_t i = 0; i < count; i++)
        if (!is_dateless(&sources[i], rule))
            sources[i].line.offset_ns -= first_ns;
    if (!one_clock)
        return false;
    *origin = sources[0].origin;
    origin->real_ns = first_ns;
    if (!one_boot) {
        origin->boot[0] = 0;
        origin->real_error_ns = error_ns > origin->real_error_ns ? error_ns : origin->real_error_ns;
        return true;
    }
    struct td_time_line line = mono_line(&sources[0].origin);
    int64_t zero_mono_ns = td_time_line_at(&line, 0) - td_time_line_at(&sources[0].line, 0);
    origin->pairs = 1;
    origin->pair[0].at_ns = 0;
    origin->pair[0].mono_ns = zero_mono_ns;
    origin->error_ns = error_ns;
    return true;
}

void merge_describe(const struct merge_source *s, char *text, size_t bytes)
{
    char bound[40];
    int n = snprintf(text, bytes, "%s: aligned by %s", s->label, s->by);
    if (s->error_ns >= 0 && n > 0 && (size_t)n < bytes)
        n += snprintf(text + n, bytes - (size_t)n, ", within %s",
                      td_time_text(bound, sizeof bound, (double)s->error_ns, TD_TIME_WHOLE));
    if (s->added_ns && n > 0 && (size_t)n < bytes)
        snprintf(text + n, bytes - (size_t)n, ", moved by %" PRId64 " ns", s->added_ns);
}
