/* The header of the page: what was recorded, when, where. */
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"
#include "host/trace/note_kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void begin_fact(FILE *to, const char *name)
{
    fprintf(to, "<div><dt>%s</dt><dd>", name);
}

static void end_fact(FILE *to)
{
    fputs("</dd></div>\n", to);
}

static void write_fact(FILE *to, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    begin_fact(to, name);
    td_markup_cut(to, value, 600);
    end_fact(to);
}

static void write_count(FILE *to, const char *name, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    write_fact(to, name, text);
}

static void write_date(FILE *to, const char *name, uint64_t seconds)
{
    char text[64];
    struct tm tm;
    const time_t t = (time_t)seconds;
    if (seconds && gmtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
        write_fact(to, name, text);
}

/* The values of a note, separated by commas. */
static void write_notes(FILE *to, const char *name, const struct td_trace *trace, const char *key)
{
    const char *text;
    size_t i = 0;
    for (; (text = td_trace_get_note(trace, key, i)) && i < TD_HTML_CHIPS; i++) {
        if (!i)
            begin_fact(to, name);
        fputs(i ? ", " : "", to);
        td_markup_cut(to, text, 100);
    }
    if (text)
        fputs(" \xe2\x80\xa6", to);
    if (i)
        end_fact(to);
}

/* Lines, as one: "OS: Linux; CPU: ..." */
static void write_machine(FILE *to, const char *text)
{
    if (!text || !*text)
        return;
    fputs("<div class=\"long\"><dt>Machine</dt><dd>", to);
    for (bool first = true; *text; first = false) {
        char line[200];
        const size_t bytes = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(bytes < sizeof line ? bytes : sizeof line - 1), text);
        fputs(first ? "" : "; ", to);
        td_markup_text(to, line);
        text += bytes + strspn(text + bytes, "\n");
    }
    end_fact(to);
}

static void write_trace_facts(FILE *to, const struct td_trace *trace, const struct td_html_cores *cores)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    const struct td_dict *dict = td_trace_dict(trace);
    const char *lost = td_trace_get_note(trace, TD_NOTE_LOST, 0),
               *other = td_trace_get_note(trace, TD_NOTE_LOST_OTHER, 0),
               *bound = td_trace_get_note(trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    char text[100];
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        zones += td_trace_track_zones(trace, t);
    write_fact(to, "Program", info->program);
    write_fact(to, "Capture", info->capture_name);
    write_date(to, "Recorded", info->capture_time_s);
    write_notes(to, "Boards", trace, TD_NOTE_BOARD);
    write_fact(to, "Duration", td_html_time(text, (double)info->last_time_ns));
    write_count(to, "Zones", zones);
    write_count(to, "Cores", cores->count);
    if (lost) {
        snprintf(text, sizeof text, "%s%.20s zones, %.20s other packets",
                 td_trace_get_note(trace, TD_NOTE_LOST_UNKNOWN, 0) ? "at least " : "", lost,
                 other ? other : "0");
        write_fact(to, "Lost", text);
    }
    if (bound) {
        char time[32];
        snprintf(text, sizeof text, "below %s", td_html_time(time, strtod(bound, NULL)));
        write_fact(to, "Clock error", text);
    }
    write_machine(to, info->host_info);
}

void td_html_write_facts(FILE *to, const char *title, const struct td_trace *trace,
                         const struct td_html_ops *ops, const struct td_html_cores *cores)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < ops->count; i++)
        calls += ops->groups[i].calls;
    fputs("<dl class=\"facts\">\n", to);
    write_fact(to, "Trace", title);
    write_count(to, "Operations", calls + ops->open + ops->doubted);
    if (trace)
        write_trace_facts(to, trace, cores);
    fputs("</dl>\n", to);
}
