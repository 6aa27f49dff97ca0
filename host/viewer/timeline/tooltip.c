/* The tooltip at the mouse. */
#include "host/query/rows/frame_times.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/clock_scope.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"
#include "host/base/plain_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINES   24
#define IMAGE_SIDE  320 /* at most */
#define LEAST_IMAGE 48  /* enlarged to it */

void td_tip(struct td_view *view, const char *title, const char *format, ...)
{
    int n = snprintf(view->hover.tip, sizeof view->hover.tip, "%.100s\n", TD_PLAIN(title));
    va_list args;
    va_start(args, format);
    vsnprintf(view->hover.tip + n, sizeof view->hover.tip - (size_t)n, format, args);
    va_end(args);
    view->hover.tip_image = 0;
}

void td_frame_tip(struct td_view *view, uint32_t set, size_t frame, const char *more)
{
    char name[120], time[TD_FORMAT_BYTES], start[TD_FORMAT_BYTES];
    const struct td_frame f = td_trace_frame(view->model.trace, set, frame);
    const int64_t ns = td_frame_length(view->model.trace, set, frame, view->model.last_ns);
    td_tip(view, td_frame_name(view->model.trace, set, frame, name, sizeof name),
           "length\t%s\nper second\t%.1f\nstart\t%s\n%s", td_format_ns(time, (double)ns),
           ns > 0 ? 1e9 / (double)ns : 0., td_format_time(start, (double)f.start_ns, 1), more);
    view->hover.tip_image = f.image + 1;
}

/* A line of the tooltip, split in place into label and value. */
struct tip_line {
    const char *label, *value; /* value NULL: the label is the whole line */
};

static int split_tip(char *text, struct tip_line *lines)
{
    int count = 0;
    while (*text && count < MAX_LINES) {
        char *end = text + strcspn(text, "\n");
        int more = *end != 0;
        *end = 0;
        char *tab = strchr(text, '\t');
        if (tab)
            *tab = 0;
        lines[count++] = (struct tip_line){text, tab ? tab + 1 : NULL};
        text = end + more;
    }
    return count;
}

/* The size at which the tooltip's image is drawn: small ones are enlarged by a whole number. */
static bool image_size(const struct td_view *view, float *wide, float *high)
{
    const float most = TD_U(view, IMAGE_SIDE), least = TD_U(view, LEAST_IMAGE);
    if (!view->hover.tip[0] || !td_pictures_size(view, view->hover.tip_image - 1, wide, high))
        return false;
    const float side = fmaxf(*wide, *high);
    const float times = side > most ? most / side : side < least ? ceilf(least / side) : 1;
    *wide *= times;
    *high *= times;
    return true;
}

static void draw_tip_box(struct td_view *view, td_rgba swatch, const char *title,
                         const struct tip_line *lines, int count)
{
    struct td_ui *ui = view->ui;
    float line_height = roundf(td_ui_text_height(ui, TD_FONT_TEXT) * 1.35f), pad = TD_U(view, 10);
    float most = fminf(TD_U(view, 460), td_ui_width(ui) - 8 - 2 * pad), label = 0, value = 0,
          swatch_room = swatch ? TD_U(view, 16) : 0;
    float wide = td_ui_text_width(ui, TD_FONT_BOLD, title) + swatch_room;
    for (int i = 0; i < count; i++) {
        float l = td_ui_text_width(ui, TD_FONT_TEXT, lines[i].label);
        if (!lines[i].value) {
            wide = fmaxf(wide, l);
            continue;
        }
        label = fmaxf(label, l);
        value = fmaxf(value, td_ui_text_width(ui, TD_FONT_TEXT, lines[i].value));
    }
    label += label > 0 ? TD_U(view, 14) : 0;
    float image_wide = 0, image_high = 0;
    const bool image = image_size(view, &image_wide, &image_high);
    wide = fminf(fmaxf(fmaxf(wide, label + value), image_wide), most) + 2 * pad;
    /* Drop lines that do not fit in the window. */
    count = (int)fmaxf(0, fminf((float)count, (td_ui_height(ui) - 8 - 2 * pad) / line_height - 1));
    float height = 2 * pad + line_height * (float)(count + 1) - TD_U(view, 2);
    const float image_top = height - pad + TD_U(view, 6);
    height += image ? image_high + TD_U(view, 6) : 0;
    float x = td_ui_mouse_x(ui) + TD_U(view, 16), y = td_ui_mouse_y(ui) + TD_U(view, 18);
    if (x + wide > td_ui_width(ui) - 4)
        x = fmaxf(4, td_ui_mouse_x(ui) - wide - TD_U(view, 10));
    if (y + height > td_ui_height(ui) - 4)
        y = fmaxf(4, td_ui_mouse_y(ui) - height - TD_U(view, 10));
    td_ui_rect(ui, x + 3, y + 4, x + wide + 3, y + height + 4, 0x60000000, TD_U(view, 6));
    td_ui_rect(ui, x, y, x + wide, y + height, td_color_alpha(TD_C(RAISED), .98f), TD_U(view, 6));
    td_ui_frame_rect(ui, x, y, x + wide, y + height, TD_C(EDGE), TD_U(view, 6), 1);
    if (image)
        td_pictures_draw(view, view->hover.tip_image - 1, x + pad, y + image_top, wide - 2 * pad, image_high);
    y += pad;
    if (swatch)
        td_ui_rect(ui, x + pad, y + TD_U(view, 2), x + pad + TD_U(view, 10), y + TD_U(view, 12), swatch,
                   TD_U(view, 2));
    td_ui_text_fit(ui, TD_FONT_BOLD, x + pad + swatch_room, y, wide - 2 * pad - swatch_room, TD_C(TEXT),
                   title);
    for (int i = 0; i < count; i++) {
        y += line_height;
        td_rgba first = lines[i].value ? TD_C(TEXT_DIM) : TD_C(TEXT);
        td_ui_text_fit(ui, TD_FONT_TEXT, x + pad, y, wide - 2 * pad, first, lines[i].label);
        if (lines[i].value)
            td_ui_text_fit(ui, TD_FONT_TEXT, x + pad + label, y, wide - 2 * pad - label, TD_C(TEXT),
                           lines[i].value);
    }
}

