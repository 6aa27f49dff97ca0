/* Host threads and chips over the time of the trace. */
#include "host/base/compare.h"
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"
#include "host/trace/walk.h"

#include <inttypes.h>
#include <stdlib.h>

#define WIDTH  960 /* units of the drawing: the lanes, the labels before them, a lane */
#define LABELS 180
#define LANE   30
#define TICKS  6

struct overview_thread {
    uint32_t track;
    int64_t busy_ns;
    double bins[BINS];
};

struct page_overview {
    const struct td_trace *trace;
    int64_t end_ns;
    struct td_zones *zones; /* a block */
    struct overview_thread *threads;
    size_t count;
};

/* Passes the outermost zones of a track that are no gaps: sums, and bins if there are any. */
static int64_t read_thread(const struct page_overview *o, uint32_t track, double *bins)
{
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    int64_t busy = 0;
    for (uint64_t first = 0; td_trace_zones_read(o->trace, track, 0, first, columns, o->zones);
         first += o->zones->count)
        for (uint32_t i = 0; i < o->zones->count; i++) {
            const int64_t start = o->zones->column[TD_ZONE_START][i],
                          ns = o->zones->column[TD_ZONE_DURATION][i],
                          end = ns < 0 ? (o->end_ns > start ? o->end_ns : start) : start + ns;
            busy += end - start;
            if (bins)
                td_html_bins_add(bins, start, end, o->end_ns);
        }
    return busy;
}

TD_COMPARE(by_busy, struct overview_thread, TD_DOWN(busy_ns) TD_UP(track))

static bool is_host_thread(const struct td_track *track)
{
    return track->kind == TD_TRACK_THREAD && !track->context && !td_track_is_core(track);
}

/* Keeps the TD_HTML_THREADS busiest threads; returns how many threads with zones there are. */
static size_t choose_threads(struct page_overview *o)
{
    const struct td_dict *dict = td_trace_dict(o->trace);
    size_t all = 0;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        struct overview_thread thread = {.track = t};
        if (!is_host_thread(td_dict_get_track(dict, t)) || !td_trace_rows(o->trace, t))
            continue;
        all++;
        thread.busy_ns = read_thread(o, t, NULL);
        if (o->count < TD_HTML_THREADS)
            o->threads[o->count++] = thread;
        else if (by_busy(&thread, &o->threads[o->count - 1]) < 0)
            o->threads[o->count - 1] = thread;
        else
            continue;
        qsort(o->threads, o->count, sizeof *o->threads, by_busy);
    }
    for (size_t i = 0; i < o->count; i++)
        read_thread(o, o->threads[i].track, o->threads[i].bins);
    return all;
}

static void write_lane_name(FILE *to, size_t lane, const char *name)
{
    fprintf(to, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">", LABELS - 8, lane * LANE + LANE / 2 + 4);
    td_markup_cut(to, name, 26);
    fputs("</text>", to);
}

/* A filled curve of `bins`, each a part of `whole`. */
static void write_curve(FILE *to, size_t lane, const char *class, const double *bins, double whole,
                        const char *name, const char *what)
{
    const double bottom = (double)lane * LANE + LANE - 3, width = (double)WIDTH / BINS;
    double sum = 0;
    char percent[32];
    fprintf(to, "<path class=\"%s\" d=\"M%d %.1f", class, LABELS, bottom);
    for (int i = 0; i < BINS; i++) {
        const double part = whole > 0 ? bins[i] / whole : 0, shown = part < 1 ? part : 1;
        sum += shown / BINS;
        fprintf(to, "V%.1fh%.1f", bottom - shown * (LANE - 6), width);
    }
    fprintf(to, "V%.1fZ\"><title>", bottom);
    td_markup_cut(to, name, 200);
    fprintf(to, ": %s %s of the trace</title></path>\n", what, td_html_percent(percent, sum));
}

static void write_axis(FILE *to, size_t lanes, int64_t end_ns)
{
    char time[32];
    const size_t bottom = lanes * LANE;
    for (int i = 0; i <= TICKS; i++) {
        const double x = LABELS + (double)WIDTH * i / TICKS;
        fprintf(
            to,
            "<path class=\"grid\" d=\"M%.1f 0V%zu\"/><text x=\"%.1f\" y=\"%zu\" text-anchor=\"%s\">%s</text>",
            x, bottom, x, bottom + 16,
            i == 0       ? "start"
            : i == TICKS ? "end"
                         : "middle",
            td_html_time(time, (double)end_ns * i / TICKS));
    }
    fputs("\n", to);
}

static void write_lanes(FILE *to, const struct page_overview *o, const struct td_html_cores *cores,
                        size_t chips)
{
    const struct td_dict *dict = td_trace_dict(o->trace);
    const double bin_ns = (double)o->end_ns / BINS;
    const size_t lanes = o->count + chips;
    fprintf(to, "<svg class=\"overview\" viewBox=\"0 0 %d %zu\" role=\"img\">\n", LABELS + WIDTH + 4,
            lanes * LANE + 22);
    write_axis(to, lanes, o->end_ns);
    for (size_t i = 0; i < o->count; i++) {
        const char *name = td_dict_text(dict, td_dict_get_track(dict, o->threads[i].track)->name);
        write_lane_name(to, i, name);
        write_curve(to, i, "o-host", o->threads[i].bins, bin_ns, name, "in zones for");
    }
    for (size_t c = 0; c < chips; c++) {
        const struct td_html_chip *chip = &cores->chips[c];
        const double whole = bin_ns * (double)chip->count;
        char name[48];
        snprintf(name, sizeof name, "chip %" PRIu32 ", %zu core%s", chip->chip, chip->count,
                 chip->count == 1 ? "" : "s");
        write_lane_name(to, o->count + c, name);
        write_curve(to, o->count + c, "o-busy", chip->busy, whole, name, "in launches for");
        write_curve(to, o->count + c, "o-wait", chip->wait, whole, name, "waits for");
    }
    fputs("</svg>\n", to);
}

int td_html_write_overview(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace,
                           struct td_err *err)
{
    struct page_overview o = {.trace = trace,
                              .end_ns = cores->end_ns,
                              .zones = malloc(sizeof *o.zones),
                              .threads = calloc(TD_HTML_THREADS, sizeof *o.threads)};
    const size_t chips = cores->chip_count < TD_HTML_CHIPS ? cores->chip_count : TD_HTML_CHIPS;
    int rc = o.zones && o.threads ? 0 : td_fail_no_memory(err, NULL);
    if (rc == 0) {
        const size_t all = choose_threads(&o);
        fputs("<p class=\"legend\"><span class=\"key o-host\"></span>host thread in zones <span class=\"key "
              "o-busy\">"
              "</span>cores in launches <span class=\"key o-wait\"></span>of these, waits</p>\n",
              to);
        if (o.count + chips && o.end_ns > 0)
            write_lanes(to, &o, cores, chips);
        else
            fputs("<p>The trace has no zones.</p>\n", to);
        td_html_left_out(to, all - o.count, "threads, which are less busy");
        td_html_left_out(to, cores->chip_count - chips, "chips");
    }
    free(o.threads);
    free(o.zones);
    return rc;
}
