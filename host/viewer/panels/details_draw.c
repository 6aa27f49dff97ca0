#include "host/viewer/panels/label.h"
#include "host/base/cell_text.h"
#include "host/viewer/panels/details.h"
#include "host/viewer/timeline/lod.h"

#include <math.h>
#include <string.h>

#define LINE_HEIGHT 19
#define LABEL_WIDTH 82
#define MOST_LINES  40 /* of a text */

static bool is_visible(const struct details_drawing *d, float height)
{
    return d->y + height > d->top && d->y < d->bottom;
}

static float line(const struct details_drawing *d)
{
    return TD_U(d->view, LINE_HEIGHT);
}

/* Moves on by a line; false: it is out of sight, or written to the clipboard. */
static bool begin_line(struct details_drawing *d)
{
    bool visible = !d->copy && is_visible(d, line(d));
    d->y += line(d);
    return visible;
}

void td_details_heading(struct details_drawing *d, const char *text)
{
    struct td_view *view = d->view;
    if (d->copy) {
        fprintf(d->copy, "\n%s\n", text);
        return;
    }
    d->y += TD_U(view, 8);
    td_ui_rect(view->ui, d->left, d->y, d->right, d->y + 1, TD_C(EDGE), 0);
    d->y += TD_U(view, 8);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, d->left, d->y, d->right - d->left, TD_C(TEXT_DIM), text);
    d->y += TD_U(view, 20);
}

bool td_details_switch(struct details_drawing *d, float *right, const char *text, bool on)
{
    struct td_view *view = d->view;
    float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text), high = TD_U(view, 20);
    float x = *right - wide - TD_U(view, 6), y = d->y - high;
    bool hovered;
    if (d->copy || x < d->left + TD_U(view, 90) || !is_visible(d, 0))
        return false;
    *right = x - TD_U(view, 10);
    bool clicked = td_ui_click_area(view->ui, text, x, y, wide + TD_U(view, 6), high, &hovered);
    td_ui_text(view->ui, TD_FONT_SMALL, x, y, on || hovered ? TD_C(ACCENT) : TD_C(TEXT_FAINT), text);
    return clicked;
}

/* A line of the copy; `third` may be NULL. */
static void copy_cells(FILE *to, const char *first, const char *second, const char *third)
{
    td_cell_print(to, first);
    fputc('\t', to);
    td_cell_print(to, second);
    if (third) {
        fputc('\t', to);
        td_cell_print(to, third);
    }
    fputc('\n', to);
}

static void draw_pair(struct details_drawing *d, const char *label, const char *value, enum td_label_cut cut)
{
    struct td_view *view = d->view;
    float y = d->y, x = d->left + fminf(TD_U(view, LABEL_WIDTH), (d->right - d->left) * .4f);
    if (d->copy)
        copy_cells(d->copy, label, value, NULL);
    if (!begin_line(d))
        return;
    td_ui_text_fit(view->ui, TD_FONT_TEXT, d->left, y, x - d->left, TD_C(TEXT_FAINT), label);
    td_label(view, TD_FONT_TEXT, x, y, d->right - x, TD_C(TEXT), value, cut);
}

void td_details_pair(struct details_drawing *d, const char *label, const char *value)
{
    draw_pair(d, label, value, TD_CUT_END);
}

void td_details_path(struct details_drawing *d, const char *label, const char *path)
{
    draw_pair(d, label, path, TD_CUT_BEGINNING);
}

void td_details_time(struct details_drawing *d, const char *label, double ns)
{
    char text[TD_FORMAT_BYTES];
    draw_pair(d, label, td_format_ns(text, ns), TD_CUT_END);
}

void td_details_note(struct details_drawing *d, const char *text)
{
    float y = d->y;
    if (d->copy)
        fprintf(d->copy, "%s\n", text);
    if (begin_line(d))
        td_label(d->view, TD_FONT_TEXT, d->left, y, d->right - d->left, TD_C(TEXT_FAINT), text, TD_CUT_END);
}

void td_details_more(struct details_drawing *d, uint64_t count)
{
    char text[TD_FORMAT_BYTES + 16], number[TD_FORMAT_BYTES];
    snprintf(text, sizeof text, "and %s more", td_format_count(number, count));
    td_details_note(d, text);
}

