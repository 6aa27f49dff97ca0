/* The operations of the page: bars by their time, and a table. */
#include "host/base/compare.h"
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define BAR_WIDTH   1000.0 /* units of the drawing */
#define KERNEL_PART .6     /* of the width, that the longest kernels have at least */

/* The parts of a bar: CSS class, title. */
static const struct {
    const char *class, *title;
} risc_parts[TD_OP_RISC_COUNT] = {
    [TD_OP_BRISC] = {"p-brisc", "BRISC"},
    [TD_OP_NCRISC] = {"p-ncrisc", "NCRISC"},
    [TD_OP_TRISC0] = {"p-trisc0", "TRISC0"},
    [TD_OP_TRISC1] = {"p-trisc1", "TRISC1"},
    [TD_OP_TRISC2] = {"p-trisc2", "TRISC2"},
    [TD_OP_ERISC] = {"p-erisc", "ERISC"},
    [TD_OP_OTHER_RISC] = {"p-other", "other RISCs"},
};

static const char *shown_name(const struct td_html_op_group *group)
{
    return group->name[0] ? group->name : "(all other names)";
}

TD_COMPARE_REFS(by_total, struct td_html_op_group, TD_DOWN(total_ns))

/* The groups by total time, longest first; free() them. NULL: no memory. */
static const struct td_html_op_group **sort_groups(const struct td_html_ops *ops)
{
    const struct td_html_op_group **sorted = malloc((ops->count + 1) * sizeof *sorted);
    for (size_t i = 0; sorted && i < ops->count; i++)
        sorted[i] = &ops->groups[i];
    if (sorted && ops->count)
        qsort(sorted, ops->count, sizeof *sorted, by_total);
    return sorted;
}

/* Draws one part up to the right edge, and moves *at. Parts that would not be seen are left out. */
static void write_part(FILE *to, double *at, double width, const char *class, const char *title, double ns)
{
    char time[32];
    const double shown = fmin(width, BAR_WIDTH - *at);
    if (shown >= .5)
        fprintf(to, "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" height=\"16\"><title>%s: %s</title></rect>",
                class, *at, shown, title, td_html_time(time, ns));
    if (width > shown + .5)
        fprintf(to, "<path class=\"p-cut\" d=\"M%.0f 0V16\"/>", BAR_WIDTH - 3);
    *at += width;
}

/* The time of the kernels is divided as their spans are, after the part that the cores waited. */
static void write_bar(FILE *to, const struct td_html_op_group *group, double scale)
{
    const double waited = group->busy_ns > 0 ? group->wait_ns / group->busy_ns : 0,
                 wait_part = waited > 1 ? 1 : waited;
    double spans = 0, at = 0;
    for (unsigned r = 0; r < TD_OP_RISC_COUNT; r++)
        spans += group->risc_ns[r];
    fputs("<svg class=\"bar\" viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" role=\"img\">", to);
    for (unsigned r = 0; spans > 0 && r < TD_OP_RISC_COUNT; r++) {
        const double ns = group->total_ns * (1 - wait_part) * group->risc_ns[r] / spans;
        write_part(to, &at, ns * scale, risc_parts[r].class, risc_parts[r].title, ns);
    }
    if (spans <= 0)
        write_part(to, &at, group->total_ns * (1 - wait_part) * scale, "c-busy", "kernels",
                   group->total_ns * (1 - wait_part));
    write_part(to, &at, group->total_ns * wait_part * scale, "p-wait", "waits", group->total_ns * wait_part);
    write_part(to, &at, group->gap_ns * scale, "p-gap", "gaps before", group->gap_ns);
    fputs("</svg>", to);
}

