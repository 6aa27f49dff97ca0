/* What the trace lacks: gaps with dropped events, stalls, damage, faults, the crash. */
#include "host/base/cell_text.h"
#include "host/base/err.h"
#include "host/event/map.h"
#include "host/query/facts/losses.h"
#include "host/viewer/panels/list.h"
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum losses_column { KIND, TIME, TEXT, LENGTH, COUNT, TRACK, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [KIND] = {.title = "Kind", .width = 160},
    [TIME] = {.title = "Time", .width = 120, .right = true},
    [TEXT] = {.title = "What"},
    [LENGTH] = {.title = "Length", .width = 90, .right = true},
    [COUNT] = {.title = "Lost", .width = 90, .right = true},
    [TRACK] = {.title = "Track", .width = 190},
};

struct losses_panel {
    struct td_list list;
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    struct td_marks marks;        /* a copy */
    struct td_losses made, shown; /* the entries of lanes that pass come first */
    size_t passing;               /* their number */
    uint64_t lanes_key;
    bool any, started;
    int step; /* that waits for the list: 1 forward, -1 back */
};

static struct losses_panel *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_LOSSES].state;
}

/* ---- the list ---- */

static void make_losses(void *self, struct td_job *job)
{
    struct losses_panel *s = self;
    td_losses_free(&s->made);
    /* Without memory the list ends early. */
    td_losses_make(&s->made, s->trace, &s->marks, job);
    td_marks_free(&s->marks);
}

/* The job reads a copy, because a live session replaces the set. */
static int copy_marks(struct td_marks *to, const struct td_marks *from)
{
    *to = (struct td_marks){.row_count = from->row_count, .count = from->count, .cut = from->cut};
    if (!from->count)
        return 0;
    to->rows = malloc(from->row_count * sizeof *to->rows);
    to->index = malloc(from->count * sizeof *to->index);
    if (!to->rows || !to->index) {
        td_marks_free(to);
        return TD_E_NOMEM;
    }
    memcpy(to->rows, from->rows, from->row_count * sizeof *to->rows);
    memcpy(to->index, from->index, from->count * sizeof *to->index);
    return 0;
}

struct losses_order {
    const struct td_view *view;
    const struct td_dict *dict;
    int column;
    bool descending;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_by(const struct losses_order *order, const struct td_loss *x, const struct td_loss *y)
{
    char room[2][TD_TRACK_NAME_BYTES];
    switch (order->column) {
    case KIND:
        return compare_numbers(x->kind, y->kind);
    case LENGTH:
        return compare_numbers(x->length_ns, y->length_ns);
    case COUNT:
        return x->count < y->count ? -1 : x->count > y->count;
    case TRACK:
        return strverscmp(td_track_name(order->dict, x->track, room[0]),
                          td_track_name(order->dict, y->track, room[1]));
    case TEXT:
        return strcmp(x->text, y->text);
    default:
        return compare_numbers(x->start_ns, y->start_ns);
    }
}

/* What is of no one lane passes. */
static bool loss_passes(const struct td_view *view, const struct td_loss *loss)
{
    return loss->track == TD_NO_TRACK || td_lanes_passes(view, loss->track);
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct losses_order *order = self;
    const struct td_loss *x = a, *y = b;
    const int passes = loss_passes(order->view, y) - loss_passes(order->view, x);
    if (passes)
        return passes;
    int result = compare_by(order, x, y);
    if (order->descending)
        result = -result;
    if (result == 0)
        result = compare_numbers(x->start_ns, y->start_ns);
    if (result == 0)
        result = compare_numbers(x->track, y->track);
    return result ? result : compare_numbers((int64_t)x->zone.index, (int64_t)y->zone.index);
}

static void sort_rows(const struct td_view *view, struct losses_panel *s)
{
    struct losses_order order = {view, view->model.dict, s->list.sort, s->list.descending};
    if (s->shown.count)
        qsort_r(s->shown.list, s->shown.count, sizeof *s->shown.list, compare_rows, &order);
    for (s->passing = 0; s->passing < s->shown.count; s->passing++)
        if (!loss_passes(view, &s->shown.list[s->passing]))
            break;
}

static void update_rows(struct td_view *view, struct losses_panel *s)
{
    bool fresh;
    uint64_t key = td_mix64(view->model.lost.count + 1);
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        key = td_mix64(key ^ view->model.losses.of[k]);
    if (!s->started)
        s->list.sort = TIME;
    s->started = true;
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_losses_free);
        s->any = true;
    }
    if (fresh || s->lanes_key != td_lanes_key(view)) {
        s->lanes_key = td_lanes_key(view);
        s->list.selected = 0;
        sort_rows(view, s);
    }
    if (state != TD_JOB_WANTED || copy_marks(&s->marks, &view->model.lost) < 0)
        return;
    s->trace = view->model.trace;
    td_job_start(&s->job, key, make_losses, s);
}

