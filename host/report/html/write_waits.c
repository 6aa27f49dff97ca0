/* Waits, stragglers and losses of the page. */
#include "host/base/compare.h"
#include "host/base/markup.h"
#include "host/report/html/html_internal.h"
#include "host/trace/note_kinds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums of zones by name ---- */

struct named_sum {
    const char *name;
    struct td_html_zone_sum sum;
};

TD_COMPARE(by_name, struct named_sum, TD_UP_TEXT(name))

TD_COMPARE(by_sum, struct named_sum, TD_DOWN(sum.total_ns) TD_UP_TEXT(name))

/* The zones that have one of these flags; locations of one name together. *count is 0 where memory ran out. */
static struct named_sum *sum_names(const struct td_html_cores *cores, const struct td_dict *dict,
                                   uint32_t flags, size_t *count)
{
    size_t all = 0, names = 0;
    for (size_t i = 0; i < cores->zone_count; i++)
        all += cores->zones[i].count && td_dict_get_srcloc(dict, (uint32_t)i)->flags & flags;
    struct named_sum *sums = malloc((all + 1) * sizeof *sums);
    *count = 0;
    if (!sums)
        return NULL;
    for (size_t i = 0; i < cores->zone_count; i++)
        if (cores->zones[i].count && td_dict_get_srcloc(dict, (uint32_t)i)->flags & flags)
            sums[names++] = (struct named_sum){td_dict_zone_name(dict, (uint32_t)i), cores->zones[i]};
    if (names)
        qsort(sums, names, sizeof *sums, by_name);
    for (size_t i = 0; i < names; i++) {
        if (!*count || strcmp(sums[*count - 1].name, sums[i].name) != 0) {
            sums[(*count)++] = sums[i];
            continue;
        }
        struct td_html_zone_sum *to = &sums[*count - 1].sum;
        const struct td_html_zone_sum *from = &sums[i].sum;
        to->count += from->count;
        to->total_ns += from->total_ns;
        to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
    }
    if (*count)
        qsort(sums, *count, sizeof *sums, by_sum);
    return sums;
}

static void write_sums(FILE *to, const struct td_html_cores *cores, const struct td_dict *dict,
                       uint32_t flags, const char *id, const char *caption)
{
    size_t count;
    struct named_sum *sums = sum_names(cores, dict, flags, &count);
    const size_t shown = count < TD_HTML_LINES ? count : TD_HTML_LINES;
    if (count) {
        td_html_table_begin(to, id, caption, "Zone|Times#|Total#|Mean#|Max#");
        for (size_t i = 0; i < shown; i++) {
            fputs("<tr>", to);
            td_html_cell_text(to, sums[i].name);
            td_html_cell_count(to, sums[i].sum.count);
            td_html_cell_time(to, (double)sums[i].sum.total_ns);
            td_html_cell_time(to, (double)sums[i].sum.total_ns / (double)sums[i].sum.count);
            td_html_cell_time(to, (double)sums[i].sum.max_ns);
            fputs("</tr>\n", to);
        }
        td_html_table_end(to);
        td_html_left_out(to, count - shown, "names of zones, with less time");
    }
    free(sums);
}

/* ---- stragglers ---- */

TD_COMPARE_REFS(by_excess, struct td_html_tile, TD_DOWN(excess_ns))

