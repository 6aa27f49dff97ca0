/* The cores of the page, on the grid of their chip. */
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TILE   44 /* units of the drawing: a tile, and the space for labels */
#define LABELS 18

/* Parts of the chip's time. */
struct shares {
    double busy, wait, stall; /* busy: without waits and stalls */
};

static struct shares shares_of(const struct td_html_core *core, int64_t window_ns)
{
    const double window = window_ns > 0 ? (double)window_ns : 1;
    const double busy = (double)core->busy_ns, inside = (double)(core->stall_ns - core->gap_ns);
    const double stall = fmin(inside, busy), wait = fmin((double)core->wait_ns, busy - stall);
    return (struct shares){fmin((busy - stall - wait) / window, 1), fmin(wait / window, 1),
                           fmin((stall + (double)core->gap_ns) / window, 1)};
}

/* The last word of the track's name: BRISC. */
static const char *core_name(const struct td_trace *trace, const struct td_html_core *core)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const char *name = td_dict_text(dict, td_dict_get_track(dict, core->track)->name),
               *word = strrchr(name, ' ');
    return word ? word + 1 : name;
}

static void write_share(FILE *to, const char *class, double x, double width, double *at, double part)
{
    const double height = part * (TILE - 4);
    if (height >= .25)
        fprintf(to, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", class, x,
                *at - height, width, height);
    *at -= height;
}

/* `count` cores of one tile, from `core` on. */
static void write_tile(FILE *to, const struct td_html_chip *chip, const struct td_html_core *core,
                       size_t count, const struct td_trace *trace)
{
    const double left = LABELS + (core->x - chip->x_min) * TILE + 2,
                 top = LABELS + (core->y - chip->y_min) * TILE + 2, column = (TILE - 4.0) / (double)count;
    char busy[32], wait[32], stall[32];
    fprintf(to, "<g><rect class=\"tile\" x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\"/>", left, top,
            TILE - 4, TILE - 4);
    fprintf(to, "<title>tile %d,%d", core->x, core->y);
    for (size_t i = 0; i < count; i++) {
        const struct shares s = shares_of(&core[i], chip->last_ns - chip->first_ns);
        fputs("\n", to);
        td_markup_cut(to, core_name(trace, &core[i]), 40);
        fprintf(to, ": busy %s, wait %s, stall %s", td_html_percent(busy, s.busy),
                td_html_percent(wait, s.wait), td_html_percent(stall, s.stall));
    }
    fputs("</title>", to);
    for (size_t i = 0; i < count; i++) {
        const struct shares s = shares_of(&core[i], chip->last_ns - chip->first_ns);
        double at = top + TILE - 4;
        const double x = left + column * (double)i, width = column > 2 ? column - .8 : column;
        write_share(to, "c-busy", x, width, &at, s.busy);
        write_share(to, "c-wait", x, width, &at, s.wait);
        write_share(to, "c-stall", x, width, &at, s.stall);
    }
    fputs("</g>\n", to);
}

static void write_grid(FILE *to, const struct td_html_chip *chip, const struct td_html_cores *cores,
                       const struct td_trace *trace)
{
    const int columns = chip->x_max - chip->x_min + 1, rows = chip->y_max - chip->y_min + 1;
    const int width = LABELS + columns * TILE, height = LABELS + rows * TILE;
    const bool large = columns <= 4;
    const int scale = large ? 2 : 1;
    fprintf(to, "<svg class=\"chip%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
            large ? " large" : "", width, height, width * scale, height * scale);
    for (int x = 0; x < columns; x++)
        fprintf(to, "<text x=\"%d\" y=\"13\" text-anchor=\"middle\">%d</text>", LABELS + x * TILE + TILE / 2,
                chip->x_min + x);
    for (int y = 0; y < rows; y++)
        fprintf(to, "<text x=\"13\" y=\"%d\" text-anchor=\"end\">%d</text>", LABELS + y * TILE + TILE / 2 + 4,
                chip->y_min + y);
    fputs("\n", to);
    const struct td_html_core *list = cores->list + chip->first;
    for (size_t i = 0, next; i < chip->count; i = next) {
        for (next = i + 1; next < chip->count && list[next].x == list[i].x && list[next].y == list[i].y;)
            next++;
        write_tile(to, chip, &list[i], next - i, trace);
    }
    fputs("</svg>\n", to);
}

