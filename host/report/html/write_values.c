#include "host/base/markup.h"
#include "host/base/time_text.h"
#include "host/report/html/html_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NAME_BYTES 160 /* of a name in a table */
#define NO_BREAK   "\xc2\xa0"

const char *td_html_time(char *text, double ns)
{
    return td_time_text(text, 32, ns, TD_TIME_PAGE);
}

const char *td_html_percent(char *text, double part)
{
    snprintf(text, 32, "%.1f" NO_BREAK "%%", isfinite(part) ? part * 100 : 0);
    return text;
}

void td_html_cell_text(FILE *to, const char *text)
{
    const bool is_long = strlen(text) > NAME_BYTES;
    fputs("<td", to);
    if (is_long) {
        fputs(" title=\"", to);
        td_markup_cut(to, text, 2000);
        fputs("\"", to);
    }
    fputs(">", to);
    td_markup_cut(to, text, NAME_BYTES);
    fputs("</td>", to);
}

static void write_number_cell(FILE *to, double value, const char *text)
{
    fprintf(to, "<td class=\"n\" data-v=\"%.15g\">%s</td>", isfinite(value) ? value : 0, text);
}

void td_html_cell_time(FILE *to, double ns)
{
    char text[32];
    write_number_cell(to, ns, td_html_time(text, ns));
}

void td_html_cell_count(FILE *to, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    write_number_cell(to, (double)count, text);
}

void td_html_cell_percent(FILE *to, double part)
{
    char text[32];
    write_number_cell(to, part, td_html_percent(text, part));
}

void td_html_table_begin(FILE *to, const char *id, const char *caption, const char *headings)
{
    fprintf(to, "<div class=\"wide\"><table id=\"%s\" class=\"sortable\"><caption>%s</caption>\n<thead><tr>",
            id, caption);
    while (*headings) {
        const size_t bytes = strcspn(headings, "|");
        const bool number = bytes && headings[bytes - 1] == '#';
        fprintf(to, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "", (int)(bytes - number),
                headings);
        headings += bytes + (headings[bytes] == '|');
    }
    fputs("</tr></thead>\n<tbody>\n", to);
}

void td_html_table_end(FILE *to)
{
    fputs("</tbody></table></div>\n", to);
}

void td_html_left_out(FILE *to, uint64_t count, const char *what)
{
    if (count)
        fprintf(to, "<p class=\"left-out\">Left out: %" PRIu64 " more %s.</p>\n", count, what);
}

void td_html_bins_add(double bins[BINS], int64_t start_ns, int64_t end_ns, int64_t all_ns)
{
    if (all_ns <= 0 || start_ns >= end_ns || end_ns <= 0 || start_ns >= all_ns)
        return;
    const double width = (double)all_ns / BINS, from = start_ns > 0 ? (double)start_ns / width : 0,
                 to = end_ns < all_ns ? (double)end_ns / width : BINS;
    for (int i = (int)from; i < BINS && i < to; i++)
        bins[i] += (fmin(to, i + 1) - fmax(from, i)) * width;
}