static void write_stragglers(FILE *to, const struct td_html_ops *ops)
{
    const struct td_html_tile **tiles = malloc((ops->tile_count + 1) * sizeof *tiles);
    size_t count = 0;
    for (size_t i = 0; tiles && i < ops->tile_count; i++)
        if (ops->tiles[i].straggles)
            tiles[count++] = &ops->tiles[i];
    if (count)
        qsort(tiles, count, sizeof *tiles, by_excess);
    const size_t shown = count < TD_HTML_LINES ? count : TD_HTML_LINES;
    if (count) {
        td_html_table_begin(to, "straggler-table", "Tiles that straggle",
                            "Tile|Operations#|Straggles#|Time beyond the mean#");
        for (size_t i = 0; i < shown; i++) {
            fprintf(to, "<tr><td>chip %" PRIu32 " tile %u,%u</td>", tiles[i]->device, tiles[i]->x,
                    tiles[i]->y);
            td_html_cell_count(to, tiles[i]->operations);
            td_html_cell_count(to, tiles[i]->straggles);
            td_html_cell_time(to, tiles[i]->excess_ns);
            fputs("</tr>\n", to);
        }
        td_html_table_end(to);
        td_html_left_out(to, count - shown, "tiles, with less time");
    } else {
        fputs("<p>No tile straggled.</p>\n", to);
    }
    fputs("<p class=\"note\">A tile straggles in an operation if its kernels take 25 % longer than those of "
          "the "
          "operation's mean tile.</p>\n",
          to);
    free(tiles);
}

void td_html_write_waits(FILE *to, const struct td_html_cores *cores, const struct td_html_ops *ops,
                         const struct td_trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < cores->zone_count; i++)
        count += cores->zones[i].count &&
                 td_dict_get_srcloc(td_trace_dict(trace), (uint32_t)i)->flags & TD_SRCLOC_WAIT;
    if (count)
        write_sums(to, cores, td_trace_dict(trace), TD_SRCLOC_WAIT, "wait-table",
                   "Zones that wait, on all cores");
    else
        fputs("<p>No zone of a core is marked as one that waits.</p>\n", to);
    write_stragglers(to, ops);
}

/* ---- losses ---- */

static bool is_number_above_zero(const char *text)
{
    return text && strspn(text, "0") != strlen(text);
}

static bool write_counts(FILE *to, const struct td_trace *trace)
{
    bool any = false;
    for (const struct td_note *note = td_notes; note < td_notes + TD_NOTE_KIND_COUNT; note++) {
        const char *value = td_trace_get_note(trace, note->key, 0);
        if (!note->sentence || !td_note_is_number(note) || !is_number_above_zero(value))
            continue;
        fputs(any ? "<li>" : "<ul><li>", to);
        td_markup_cut(to, value, 40);
        fprintf(to, " %s</li>\n", note->sentence);
        any = true;
    }
    fputs(any ? "</ul>\n" : "", to);
    return any;
}

/* The values of a note, one a line. */
static bool write_lines(FILE *to, const struct td_trace *trace, const char *key, const char *title)
{
    const char *text;
    size_t count = 0;
    for (; (text = td_trace_get_note(trace, key, count)); count++) {
        if (count >= TD_HTML_LINES)
            continue;
        if (!count)
            fprintf(to, "<h3>%s</h3>\n<ul>\n", title);
        fputs("<li>", to);
        td_markup_cut(to, text, 400);
        fputs("</li>\n", to);
    }
    if (count)
        fputs("</ul>\n", to);
    td_html_left_out(to, count > TD_HTML_LINES ? count - TD_HTML_LINES : 0, "lines");
    return count != 0;
}

void td_html_write_losses(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace)
{
    const char *salvaged = td_trace_get_info(trace)->salvaged;
    bool any = write_counts(to, trace);
    if (salvaged) {
        fputs("<p>The file is damaged: ", to);
        td_markup_cut(to, salvaged, 1000);
        fputs("</p>\n", to);
        any = true;
    }
    write_sums(to, cores, td_trace_dict(trace), TD_SRCLOC_LOST, "loss-table", "Stalls and gaps of the lanes");
    for (const struct td_note *note = td_notes; note < td_notes + TD_NOTE_KIND_COUNT; note++)
        if (note->sentence && !td_note_is_number(note))
            any |= write_lines(to, trace, note->key, note->sentence);
    if (!any)
        fputs("<p>The trace notes no losses.</p>\n", to);
}