static void append_tip(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append_tip(char *text, size_t bytes, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, bytes - used, format, args);
    va_end(args);
}

static void append_thread(const struct td_view *view, uint32_t track, char *text, size_t bytes)
{
    const struct td_track *t = td_dict_get_track(view->model.dict, track);
    const char *name = td_dict_text(view->model.dict, t->name);
    if (*name)
        append_tip(text, bytes, "thread\t%.80s\n", TD_PLAIN(name));
    else
        append_tip(text, bytes, "thread\t%" PRIu64 "\n", t->thread);
    if (t->unsynced)
        append_tip(text, bytes, "clock\tnot synchronised with the host\n");
}

/* Zones within a pixel of the mouse. */
static size_t count_zones_at_mouse(struct td_view *view)
{
    float x = td_ui_mouse_x(view->ui);
    struct td_zone_ref h = view->hover.zone;
    const struct td_clock_scope clock = td_view_enter_clock(view, h.track);
    size_t from =
        td_trace_zone_after(view->model.trace, h.track, h.row, td_lod_time(td_view_time(view, x - 1)));
    size_t to =
        td_trace_zone_after(view->model.trace, h.track, h.row, td_lod_time(td_view_time(view, x + 1)));
    td_view_leave_clock(view, &clock);
    return to - from;
}

static void draw_zone_tip(struct td_view *view)
{
    struct td_zone zone = td_view_zone(view, view->hover.zone);
    const struct td_srcloc *s = td_dict_get_srcloc(view->model.dict, zone.srcloc);
    char text[1000] = "", number[TD_FORMAT_BYTES];
    double length = td_view_zone_end(view, &zone) - (double)zone.start_ns;
    append_tip(text, sizeof text, "duration\t%s%s\n", td_format_ns(number, length),
               zone.end_ns == TD_OPEN ? " so far, not ended" : "");
    if (zone.child_end > zone.child_begin)
        append_tip(text, sizeof text, "self\t%s\n",
                   td_format_ns(number, (double)td_view_self_ns(view, view->hover.zone)));
    const double start = (double)zone.start_ns,
                 shown = td_view_shown_ns(&view->model, view->hover.zone.track, start);
    append_tip(text, sizeof text, "start\t%s\n", td_format_time(number, shown, 1));
    if (shown != start)
        append_tip(text, sizeof text, "recorded start\t%s\n", td_format_time(number, start, 1));
    if (s->flags & TD_SRCLOC_WAIT)
        append_tip(text, sizeof text, "kind\twaiting\n");
    if (*td_dict_text(view->model.dict, s->file))
        append_tip(text, sizeof text, "source\t%.120s:%" PRIu32 "\n",
                   TD_PLAIN(td_dict_text(view->model.dict, s->file)), s->line);
    const char *function = td_dict_text(view->model.dict, s->function);
    if (*function && strcmp(function, td_zone_label(view->model.dict, &zone)))
        append_tip(text, sizeof text, "function\t%.120s\n", TD_PLAIN(function));
    append_thread(view, view->hover.zone.track, text, sizeof text);
    size_t here = count_zones_at_mouse(view);
    if (here > 2)
        append_tip(text, sizeof text, "here\t%s zones within two pixels\n", td_format_count(number, here));
    if (zone.text)
        append_tip(text, sizeof text, "%.300s\n", td_dict_text(view->model.dict, zone.text));
    struct tip_line lines[MAX_LINES];
    int count = split_tip(text, lines);
    draw_tip_box(view, td_view_zone_color(view, view->hover.zone, &zone),
                 TD_PLAIN(td_zone_label(view->model.dict, &zone)), lines, count);
}

void td_tooltip(struct td_view *view)
{
    if (view->drag.kind != TD_DRAG_NONE)
        return;
    if (view->hover.tip[0]) {
        struct tip_line lines[MAX_LINES];
        char *body = view->hover.tip + strcspn(view->hover.tip, "\n");
        if (*body)
            *body++ = 0;
        draw_tip_box(view, 0, view->hover.tip, lines, split_tip(body, lines));
    } else if (td_ref_valid(view->hover.zone)) {
        draw_zone_tip(view);
    }
}