static void write_chip(FILE *to, const struct td_html_chip *chip, const struct td_html_cores *cores,
                       const struct td_trace *trace)
{
    struct shares sum = {0, 0, 0};
    char busy[32], wait[32], stall[32], time[32];
    const int64_t window = chip->last_ns > chip->first_ns ? chip->last_ns - chip->first_ns : 0;
    for (size_t i = chip->first; i < chip->first + chip->count; i++) {
        const struct shares s = shares_of(&cores->list[i], window);
        sum.busy += s.busy / (double)chip->count;
        sum.wait += s.wait / (double)chip->count;
        sum.stall += s.stall / (double)chip->count;
    }
    fprintf(to,
            "<figure><figcaption>Chip %" PRIu32 ": %zu core%s; of %s they were busy %s, waited %s and "
            "stalled %s on average</figcaption>\n",
            chip->chip, chip->count, chip->count == 1 ? "" : "s", td_html_time(time, (double)window),
            td_html_percent(busy, sum.busy), td_html_percent(wait, sum.wait),
            td_html_percent(stall, sum.stall));
    write_grid(to, chip, cores, trace);
    fputs("</figure>\n", to);
}

static void write_core_row(FILE *to, const struct td_html_chip *chip, const struct td_html_core *core,
                           const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct shares s = shares_of(core, chip->last_ns - chip->first_ns);
    fputs("<tr>", to);
    td_html_cell_text(to, td_dict_text(dict, td_dict_get_track(dict, core->track)->name));
    td_html_cell_count(to, core->launches);
    td_html_cell_time(to, (double)core->busy_ns);
    td_html_cell_percent(to, s.busy);
    td_html_cell_percent(to, s.wait);
    td_html_cell_percent(to, s.stall);
    fputs("</tr>\n", to);
}

void td_html_write_chips(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace)
{
    size_t drawn = 0, chips = 0, rows = 0;
    fputs(
        "<p class=\"legend\"><span class=\"key c-busy\"></span>busy <span class=\"key c-wait\"></span>waits "
        "<span class=\"key c-stall\"></span>stalls and gaps of the lane <span class=\"key tile\"></span>idle"
        "</p>\n<div class=\"chips\">\n",
        to);
    for (; chips < cores->chip_count && chips < TD_HTML_CHIPS; chips++) {
        if (drawn + cores->chips[chips].count > TD_HTML_CORES && drawn)
            break;
        write_chip(to, &cores->chips[chips], cores, trace);
        drawn += cores->chips[chips].count;
    }
    fputs("</div>\n", to);
    td_html_left_out(to, cores->chip_count - chips, "chips");
    fputs("<p class=\"note\">A square is a tile, a column of it a core. The height is the chip's time, from "
          "the "
          "first begin to the last end of a launch. Busy is the time of launches without the waits in "
          "them.</p>\n"
          "<details><summary>Table of cores</summary>\n",
          to);
    td_html_table_begin(to, "core-table", "Cores", "Core|Launches#|In launches#|Busy#|Waits#|Stalls#");
    for (size_t c = 0; c < cores->chip_count; c++)
        for (size_t i = 0; i < cores->chips[c].count && rows < TD_HTML_TABLE_ROWS; i++, rows++)
            write_core_row(to, &cores->chips[c], &cores->list[cores->chips[c].first + i], trace);
    td_html_table_end(to);
    td_html_left_out(to, cores->count - rows, "cores");
    fputs("</details>\n", to);
}
