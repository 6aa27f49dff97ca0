/* The top bar, the list of found names, the details of the selected zone, the help. */
#include "host/viewer/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR_HEIGHT 44
#define LIST_ROWS  14
#define FIND_WIDTH 250

/* ---- top bar ---- */

/* A fact: its label in a weak colour, then its value. Draws nothing when it would pass `limit`. */
static float fact(struct td_view *view, float x, float y, float limit, const char *value, const char *label,
                  td_rgba color)
{
    struct td_ui *ui = view->ui;
    float wide =
        td_ui_text_width(ui, TD_FONT_TEXT, value) + TD_U(view, 4) + td_ui_text_width(ui, TD_FONT_TEXT, label);
    if (!*value || x + wide > limit)
        return x;
    x += td_ui_text(ui, TD_FONT_TEXT, x, y, color, value) + TD_U(view, 4);
    x += td_ui_text(ui, TD_FONT_TEXT, x, y, TD_C(TEXT_FAINT), label);
    return x + TD_U(view, 20);
}

/* A note that is a number; 0 if there is none. */
static uint64_t number_note(const struct td_view *view, const char *key)
{
    const char *note = td_trace_get_note(view->trace, key, 0);
    uint64_t number = 0;
    return note && sscanf(note, "%" SCNu64, &number) == 1 ? number : 0;
}