/* ---- going to a loss ---- */

static void show_loss(struct td_view *view, const struct td_loss *loss)
{
    if (td_ref_valid(loss->zone)) {
        td_view_select(view, loss->zone);
        td_view_show_zone(view, loss->zone, false);
    } else if (loss->start_ns != TD_UNKNOWN_NS) {
        td_view_show_spot(view, (struct td_spot){true, loss->track, loss->start_ns, loss->start_ns}, false);
    } else if (loss->track != TD_NO_TRACK) {
        int64_t now = (int64_t)view->camera.to_start_ns;
        td_view_show_spot(view, (struct td_spot){true, loss->track, now, now}, false);
        view->selection.spot.used = false;
    }
}

/* The first row to step to: the first one within or after the visible range. */
static size_t first_step(const struct td_view *view, const struct losses_panel *s, int step)
{
    size_t best = s->passing;
    for (size_t i = 0; i < s->passing; i++) {
        const struct td_loss *l = &s->shown.list[i];
        if (l->start_ns == TD_UNKNOWN_NS || (double)l->start_ns < view->camera.to_start_ns)
            continue;
        if (best == s->passing || l->start_ns < s->shown.list[best].start_ns)
            best = i;
    }
    if (step > 0)
        return best < s->passing ? best : 0;
    return best && best < s->passing ? best - 1 : s->passing - 1;
}

static void take_step(struct td_view *view, struct losses_panel *s)
{
    size_t count = s->passing, row;
    int step = s->step;
    if (!step || !s->any)
        return;
    s->step = 0;
    if (!count)
        return;
    if (s->list.selected)
        row = ((size_t)s->list.selected - 1 + (step > 0 ? 1 : count - 1)) % count;
    else
        row = first_step(view, s, step);
    s->list.selected = (int)row + 1;
    s->list.show = true;
    show_loss(view, &s->shown.list[row]);
}

/* ---- drawing ---- */

static td_rgba color_of(enum td_loss_kind kind)
{
    return kind == TD_LOSS_STALL ? TD_C(STALL) : kind >= TD_LOSS_UNSYNCED ? TD_C(MESSAGE) : TD_C(LOST);
}

/* The first line of a text. */
static const char *first_line(char *room, size_t bytes, const char *text)
{
    snprintf(room, bytes, "%.*s", (int)strcspn(text, "\n"), text);
    return room;
}

static void draw_row(struct td_list_drawing *d, const struct td_loss *loss)
{
    struct td_view *view = d->view;
    char text[TD_FORMAT_BYTES], room[TD_TRACK_NAME_BYTES], line[400];
    td_list_name(d, KIND, color_of(loss->kind), TD_C(TEXT), td_loss_title(loss->kind));
    if (loss->start_ns != TD_UNKNOWN_NS)
        td_list_text(d, TIME, TD_C(TEXT), td_format_time(text, (double)loss->start_ns, 1));
    if (loss->length_ns == TD_OPEN)
        td_list_text(d, LENGTH, TD_C(TEXT_DIM), "to the end");
    else if (loss->length_ns)
        td_list_text(d, LENGTH, TD_C(TEXT), td_format_ns(text, (double)loss->length_ns));
    if (loss->count)
        td_list_text(d, COUNT, TD_C(TEXT), td_format_count(text, loss->count));
    td_list_text(d, TRACK, TD_C(TEXT_DIM), td_track_name(view->model.dict, loss->track, room));
    td_list_text(d, TEXT, TD_C(TEXT_DIM), first_line(line, sizeof line, loss->text));
}

static void set_tip(struct td_view *view, const struct td_loss *loss)
{
    char room[TD_TRACK_NAME_BYTES], text[TD_FORMAT_BYTES] = "", time[TD_FORMAT_BYTES + 8] = "";
    const char *track = td_track_name(view->model.dict, loss->track, room);
    if (loss->start_ns != TD_UNKNOWN_NS)
        snprintf(time, sizeof time, "at\t%s\n", td_format_time(text, (double)loss->start_ns, 1));
    td_tip(view, td_loss_title(loss->kind), "%s%s%.100s%s%.700s", time, *track ? "track\t" : "", track,
           *track ? "\n" : "", loss->text);
}