/* How many bytes of the line fit in `width`: up to a space if there is one. */
static size_t fitting(struct td_view *view, const char *text, size_t bytes, float width)
{
    char part[400];
    size_t low = 1, high = bytes < sizeof part - 1 ? bytes : sizeof part - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        memcpy(part, text, middle);
        part[middle] = 0;
        if (td_ui_text_width(view->ui, TD_FONT_TEXT, part) > width)
            high = middle - 1;
        else
            low = middle;
    }
    if (low == bytes)
        return low;
    for (size_t at = low; at > low / 2; at--)
        if (text[at] == ' ')
            return at;
    while (low > 1 && ((unsigned char)text[low] & 0xc0) == 0x80)
        low--;
    return low;
}

void td_details_text(struct details_drawing *d, const char *label, const char *text)
{
    float indent = fminf(TD_U(d->view, LABEL_WIDTH), (d->right - d->left) * .4f);
    if (d->copy)
        copy_cells(d->copy, label, text, NULL);
    for (int lines = 0; *text && !d->copy; lines++) {
        if (lines == MOST_LINES) {
            td_details_note(d, "the text is longer; Ctrl+C copies all of it");
            return;
        }
        size_t bytes = strcspn(text, "\n"), part;
        char piece[400] = "";
        float y = d->y;
        part = bytes ? fitting(d->view, text, bytes, d->right - d->left - indent) : 0;
        memcpy(piece, text, part);
        piece[part] = 0;
        if (begin_line(d)) {
            if (!lines)
                td_ui_text_fit(d->view->ui, TD_FONT_TEXT, d->left, y, indent, TD_C(TEXT_FAINT), label);
            td_ui_text_fit(d->view->ui, TD_FONT_TEXT, d->left + indent, y, d->right - d->left - indent + 1,
                           TD_C(TEXT), piece);
        }
        text += part;
        text += *text == '\n' || (*text == ' ' && part < bytes);
    }
}

bool td_details_row(struct details_drawing *d, td_rgba box, const char *name, const char *more,
                    const char *value, double part, bool active)
{
    struct td_view *view = d->view;
    struct td_ui *ui = view->ui;
    float y = d->y, x = d->left, right = d->right, size = TD_U(view, 9), high = line(d);
    char id[24];
    bool hovered = false, clicked = false;
    d->hovered = false;
    if (d->copy)
        copy_cells(d->copy, name, *more ? more : value, *more ? value : NULL);
    if (!begin_line(d))
        return false;
    snprintf(id, sizeof id, "link %d", d->links++);
    if (active)
        clicked = td_ui_click_area(ui, id, d->left, y, d->right - d->left, high, &hovered);
    d->hovered = hovered;
    float inset = TD_U(view, 1.5f);
    if (part > 0)
        td_ui_rect(ui, x, y - inset, x + (right - x) * (float)fmin(part, 1), y + high - 2 * inset,
                   TD_C(CHOSEN), TD_U(view, 2));
    if (hovered)
        td_ui_rect(ui, x, y - inset, right, y + high - 2 * inset, 0x18ffffff, TD_U(view, 2));
    if (box) {
        td_ui_rect(ui, x, y + TD_U(view, 3), x + size, y + TD_U(view, 3) + size, box, TD_U(view, 2));
        x += size + TD_U(view, 6);
    }
    float wide = td_ui_text_width(ui, TD_FONT_TEXT, value);
    if (wide < (right - x) * .7f) {
        td_ui_text(ui, TD_FONT_TEXT, right - wide, y, TD_C(TEXT), value);
        right -= wide + TD_U(view, 8);
    }
    wide = td_ui_text_width(ui, TD_FONT_TEXT, more);
    if (*more && wide < (right - x) * .5f) {
        td_ui_text(ui, TD_FONT_TEXT, right - wide, y, TD_C(TEXT_DIM), more);
        right -= wide + TD_U(view, 8);
    }
    td_label(view, TD_FONT_TEXT, x, y, right - x, active ? TD_C(ACCENT) : TD_C(TEXT), name, TD_CUT_END);
    return clicked;
}

void td_details_link(struct details_drawing *d, td_rgba box, const char *name, const char *more,
                     const char *value, double part, struct td_zone_ref zone)
{
    if (td_details_row(d, box, name, more, value, part, td_ref_valid(zone)))
        d->chosen = zone;
    if (d->hovered)
        td_view_point_at(d->view, zone);
}

void td_details_moment(struct details_drawing *d, double time_ns, const char *name, const char *value)
{
    if (td_details_row(d, 0, name, "", value, 0, true))
        d->centre_ns = time_ns;
    if (d->hovered)
        d->view->selection.pointed =
            (struct td_spot){true, d->view->selection.zone.track, td_lod_time(time_ns), td_lod_time(time_ns)};
}