static float losses(struct td_view *view, float x, float y, float limit)
{
    char text[TD_FORMAT_BYTES];
    uint64_t lost = number_note(view, TD_NOTE_LOST), stalls = number_note(view, TD_NOTE_STALLS);
    if (lost)
        x = fact(view, x, y, limit, td_format_count(text, lost), "zones lost", TD_C(LOST));
    else
        x = fact(view, x, y, limit, "nothing", "lost", TD_C(TEXT));
    if (stalls)
        x = fact(view, x, y, limit, td_format_count(text, stalls), stalls == 1 ? "stall" : "stalls",
                 TD_C(STALL));
    return x;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void draw_facts(struct td_view *view, float y, float limit)
{
    struct td_ui *ui = view->ui;
    char text[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 8];
    float x = TD_U(view, 14);
    x += td_ui_text(ui, TD_FONT_BOLD, x, y, TD_C(ACCENT), "Tendril") + TD_U(view, 14);
    x += td_ui_text_fit(ui, TD_FONT_BOLD, x, y, fmaxf(limit - x, 0) * .5f, TD_C(TEXT), file_name(view->path));
    x += TD_U(view, 24);
    const struct td_trace_info *info = td_trace_get_info(view->trace);
    x = fact(view, x, y, limit, info->program && *info->program ? file_name(info->program) : "", "program",
             TD_C(TEXT));
    x = fact(view, x, y, limit, td_format_ns(text, (double)(view->last_ns - view->first_ns)), "recorded",
             TD_C(TEXT));
    x = fact(view, x, y, limit, td_format_count(text, view->zones), view->zones == 1 ? "zone" : "zones",
             TD_C(TEXT));
    if (view->cores)
        x = fact(view, x, y, limit, td_format_count(text, view->cores), view->cores == 1 ? "core" : "cores",
                 TD_C(TEXT));
    x = losses(view, x, y, limit);
    const char *error = td_trace_get_note(view->trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    double error_ns = 0;
    if (error && sscanf(error, "%lf", &error_ns) == 1) {
        snprintf(more, sizeof more, "\xc2\xb1%s", td_format_ns(text, error_ns));
        x = fact(view, x, y, limit, more, "clock error", TD_C(TEXT));
    }
    if (td_trace_crash(view->trace))
        fact(view, x, y, limit, "crashed", "", TD_C(LOST));
}

float td_top_bar(struct td_view *view)
{
    struct td_ui *ui = view->ui;
    float wide = td_ui_width(ui), height = TD_U(view, BAR_HEIGHT), control = TD_U(view, 27);
    float control_y = (height - control) / 2, right = wide - TD_U(view, 10);
    td_ui_region_begin(ui, "bar", 0, 0, wide, height, TD_C(BAR), 0);
    float button = TD_U(view, 54), help = TD_U(view, 28), find = TD_U(view, FIND_WIDTH), gap = TD_U(view, 8);
    if (td_ui_button(ui, "?", right - help, control_y, help, control))
        view->help_open = !view->help_open;
    right -= help + gap;
    if (td_ui_button(ui, "Fit", right - button, control_y, button, control))
        td_camera_fit(&view->camera, 0);
    right -= button + gap;
    int any_closed = 0;
    for (int i = 0; i < view->layout.count; i++)
        any_closed |= view->layout.nodes[i].collapsed;
    float fold = TD_U(view, 84);
    if (td_ui_button(ui, any_closed ? "Expand" : "Collapse", right - fold, control_y, fold, control))
        td_view_collapse(view, !any_closed);
    right -= fold + gap;
    if (wide < TD_U(view, 640))
        find = fmaxf(right - TD_U(view, 200), TD_U(view, 60));
    char before[sizeof view->find.text];
    memcpy(before, view->find.text, sizeof before);
    int input = td_ui_input(ui, "##find", "Find zones   /", right - find, control_y, find, control,
                            view->find.text, sizeof view->find.text, view->find_focus);
    view->find_focus = 0;
    if (strcmp(before, view->find.text))
        td_view_search(view, view->find.text);
    if (input & (TD_INPUT_CHANGED | TD_INPUT_ACTIVE))
        view->find_open = 1;
    if (input & TD_INPUT_ENTER) {
        td_view_next_match(view, 1);
        view->find_open = 0;
    }
    right -= find + gap;
    draw_facts(view, (height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2, right);
    td_ui_rect(ui, 0, height - 1, wide, height, TD_C(EDGE), 0);
    td_ui_region_end(ui);
    return height;
}

/* ---- found names ---- */

static void text_right(struct td_view *view, enum td_font font, float right, float y, td_rgba color,
                       const char *text)
{
    td_ui_text(view->ui, font, right - td_ui_text_width(view->ui, font, text), y, color, text);
}

static void draw_name(struct td_view *view, const struct td_find_name *name, float x, float y, float wide,
                      float height, int hovered)
{
    struct td_ui *ui = view->ui;
    char text[TD_FORMAT_BYTES];
    float text_y = y + (height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2, right = x + wide - TD_U(view, 14);
    if (hovered || name->name == view->find.only)
        td_ui_rect(ui, x, y, x + wide, y + height, 0xff2a323e, 0);
    struct td_zone zone = {.srcloc = name->srcloc};
    float box = TD_U(view, 10), box_y = y + (height - box) / 2;
    td_ui_rect(ui, x + TD_U(view, 12), box_y, x + TD_U(view, 12) + box, box_y + box,
               td_color_of_zone(view->dict, &zone), TD_U(view, 2));
    text_right(view, TD_FONT_TEXT, right, text_y, TD_C(TEXT), td_format_ns(text, (double)name->total_ns));
    text_right(view, TD_FONT_TEXT, right - TD_U(view, 96), text_y, TD_C(TEXT_DIM),
               td_format_count(text, name->count));
    td_ui_text_fit(ui, TD_FONT_TEXT, x + TD_U(view, 30), text_y, wide - TD_U(view, 30 + 96 + 96), TD_C(TEXT),
                   name->name);
}

void td_find_list(struct td_view *view, float y)
{
    if (!view->find_open || !view->find.active)
        return;
    struct td_ui *ui = view->ui;
    const struct td_find *find = &view->find;
    float wide = fminf(TD_U(view, 470), td_ui_width(ui) - TD_U(view, 20));
    float x = td_ui_width(ui) - wide - TD_U(view, 10), row = TD_U(view, 24), head = TD_U(view, 30);
    int rows = find->name_count < LIST_ROWS ? (int)find->name_count : LIST_ROWS;
    float list = row * (float)rows, high = head + list + TD_U(view, 30);
    td_ui_region_begin(ui, "names", x, y + TD_U(view, 4), wide, high, TD_C(PANEL), 1);
    y += TD_U(view, 4);
    char text[TD_FORMAT_BYTES], line[200];
    float text_y = y + (head - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right = x + wide - TD_U(view, 14);
    if (find->name_count)
        snprintf(line, sizeof line, "%zu name%s", find->name_count, find->name_count == 1 ? "" : "s");
    else
        snprintf(line, sizeof line, "No zone has this in its name");
    td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 12), text_y, TD_C(TEXT_FAINT), line);
    if (find->name_count) {
        text_right(view, TD_FONT_SMALL, right, text_y, TD_C(TEXT_FAINT), "total time");
        text_right(view, TD_FONT_SMALL, right - TD_U(view, 96), text_y, TD_C(TEXT_FAINT), "count");
    }
    int first, last;
    float top;
    if (rows) {
        td_ui_list_begin(ui, "list", x, y + head, wide, list, (int)find->name_count, row, &first, &last,
                         &top);
        for (int i = first; i < last; i++) {
            char id[16];
            int hovered;
            float row_y = top + row * (float)(i - first);
            snprintf(id, sizeof id, "%d", i);
            int clicked = td_ui_click_area(ui, id, x, row_y, wide - TD_U(view, 12), row, &hovered);
            const char *name = find->names[i].name;
            draw_name(view, &find->names[i], x, row_y, wide, row, hovered);
            if (clicked) {
                view->find.only = view->find.only == name ? NULL : name;
                td_view_search(view, NULL);
                td_view_next_match(view, 1);
            }
        }
        td_ui_list_end(ui);
    }
    snprintf(line, sizeof line, "%s zones%s     Enter, N: next     Shift+N: previous     Esc: close",
             td_format_count(text, find->marks.count), find->marks.cut ? " and more" : "");
    td_ui_text_fit(ui, TD_FONT_SMALL, x + TD_U(view, 12), y + head + list + TD_U(view, 8),
                   wide - TD_U(view, 24), TD_C(TEXT_FAINT), line);
    td_ui_region_end(ui);
}

/* ---- details ---- */

struct column {
    struct td_view *view;
    float x, y, label, wide;
};

static void pair(struct column *c, const char *label, const char *value)
{
    struct td_ui *ui = c->view->ui;
    td_ui_text(ui, TD_FONT_TEXT, c->x, c->y, TD_C(TEXT_FAINT), label);
    td_ui_text_fit(ui, TD_FONT_TEXT, c->x + c->label, c->y, c->wide - c->label, TD_C(TEXT), value);
    c->y += TD_U(c->view, 19);
}

static void pair_ns(struct column *c, const char *label, double ns)
{
    char text[TD_FORMAT_BYTES];
    pair(c, label, td_format_ns(text, ns));
}

static void zone_column(struct column *c, const struct td_zone *zone)
{
    struct td_view *view = c->view;
    char text[300];
    const struct td_srcloc *s = td_dict_get_srcloc(view->dict, zone->srcloc);
    const struct td_track *t = td_dict_get_track(view->dict, view->selected.track);
    const char *file = td_dict_text(view->dict, s->file), *name = td_dict_text(view->dict, t->name);
    snprintf(text, sizeof text, "%.200s:%" PRIu32, file, s->line);
    pair(c, "source", *file ? text : "not known");
    if (*name)
        pair(c, "thread", name);
    else {
        snprintf(text, sizeof text, "%" PRIu64, t->thread);
        pair(c, "thread", text);
    }
    if (*td_dict_text(view->dict, s->function))
        pair(c, "function", td_dict_text(view->dict, s->function));
    /* Lines of the zone's text, side by side. */
    snprintf(text, sizeof text, "%.280s", td_dict_text(view->dict, zone->text));
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = p[1] ? ' ' : 0;
    if (*text)
        pair(c, "text", text);
}

static void time_column(struct column *c, const struct td_zone *zone)
{
    struct td_view *view = c->view;
    char text[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 32];
    td_format_ns(text, td_view_zone_end(view, zone) - (double)zone->start_ns);
    snprintf(more, sizeof more, "%s%s", text, zone->end_ns == TD_OPEN ? ", not ended" : "");
    pair(c, "duration", more);
    pair_ns(c, "self", (double)td_view_self_ns(view, view->selected));
    pair(c, "start", td_format_time(text, (double)zone->start_ns, 1));
    pair(c, "children", td_format_count(text, zone->child_end - zone->child_begin));
}

static const struct td_stat *find_stat(const struct td_stat *stats, size_t count, uint32_t srcloc)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stats[middle].srcloc < srcloc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && stats[low].srcloc == srcloc ? &stats[low] : NULL;
}

/* Among the zones of the same sort: in GPU contexts or not. */
static const struct td_stat *stat_of(const struct td_view *view, uint32_t track, uint32_t srcloc)
{
    const struct td_stat *stats;
    int gpu = td_dict_get_track(view->dict, track)->context != 0;
    size_t count = gpu ? td_trace_gpu_stats(view->trace, &stats) : td_trace_stats(view->trace, &stats);
    return find_stat(stats, count, srcloc);
}

static void stat_columns(struct column *c, struct column *d, const struct td_stat *stat)
{
    char text[TD_FORMAT_BYTES];
    pair(c, "count", td_format_count(text, stat->count + stat->open));
    pair_ns(c, "total", (double)stat->total_ns);
    pair_ns(c, "total self", (double)stat->self_ns);
    if (stat->open)
        pair(c, "not ended", td_format_count(text, stat->open));
    pair_ns(d, "min", (double)stat->min_ns);
    pair_ns(d, "mean", stat->mean_ns);
    pair_ns(d, "max", (double)stat->max_ns);
    pair_ns(d, "deviation", stat->std_ns);
}

static void heading(struct column *c, const char *text)
{
    td_ui_text(c->view->ui, TD_FONT_SMALL, c->x, c->y, TD_C(TEXT_FAINT), text);
    c->y += TD_U(c->view, 22);
}

void td_details(struct td_view *view, float y)
{
    if (!td_ref_valid(view->selected))
        return;
    struct td_ui *ui = view->ui;
    float wide = td_ui_width(ui), height = td_details_height(view), pad = TD_U(view, 14);
    struct td_zone zone = td_view_zone(view, view->selected);
    td_ui_region_begin(ui, "details", 0, y, wide, height, TD_C(BAR), 0);
    td_ui_rect(ui, 0, y, wide, y + 1, TD_C(EDGE), 0);
    float x = pad, text_y = y + TD_U(view, 13), box = TD_U(view, 12);
    td_ui_rect(ui, x, text_y + TD_U(view, 1), x + box, text_y + TD_U(view, 1) + box,
               td_color_of_zone(view->dict, &zone), TD_U(view, 2));
    float room = wide - x - TD_U(view, 190);
    td_ui_text_fit(ui, TD_FONT_BOLD, x + box + TD_U(view, 8), text_y, room, TD_C(TEXT),
                   td_zone_label(view->dict, &zone));
    float button = TD_U(view, 66), control = TD_U(view, 25), control_y = y + TD_U(view, 8);
    int closed = td_ui_button(ui, "Close", wide - pad - button, control_y, button, control);
    if (td_ui_button(ui, "Zoom", wide - pad - 2 * button - TD_U(view, 8), control_y, button, control))
        td_view_go_to_zone(view, view->selected, 1);
    float inner = wide - 2 * pad, top = y + TD_U(view, 42);
    struct column a = {view, pad, top, TD_U(view, 66), inner * .38f};
    struct column b = {view, pad + inner * .40f, top, TD_U(view, 72), inner * .18f};
    struct column c = {view, pad + inner * .60f, top, TD_U(view, 84), inner * .19f};
    struct column d = {view, pad + inner * .80f, top, TD_U(view, 76), inner * .20f};
    zone_column(&a, &zone);
    time_column(&b, &zone);
    const struct td_stat *stat = stat_of(view, view->selected.track, zone.srcloc);
    if (stat) {
        struct column title = {view, c.x, y + TD_U(view, 15), 0, 0};
        heading(&title, "All zones of this place");
        stat_columns(&c, &d, stat);
    }
    td_ui_rect(ui, c.x - TD_U(view, 16), y + TD_U(view, 14), c.x - TD_U(view, 15),
               y + height - TD_U(view, 12), TD_C(EDGE), 0);
    td_ui_region_end(ui);
    if (closed)
        view->selected = TD_NO_ZONE;
}

/* ---- help ---- */

void td_help(struct td_view *view)
{
    static const char *const lines[][2] = {
        {"Wheel, W, S, +, -", "zoom in and out at the mouse"},
        {"Drag, A, D, arrows", "move through time and tracks"},
        {"Shift+wheel, PageUp, PageDown", "move through tracks"},
        {"Right drag", "measure a stretch of time"},
        {"Click", "select a zone and see its details"},
        {"Double click, Z", "zoom to the zone or to what was measured"},
        {"Click on a label, C, Shift+C", "close and open groups"},
        {"F", "fit the whole trace"},
        {"/", "find zones by name"},
        {"N, Shift+N", "next and previous match"},
        {"Esc", "close, end the search, unselect"},
    };
    if (!view->help_open)
        return;
    struct td_ui *ui = view->ui;
    int count = (int)(sizeof lines / sizeof *lines);
    float wide = TD_U(view, 540), row = TD_U(view, 24), high = TD_U(view, 58) + row * (float)count;
    float x = floorf((td_ui_width(ui) - wide) / 2), y = floorf((td_ui_height(ui) - high) / 3);
    td_ui_region_begin(ui, "help", x, y, wide, high, TD_C(PANEL), 1);
    td_ui_text(ui, TD_FONT_BOLD, x + TD_U(view, 20), y + TD_U(view, 16), TD_C(TEXT), "Mouse and keys");
    for (int i = 0; i < count; i++) {
        float line = y + TD_U(view, 46) + row * (float)i;
        td_ui_text(ui, TD_FONT_TEXT, x + TD_U(view, 20), line, TD_C(ACCENT), lines[i][0]);
        td_ui_text(ui, TD_FONT_TEXT, x + TD_U(view, 240), line, TD_C(TEXT), lines[i][1]);
    }
    td_ui_region_end(ui);
}
