/* Flame graphs of the page: boxes of zones and samples. The script of the page zooms and searches. */
#include "host/base/hash.h"
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH       960 /* units of the drawing */
#define ROW         17
#define LETTER      6.2
#define COLORS      8
#define LEAST_PART  2000 /* boxes with less than this part of all are left out */
#define LEAST_LABEL 24

struct flame_page {
    const struct td_html_flame *flame;
    uint64_t least; /* total of a box that is drawn */
    uint32_t depth; /* of the deepest one that is drawn */
    size_t drawn;
};

static bool is_drawn(const struct flame_page *p, const struct td_html_box *box)
{
    return box->total && box->total >= p->least && box->depth < TD_HTML_FLAME_ROWS;
}

/* Leaves out small boxes until those that are left are few enough. */
static struct flame_page choose_boxes(const struct td_html_flame *flame)
{
    struct flame_page p = {.flame = flame, .least = flame->boxes[0].total / LEAST_PART + 1};
    for (;; p.least *= 2) {
        p.drawn = p.depth = 0;
        for (size_t i = 0; i < flame->count; i++)
            if (is_drawn(&p, &flame->boxes[i])) {
                p.drawn++;
                p.depth = flame->boxes[i].depth > p.depth ? flame->boxes[i].depth : p.depth;
            }
        if (p.drawn <= TD_HTML_FLAME_BOXES || p.least > UINT64_MAX / 2)
            return p;
    }
}

static void write_total(FILE *to, const struct flame_page *p, double total)
{
    char text[32];
    if (p->flame->is_samples)
        fprintf(to, "%.0f samples", total);
    else
        fputs(td_html_time(text, total), to);
}

static void write_box(FILE *to, const struct flame_page *p, const struct td_html_box *box, double x,
                      double wide)
{
    char percent[32];
    const char *name = box->depth ? box->name : "all";
    const uint32_t y = (box->depth) * ROW;
    const size_t letters = wide > LEAST_LABEL ? (size_t)((wide - 6) / LETTER) : 0;
    fprintf(to, "<g data-t=\"%" PRIu64 "\" data-d=\"%" PRIu32 "\" data-n=\"", box->total, box->depth);
    td_markup_cut(to, name, 200);
    fputs("\"><title>", to);
    td_markup_cut(to, name, 400);
    fputs("\n", to);
    write_total(to, p, (double)box->total);
    fprintf(to, ", %s of all\nitself ",
            td_html_percent(percent, (double)box->total / (double)p->flame->boxes[0].total));
    write_total(to, p, (double)box->self);
    if (box->zones)
        fprintf(to, "\n%" PRIu64 " zones", box->zones);
    fprintf(to,
            "</title><rect class=\"f%u\" x=\"%.2f\" y=\"%" PRIu32 "\" width=\"%.2f\" height=\"%d\"/>"
            "<text x=\"%.2f\" y=\"%" PRIu32 "\">",
            box->depth ? (unsigned)(td_hash(name, strlen(name)) % COLORS) : COLORS, x, y, wide, ROW - 1,
            x + 3, y + 12);
    if (letters > 2)
        td_markup_cut(to, name, letters);
    fputs("</text></g>\n", to);
}

/* 0 or TD_E_NOMEM. */
static int write_boxes(FILE *to, const struct flame_page *p)
{
    const struct td_html_flame *flame = p->flame;
    double *next = calloc(TD_HTML_FLAME_ROWS + 1, sizeof *next); /* of each row: where a box begins */
    if (!next)
        return TD_E_NOMEM;
    for (size_t i = 0; i < flame->count; i++) {
        const struct td_html_box *box = &flame->boxes[i];
        const double wide = (double)box->total / (double)flame->boxes[0].total * WIDTH;
        if (box->depth >= TD_HTML_FLAME_ROWS)
            continue;
        if (is_drawn(p, box))
            write_box(to, p, box, next[box->depth], wide);
        next[box->depth + 1] = next[box->depth];
        next[box->depth] += wide;
    }
    free(next);
    return 0;
}

static int write_flame(FILE *to, const struct td_html_flame *flame, const char *id, const char *title)
{
    if (!flame->count || !flame->boxes[0].total)
        return 0;
    const struct flame_page p = choose_boxes(flame);
    fprintf(to,
            "<h3>%s</h3>\n<div class=\"flame\" id=\"%s\"><p class=\"flame-tools\" hidden>"
            "<input type=\"search\" placeholder=\"name\" aria-label=\"Search\"> "
            "<button type=\"button\">All</button> <output></output></p>\n"
            "<svg viewBox=\"0 0 %d %" PRIu32 "\" role=\"img\" aria-label=\"%s\">\n",
            title, id, WIDTH, (p.depth + 1) * ROW, title);
    const int rc = write_boxes(to, &p);
    fputs("</svg></div>\n", to);
    td_html_left_out(to, flame->count - p.drawn, "boxes, with less time");
    return rc;
}

int td_html_write_flames(FILE *to, const struct td_html_flames *flames)
{
    const bool any = (flames->zones.count && flames->zones.boxes[0].total) ||
                     (flames->samples.count && flames->samples.boxes[0].total);
    int rc = write_flame(to, &flames->zones, "flame-zones", "Zones of all threads and cores");
    rc = rc ? rc : write_flame(to, &flames->samples, "flame-samples", "Samples of all threads and cores");
    if (any)
        fputs("<p class=\"note\">A box is as wide as the time of the zones of a name, or as its samples, "
              "within "
              "the box above it. What is free below it is its own.</p>\n",
              to);
    else
        fputs("<p>The trace has no zone that has ended, and no samples.</p>\n", to);
    return rc;
}