/* The list as lines with tabs, times in ns. */
static void copy_list(struct td_view *view, const struct losses_panel *s)
{
    char *text = NULL, room[TD_TRACK_NAME_BYTES], line[400];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "kind\ttime_ns\tlength_ns\tlost\ttrack\twhat\n");
    for (size_t i = 0; i < s->passing; i++) {
        const struct td_loss *l = &s->shown.list[i];
        fprintf(f, "%s\t", td_loss_title(l->kind));
        if (l->start_ns != TD_UNKNOWN_NS)
            fprintf(f, "%" PRId64, l->start_ns);
        fputc('\t', f);
        if (l->length_ns != TD_OPEN)
            fprintf(f, "%" PRId64, l->length_ns);
        fprintf(f, "\t%" PRIu64 "\t%s\t%s\n", l->count,
                TD_CELL(td_track_name(view->model.dict, l->track, room)),
                TD_CELL(first_line(line, sizeof line, l->text)));
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct losses_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[200], number[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES], lanes[60];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3),
          right = place->right - pad;
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    if (td_ui_button(ui, "Copy", right - TD_U(view, 56), y, TD_U(view, 56), high))
        copy_list(view, s);
    right -= TD_U(view, 64);
    if (td_ui_button(ui, "Next", right - TD_U(view, 56), y, TD_U(view, 56), high))
        s->step = 1;
    right -= TD_U(view, 64);
    if (td_ui_button(ui, "Back", right - TD_U(view, 56), y, TD_U(view, 56), high))
        s->step = -1;
    right -= TD_U(view, 64);
    if (!s->any)
        snprintf(text, sizeof text, "counting");
    else if (!s->shown.count)
        snprintf(text, sizeof text, "Nothing is known to be lost, and nothing is damaged.");
    else if (s->lanes_key)
        snprintf(text, sizeof text, "%s of %s%s entries%s", td_format_count(number, s->passing),
                 td_format_count(all, s->shown.count), s->shown.cut ? " or more" : "",
                 td_lanes_note(view, lanes, sizeof lanes));
    else
        snprintf(text, sizeof text, "%s%s entr%s", td_format_count(number, s->passing),
                 s->shown.cut ? " or more" : "", s->passing == 1 ? "y" : "ies");
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad, text_y, right - place->left - pad, TD_C(TEXT_FAINT),
                   text);
}

static void draw_losses(struct td_view *view, const struct td_rect *place)
{
    struct losses_panel *s = state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    update_rows(view, s);
    draw_tools(view, s, place);
    take_step(view, s);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    int chosen = -1;
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->passing, &rows, &d); i < d.last;
         i++) {
        int row = td_list_row(&d, i);
        if (row & TD_ROW_CLICKED)
            chosen = i;
        if (row & TD_ROW_HOVERED)
            set_tip(view, &s->shown.list[i]);
        draw_row(&d, &s->shown.list[i]);
    }
    td_list_end(&d);
    if (chosen >= 0)
        show_loss(view, &s->shown.list[chosen]);
    if (d.sorted) {
        s->list.selected = 0;
        sort_rows(view, s);
    }
}

static bool take_losses_key(struct td_view *view, const struct td_key_press *press)
{
    struct losses_panel *s = state_of(view);
    bool enter;
    if (press->key == 'l' && !press->ctrl) {
        if (!td_panel_is_open(view, TD_PANEL_LOSSES))
            td_panel_set_open(view, TD_PANEL_LOSSES, true);
        s->step = press->shift ? -1 : 1;
        return true;
    }
    if (!td_panel_has_keys(view, TD_PANEL_LOSSES))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_list(view, s);
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->passing, &enter))
        return false;
    show_loss(view, &s->shown.list[s->list.selected - 1]);
    return true;
}

static bool losses_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_losses(struct td_view *view)
{
    struct losses_panel *s = state_of(view);
    td_job_stop(&s->job);
    td_marks_free(&s->marks);
    td_losses_free(&s->made);
    td_losses_free(&s->shown);
}

static const struct td_help_line losses_help[] = {
    {"L, Shift+L", "next and previous loss, stall or damage"},
    {0},
};

const struct td_panel td_panel_losses = {
    .name = "losses",
    .dock = TD_DOCK_BOTTOM,
    .title = "Losses",
    .help = losses_help,
    .state_bytes = sizeof(struct losses_panel),
    .draw = draw_losses,
    .free_state = free_losses,
    .is_busy = losses_are_busy,
    .take_key = take_losses_key,
};