static void write_legend(FILE *to, const struct td_html_ops *ops)
{
    bool any = false;
    fputs("<p class=\"legend\">", to);
    for (unsigned r = 0; r < TD_OP_RISC_COUNT; r++) {
        double ns = 0;
        for (size_t i = 0; i < ops->count; i++)
            ns += ops->groups[i].risc_ns[r];
        any |= ns > 0;
        if (ns > 0)
            fprintf(to, "<span class=\"key %s\"></span>%s ", risc_parts[r].class, risc_parts[r].title);
    }
    if (!any)
        fputs("<span class=\"key c-busy\"></span>kernels ", to);
    fputs("<span class=\"key p-wait\"></span>waits <span class=\"key p-gap\"></span>gap before</p>\n", to);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void write_doubted(FILE *to, const struct td_html_ops *ops)
{
    if (!ops->doubted)
        return;
    fprintf(to,
            "<p class=\"note\">%" PRIu64 " operation%s with implausible times %s in no number of this page:",
            ops->doubted, plural(ops->doubted), ops->doubted == 1 ? "is" : "are");
    for (size_t i = 0; i < ops->doubted && i < TD_HTML_DOUBTS; i++) {
        const struct td_html_doubt *d = &ops->doubts[i];
        fprintf(to, "%s op %" PRIu32 " on device %" PRIu32 " (", i ? ";" : "", d->run_id, d->device);
        td_markup_cut(to, d->name, sizeof d->name);
        fprintf(to, "): %s", td_op_doubt_text(d->doubt));
    }
    fputs(ops->doubted > TD_HTML_DOUBTS ? "; ...</p>\n" : ".</p>\n", to);
}

void td_html_write_op_times(FILE *to, const struct td_html_ops *ops)
{
    char busy[32], gap[32], all[32];
    if (ops->count)
        fprintf(to,
                "<p>%s from the first operation to the last one of each device: %s in which operations ran, "
                "and %s of gaps "
                "between them.</p>\n",
                td_html_time(all, ops->busy_ns + ops->gap_ns), td_html_time(busy, ops->busy_ns),
                td_html_time(gap, ops->gap_ns));
    if (ops->overlaps)
        fprintf(
            to,
            "<p class=\"note\">%" PRIu64 " operation%s began while another one ran on the same device. "
            "A time in which several ran counts once, and the shares may add up to more than 100 %%.</p>\n",
            ops->overlaps, plural(ops->overlaps));
    write_doubted(to, ops);
}

int td_html_write_op_chart(FILE *to, const struct td_html_ops *ops)
{
    const struct td_html_op_group **sorted = sort_groups(ops);
    double longest = 0, longest_all = 0;
    char time[32], part[32];
    if (!sorted)
        return TD_E_NOMEM;
    const size_t shown = ops->count < TD_HTML_CHART_ROWS ? ops->count : TD_HTML_CHART_ROWS;
    for (size_t i = 0; i < shown; i++) {
        longest = fmax(longest, sorted[i]->total_ns);
        longest_all = fmax(longest_all, sorted[i]->total_ns + sorted[i]->gap_ns);
    }
    /* Programs that keep the device waiting have gaps that are far longer than their operations. */
    const bool cuts = longest_all > longest / KERNEL_PART;
    if (cuts)
        longest_all = longest / KERNEL_PART;
    write_legend(to, ops);
    fputs("<div class=\"bars\">\n", to);
    for (size_t i = 0; i < shown; i++) {
        fputs("<div class=\"bar-row\"><span class=\"bar-name\" title=\"", to);
        td_markup_cut(to, shown_name(sorted[i]), 500);
        fputs("\">", to);
        td_markup_cut(to, shown_name(sorted[i]), 80);
        fputs("</span>", to);
        write_bar(to, sorted[i], longest_all > 0 ? BAR_WIDTH / longest_all : 0);
        fprintf(to, "<span class=\"bar-value\">%s <small>%s</small></span></div>\n",
                td_html_time(time, sorted[i]->total_ns),
                td_html_percent(part, ops->busy_ns > 0 ? sorted[i]->total_ns / ops->busy_ns : 0));
    }
    fputs("</div>\n", to);
    td_html_left_out(to, ops->count - shown, "names of operations, with less time");
    fputs("<p class=\"note\">The length of a bar is the time of the operations, from the first begin to the "
          "last "
          "end of their kernels, and the gaps before them. The time of the kernels is divided in proportion: "
          "first the part that the cores waited, then by the spans of the RISCs.",
          to);
    fputs(cuts ? " A line at the right edge means that a gap is longer than shown; the table has its "
                 "length.</p>\n"
               : "</p>\n",
          to);
    free(sorted);
    return 0;
}

static void write_row(FILE *to, const struct td_html_op_group *group, double all_ns)
{
    const int64_t length = td_length_histogram_at(&group->lengths, group->calls, .95, 0, INT64_MAX);
    fputs("<tr>", to);
    td_html_cell_text(to, shown_name(group));
    td_html_cell_count(to, group->calls);
    td_html_cell_time(to, group->total_ns);
    td_html_cell_percent(to, all_ns > 0 ? group->total_ns / all_ns : 0);
    td_html_cell_time(to, group->sum_ns / (double)group->calls);
    td_html_cell_time(to, fmin((double)length, group->max_ns));
    td_html_cell_time(to, group->max_ns);
    td_html_cell_percent(to, group->busy_ns > 0 ? group->wait_ns / group->busy_ns : 0);
    td_html_cell_time(to, group->gap_ns);
    if (group->cores_max == 0)
        fputs("<td class=\"n\" data-v=\"0\">-</td>", to);
    else if (group->cores_min == group->cores_max)
        td_html_cell_count(to, group->cores_max);
    else
        fprintf(to, "<td class=\"n\" data-v=\"%" PRIu32 "\">%" PRIu32 " to %" PRIu32 "</td>",
                group->cores_max, group->cores_min, group->cores_max);
    td_html_cell_count(to, group->stragglers);
    fputs("</tr>\n", to);
}

int td_html_write_op_table(FILE *to, const struct td_html_ops *ops)
{
    const struct td_html_op_group **sorted = sort_groups(ops);
    if (!sorted)
        return TD_E_NOMEM;
    const size_t shown = ops->count < TD_HTML_TABLE_ROWS ? ops->count : TD_HTML_TABLE_ROWS;
    td_html_table_begin(
        to, "op-table", "Operations by name",
        "Operation|Calls#|Total#|Share#|Mean#|95 %#|Max#|Waits#|Gaps before#|Tiles#|Stragglers#");
    for (size_t i = 0; i < shown; i++)
        write_row(to, sorted[i], ops->busy_ns);
    td_html_table_end(to);
    td_html_left_out(to, ops->count - shown, "names of operations, with less time");
    td_html_left_out(to, ops->left_out,
                     "operations whose names came after the first 20000 names; they are one row");
    td_html_left_out(to, ops->open, "operations that have no begin or no end in the trace");
    free(sorted);
    return 0;
}
