/* What is known of the clocks: the bound on the error of device times, over time, and the clocks themselves. */
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"
#include "host/trace/clock_parts.h"
#include "host/trace/note_kinds.h"

#include <stdlib.h>

#define WIDTH  960 /* units of the drawing: a chip's curve, the labels before it */
#define HEIGHT 60
#define LABELS 180

/* The parts of a chip, from *note on, as a curve. *note: the first note of another chip. */
static void write_curve(FILE *to, const struct td_trace *trace, size_t *note, uint64_t most_ns)
{
    const double end = (double)td_trace_get_info(trace)->last_time_ns, base = HEIGHT - 1;
    struct td_clock_part first, part;
    const char *text = td_trace_get_note(trace, TD_NOTE_CLOCK_PART, *note);
    char time[32];
    uint64_t worst = 0;
    if (!text || !td_clock_part_read(text, &first)) {
        (*note)++;
        return;
    }
    fprintf(to,
            "<svg class=\"overview\" viewBox=\"0 0 %d %d\" role=\"img\"><text x=\"%d\" y=\"%d\" "
            "text-anchor=\"end\">chip %u</text><path class=\"o-host\" d=\"M%d %.1f",
            LABELS + WIDTH + 4, HEIGHT, LABELS - 8, HEIGHT / 2 + 4, (unsigned)first.chip, LABELS, base);
    for (; (text = td_trace_get_note(trace, TD_NOTE_CLOCK_PART, *note)) && td_clock_part_read(text, &part) &&
           part.chip == first.chip;
         (*note)++) {
        const double at = end > 0 && part.from_ns > 0 ? (double)part.from_ns / end : 0;
        fprintf(to, "H%.1fV%.1f", LABELS + WIDTH * (at < 1 ? at : 1),
                base - (HEIGHT - 4) * (double)part.bound_ns / (double)most_ns);
        worst = part.bound_ns > worst ? part.bound_ns : worst;
    }
    fprintf(to,
            "H%dV%.1fZ\"><title>chip %u: at most %s</title></path><path class=\"grid\" d=\"M%d "
            "%.1fH%d\"/></svg>\n",
            LABELS + WIDTH, base, (unsigned)first.chip, td_html_time(time, (double)worst), LABELS, base,
            LABELS + WIDTH);
}

static void write_curves(FILE *to, const struct td_trace *trace)
{
    struct td_clock_part part;
    uint64_t most = 0;
    char time[32], end[32];
    for (size_t next = 0; td_clock_part_next(trace, &next, &part);)
        most = part.bound_ns > most ? part.bound_ns : most;
    if (!most)
        return;
    fprintf(
        to,
        "<p class=\"legend\">Bound on the error over the time of the trace, %s; the full height is %s</p>\n",
        td_html_time(end, (double)td_trace_get_info(trace)->last_time_ns), td_html_time(time, (double)most));
    size_t note = 0, chips = 0;
    for (; chips < TD_HTML_CHIPS && td_trace_get_note(trace, TD_NOTE_CLOCK_PART, note); chips++)
        write_curve(to, trace, &note, most);
    if (td_trace_get_note(trace, TD_NOTE_CLOCK_PART, note))
        fputs("<p class=\"left-out\">Left out: further chips.</p>\n", to);
}

static bool write_list(FILE *to, const struct td_trace *trace, const struct td_note *note, bool any)
{
    const char *text;
    for (size_t i = 0; note->clock && (text = td_trace_get_note(trace, note->key, i)); i++) {
        if (i >= TD_HTML_LINES)
            continue;
        fputs(any ? "<li>" : "<ul><li>", to);
        any = true;
        fputs(note->clock, to);
        td_markup_cut(to, text, 300);
        fputs("</li>\n", to);
    }
    return any;
}

void td_html_write_clock(FILE *to, const struct td_trace *trace)
{
    const char *bound = td_trace_get_note(trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    char time[32];
    bool any = false;
    if (bound)
        fprintf(to, "<p>Times of the devices are within %s of the host's.</p>\n",
                td_html_time(time, strtod(bound, NULL)));
    else
        fputs("<p>The trace has no bound on the error of device times.</p>\n", to);
    write_curves(to, trace);
    for (const struct td_note *note = td_notes; note < td_notes + TD_NOTE_KIND_COUNT; note++)
        any = write_list(to, trace, note, any);
    fputs(any ? "</ul>\n" : "", to);
}
