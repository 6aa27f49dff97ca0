/* Operations: a list of launches, and a picture of one with all its cores, aligned at their starts. */
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/base/plain_text.h"
#include "host/event/map.h"
#include "host/query/ops/operations_table.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/operations.h"
#include "host/viewer/timeline/notes.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define LIST_WIDTH   .46f /* of the panel */
#define LATE_PART    .1   /* a member that ends later than the median by this part of the operation is late */

enum operations_order { BY_END, BY_DURATION, BY_PLACE, ORDERS };
static const char *const order_names[ORDERS] = {"end", "duration", "place"};

struct operations {
    struct td_table_list table;
    uint64_t seen; /* the key of the rows that the following is about */
    size_t *lanes; /* members of the chosen operation in the order of the picture */
    size_t lane_capacity, lane_count;
    enum operations_order order;
    bool own_starts;  /* each member begins at the left edge */
    size_t lanes_of;  /* 1 + the operation that `lanes` are of; 0: none */
    size_t base;      /* 1 + the operation to compare with; 0: none */
    char wanted[32];  /* what a command chooses; "": nothing */
    char mistake[80]; /* of the last one; "": none */
    struct td_job chain_job;
    struct td_chain made_chain;
    const struct td_flows *chain_flows; /* the request of that job */
    uint32_t chain_track;
    int64_t chain_from_ns, chain_end_ns;
};

TD_PANEL_STATE(operations, OPERATIONS)

static const struct td_operations *shown_of(const struct operations *s)
{
    static const struct td_operations none;
    return s->table.shown ? td_operations_of(s->table.shown) : &none;
}

static const struct td_operation *chosen_of(const struct operations *s)
{
    const uint64_t row = td_table_selected(&s->table);
    return row != TD_NO_ROW ? &shown_of(s)->operation[row] : NULL;
}

bool td_operation_range(const struct td_view *view, int64_t *from_ns, int64_t *to_ns, uint64_t *key)
{
    const struct td_operation *o = chosen_of(state_of(view));
    if (!o)
        return false;
    *from_ns = o->from_ns;
    *to_ns = o->to_ns;
    *key = td_mix64(td_mix64((uint64_t)o->from_ns) ^ (uint64_t)o->to_ns ^ o->device) + o->count;
    return true;
}

bool td_operation_lanes(const struct td_view *view, struct td_lane_choice *lanes)
{
    const struct operations *s = state_of(view);
    const struct td_operation *o = chosen_of(s);
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    uint8_t *passes = calloc((size_t)tracks + 1, 1);
    if (!passes)
        return false;
    for (size_t i = 0; o && i < o->count; i++) {
        const uint32_t track = shown_of(s)->member[o->first + i].zone.track;
        if (track < tracks)
            passes[track] = td_lane_chosen(lanes, track);
    }
    td_lane_choice_free(lanes);
    *lanes = (struct td_lane_choice){passes, tracks};
    return true;
}

/* ---- the chain ---- */

static void make_chain(void *self, struct td_job *job)
{
    struct operations *s = self;
    /* Without memory there is none. */
    td_chain_back(&s->made_chain, s->chain_flows, TD_CHAIN_OF_TRACK(s->chain_track), s->chain_end_ns,
                  s->chain_from_ns, job);
}

/* Brings the chain that the timeline draws up to date. In a live session flows are replaced while a job would read
 * them. */
static void update_chain(struct td_view *view, struct operations *s)
{
    const struct td_operation *o = chosen_of(s);
    const bool is_live = view->model.live && td_live_get_state(view->model.live) != TD_LIVE_FINISHED;
    bool fresh;
    if (!o || !td_ref_valid(o->last) || is_live || view->model.loading || !view->model.flows.count ||
        !td_view_choice(view, TD_CHOICE_CHAIN)) {
        td_chain_free(&view->selection.operation_chain);
        td_job_stop(&s->chain_job);
        return;
    }
    const uint64_t key = td_mix64((uint64_t)o->to_ns ^ td_mix64(o->last.track)) ^ (uint64_t)o->from_ns;
    const enum td_job_state state = td_job_want(&s->chain_job, key, &fresh);
    if (fresh)
        TD_JOB_TAKE(&view->selection.operation_chain, &s->made_chain, td_chain_free);
    if (state == TD_JOB_WANTED) {
        s->chain_flows = &view->model.flows;
        s->chain_track = o->last.track;
        s->chain_end_ns = o->to_ns;
        s->chain_from_ns = o->from_ns;
        td_job_start(&s->chain_job, key, make_chain, s);
    }
}

/* ---- rows ---- */

static const char *track_name(const struct td_view *view, uint32_t track)
{
    return td_dict_text(view->model.dict, td_dict_get_track(view->model.dict, track)->name);
}

static uint64_t operations_key(const struct td_view *view)
{
    return td_mix64(td_lanes_key(view)) ^ (view->model.counted + 1);
}

/* The flows of a trace that grows are replaced: launches are not looked up then. */
static bool ask_for_operations(struct td_view *view, struct td_query_request *of)
{
    struct td_operations_wanted *wanted = calloc(1, sizeof *wanted);
    const bool is_live = view->model.live && td_live_get_state(view->model.live) != TD_LIVE_FINISHED;
    of->with = wanted;
    if (wanted && td_lanes_copy(view, &wanted->lanes)) {
        if (!is_live)
            wanted->flows = td_flows_share(&view->model.flows);
        return true;
    }
    free(wanted);
    return false;
}

static void show_operation(struct td_view *view, const struct td_operation *o)
{
    double span = fmax((double)(o->to_ns - o->from_ns), 1);
    td_camera_set_range(&view->camera, (double)o->from_ns - span * .05, (double)o->to_ns + span * .05, false);
}

/* ---- commands ---- */

int td_operation_choose(struct td_view *view, const char *which, struct td_err *err)
{
    const char *number = which + (*which == '#');
    const bool is_step = !strcmp(which, "next") || !strcmp(which, "previous");
    if (!is_step && (!*number || strspn(number, "0123456789") != strlen(number) || strlen(number) > 19))
        return td_fail(err, TD_E_USAGE, "'%.80s' is not the number of a launch, next or previous", which);
    struct operations *s = state_of(view);
    snprintf(s->wanted, sizeof s->wanted, "%s", number);
    s->mistake[0] = 0;
    td_panel_set_open(view, TD_PANEL_OPERATIONS, true);
    return 0;
}

const char *td_operation_error(const struct td_view *view)
{
    const struct operations *s = state_of(view);
    if (s->wanted[0])
        return "the operations are not known yet";
    return s->mistake[0] ? s->mistake : NULL;
}

/* The place in the list, counted from 1; 0: none. */
static uint64_t wanted_row(const struct operations *s)
{
    const uint64_t at = (uint64_t)s->table.list.selected, count = s->table.rows.count;
    if (*s->wanted == 'n')
        return at < count ? at + 1 : 0;
    if (*s->wanted == 'p')
        return at > 1 ? at - 1 : 0;
    const uint64_t id = strtoull(s->wanted, NULL, 10);
    for (uint64_t i = 0; i < count; i++)
        if (shown_of(s)->operation[s->table.rows.rows[i]].id == id)
            return i + 1;
    return 0;
}

/* Chooses what a command wants, once the operations are known. */
static void take_wanted(struct td_view *view, struct operations *s)
{
    if (!s->wanted[0] || s->table.job.running)
        return;
    const uint64_t row = wanted_row(s);
    if (row) {
        s->table.list.selected = (int)row;
        s->table.list.show = true;
        show_operation(view, chosen_of(s));
    } else {
        const bool is_number = *s->wanted >= '0' && *s->wanted <= '9';
        snprintf(s->mistake, sizeof s->mistake, "there is no %s%s", is_number ? "operation " : s->wanted,
                 is_number ? s->wanted : " operation");
        td_view_say(view, s->mistake);
    }
    s->wanted[0] = 0;
}

/* ---- the list ---- */

static void look_of_operation(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                              struct td_row_look *look)
{
    const struct td_operations *all = td_operations_of(rows);
    const struct td_operation *o = &all->operation[row];
    if (td_ref_valid(o->last)) {
        const struct td_zone zone = td_view_zone(view, o->last);
        look->box = td_color_of_zone(rows->dict, &zone);
    }
    look->number = o->doubt ? TD_C(STALL) : TD_C(TEXT);
}

/* The number of the operation that others are compared with. */
static bool draw_base(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row, int column,
                      const char *key)
{
    char text[TD_FORMAT_BYTES];
    if (strcmp(key, "run_id") || state_of(d->view)->base != row + 1)
        return false;
    snprintf(text, sizeof text, "base #%" PRIu64, td_operations_of(rows)->operation[row].id);
    td_list_text(d, column, TD_C(ACCENT), text);
    return true;
}

static void choose_operation(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                             enum td_row_choice how)
{
    show_operation(view, &td_operations_of(rows)->operation[row]);
}

static const struct td_table_panel operations = {
    .table = &td_table_operations,
    .id = TD_PANEL_OPERATIONS,
    .columns = "run_id name start_ns duration_ns tile_count spread_ns last",
    .sort = "start_ns",
    .name = "name",
    .row = "operation",
    .whole = true,
    .key = operations_key,
    .ask = ask_for_operations,
    .look = look_of_operation,
    .draw = draw_base,
    .choose = choose_operation,
};

/* The first operation of new rows is chosen. */
static void update_list(struct td_view *view, struct operations *s)
{
    td_table_panel_update(view, &operations);
    if (!s->table.shown || s->seen == s->table.shown_key)
        return;
    s->seen = s->table.shown_key;
    s->lanes_of = s->base = 0;
    s->table.list.selected = s->table.rows.count > 0;
}

/* ---- the picture ---- */

static int compare_lanes(const void *a, const void *b, void *self)
{
    const struct operations *s = self;
    const struct td_operation_member *x = &shown_of(s)->member[*(const size_t *)a];
    const struct td_operation_member *y = &shown_of(s)->member[*(const size_t *)b];
    int64_t p = s->order == BY_END ? x->end_ns : x->end_ns - x->start_ns;
    int64_t q = s->order == BY_END ? y->end_ns : y->end_ns - y->start_ns;
    if (s->order != BY_PLACE && p != q)
        return p > q ? -1 : 1;
    return x->zone.track < y->zone.track ? -1 : x->zone.track > y->zone.track;
}

static void order_lanes(struct operations *s, const struct td_operation *o)
{
    s->lane_count = 0;
    if (td_grow(&s->lanes, &s->lane_capacity, o->count + 1, sizeof *s->lanes) < 0)
        return;
    for (size_t i = 0; i < o->count; i++)
        s->lanes[s->lane_count++] = o->first + i;
    if (s->lane_count)
        qsort_r(s->lanes, s->lane_count, sizeof *s->lanes, compare_lanes, s);
    s->lanes_of = (size_t)(o - shown_of(s)->operation) + 1;
}

/* The member of the same track in the operation to compare with. */
static const struct td_operation_member *base_member(const struct operations *s, uint32_t track)
{
    const struct td_operation *base = &shown_of(s)->operation[s->base - 1];
    size_t low = base->first, high = base->first + base->count;
    TD_BISECT(low, high, i, shown_of(s)->member[i].zone.track < track);
    return low < base->first + base->count && shown_of(s)->member[low].zone.track == track
               ? &shown_of(s)->member[low]
               : NULL;
}

static void set_lane_tip(struct td_view *view, const struct operations *s, const struct td_operation *o,
                         const struct td_operation_member *m)
{
    char start[TD_FORMAT_BYTES], length[TD_FORMAT_BYTES], late[TD_FORMAT_BYTES],
        more[TD_FORMAT_BYTES + 32] = "";
    const struct td_operation_member *base = s->base ? base_member(s, m->zone.track) : NULL;
    struct td_zone zone = td_view_zone(view, m->zone);
    if (base)
        snprintf(more, sizeof more, "in the base\t%s\n",
                 td_format_ns(late, (double)(base->end_ns - base->start_ns)));
    td_tip(view, track_name(view, m->zone.track),
           "%szone\t%.100s\nduration\t%s\nstart\t+%s\n%safter the median\t%s\n",
           m->doubted ? "implausible\tits times are left out\n" : "",
           TD_PLAIN(td_zone_label(view->model.dict, &zone)),
           td_format_ns(length, (double)(m->end_ns - m->start_ns)),
           td_format_ns(start, (double)(m->start_ns - o->from_ns)), more,
           td_format_ns(late, (double)(m->end_ns - o->median_ns)));
}

struct operations_scale {
    const struct td_rect *place;
    double ns; /* of the whole width */
};

static float x_of(const struct operations_scale *scale, double ns)
{
    float wide = scale->place->right - scale->place->left;
    return scale->place->left + wide * (float)fmin(fmax(ns / scale->ns, 0), 1);
}

static void draw_lane(struct td_view *view, const struct operations *s, const struct td_operation *o,
                      const struct td_operation_member *m, const struct operations_scale *scale, float y0,
                      float y1)
{
    int64_t from = s->own_starts ? m->start_ns : o->from_ns;
    double late = LATE_PART * (double)(o->to_ns - o->from_ns);
    struct td_zone zone = td_view_zone(view, m->zone);
    bool is_late = (double)(m->end_ns - o->median_ns) > late;
    float x0 = x_of(scale, (double)(m->start_ns - from)), x1 = x_of(scale, (double)(m->end_ns - from));
    td_rgba color = td_color_mix(TD_C(PANEL), td_color_of_zone(view->model.dict, &zone), .75f);
    td_ui_rect(view->ui, x0, y0, fmaxf(x1, x0 + 1), y1, is_late ? TD_C(STALL) : color, 0);
    const struct td_operation_member *base = s->base ? base_member(s, m->zone.track) : NULL;
    if (base) {
        int64_t base_from = s->own_starts ? base->start_ns : shown_of(s)->operation[s->base - 1].from_ns;
        float x = x_of(scale, (double)(base->end_ns - base_from));
        td_ui_rect(view->ui, x, y0, x + TD_U(view, 2), y1, TD_C(SELECTED), 0);
    }
}

static void draw_picture(struct td_view *view, struct operations *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const struct td_operation *o = chosen_of(s);
    if (!o || place->bottom - place->top < TD_U(view, 20))
        return;
    if (s->lanes_of != (size_t)(o - shown_of(s)->operation) + 1)
        order_lanes(s, o);
    struct td_rect bars = {place->left + TD_U(view, 8), place->top + TD_U(view, 4),
                           place->right - TD_U(view, 8), place->bottom - TD_U(view, 20)};
    struct operations_scale scale = {&bars, fmax((double)(o->to_ns - o->from_ns), 1)};
    if (s->base) {
        const struct td_operation *base = &shown_of(s)->operation[s->base - 1];
        scale.ns = fmax(scale.ns, (double)(base->to_ns - base->from_ns));
    }
    float high = fminf((bars.bottom - bars.top) / (float)(s->lane_count ? s->lane_count : 1), TD_U(view, 14));
    float my = td_ui_mouse_y(ui), mx = td_ui_mouse_x(ui), drawn = bars.top;
    bool inside = td_ui_region_hovered(ui) && mx >= bars.left && mx < bars.right && my >= bars.top;
    for (size_t i = 0; i < s->lane_count; i++) {
        const struct td_operation_member *m = &shown_of(s)->member[s->lanes[i]];
        float y0 = bars.top + high * (float)i, y1 = y0 + high;
        bool hovered = inside && my >= y0 && my < y1;
        /* Many lanes a pixel: one is drawn. */
        if (floorf(y1) > floorf(drawn) || hovered) {
            draw_lane(view, s, o, m, &scale, y0, fmaxf(y1 - (high > 3 ? 1 : 0), y0 + 1));
            drawn = y1;
        }
        if (!hovered)
            continue;
        td_ui_frame_rect(ui, bars.left, y0 - 1, bars.right, y1 + 1, TD_C(SELECTED), 0, 1);
        set_lane_tip(view, s, o, m);
        if (td_ui_mouse_pressed(ui, TD_MOUSE_LEFT)) {
            td_view_select(view, m->zone);
            td_view_show_zone(view, m->zone, false);
        }
    }
    char text[2 * TD_FORMAT_BYTES + 140], number[TD_FORMAT_BYTES], chain[80] = "";
    float bottom = bars.top + high * (float)s->lane_count;
    if (!s->own_starts) {
        float x = x_of(&scale, (double)(o->median_ns - o->from_ns));
        td_ui_rect(ui, x, bars.top, x + 1, bottom, TD_C(MATCH), 0);
    }
    if (view->selection.operation_chain.count)
        snprintf(chain, sizeof chain, "; chain: %zu steps over %zu tracks",
                 view->selection.operation_chain.count, td_chain_tracks(&view->selection.operation_chain));
    snprintf(text, sizeof text, "0 to %s; yellow: half of the cores have ended; orange: late%s",
             td_format_ns(number, scale.ns), chain);
    td_ui_text_fit(ui, TD_FONT_SMALL, bars.left, bars.bottom + TD_U(view, 4), bars.right - bars.left,
                   TD_C(TEXT_FAINT), text);
}

/* ---- the panel ---- */

/* Times that are orange cannot be right: docs/report.md has the rule. */
static const char *doubts_note(const struct operations *s, char *text, size_t room)
{
    text[0] = 0;
    if (shown_of(s)->doubted) {
        const struct td_operation *first = &shown_of(s)->operation[shown_of(s)->first_doubted];
        snprintf(text, room, ", %zu with implausible times (#%" PRIu64 ": %s)", shown_of(s)->doubted,
                 first->id, td_op_doubt_text(first->doubt));
    }
    return text;
}

static void draw_tools(struct td_view *view, struct operations *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[400], number[TD_FORMAT_BYTES], of[TD_FORMAT_BYTES + 8] = "", lanes[60], doubts[160];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3),
          right = place->right - pad;
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    const struct td_operation *o = chosen_of(s);
    if (td_ui_button(ui, s->base ? "No base" : "Base", right - TD_U(view, 70), y, TD_U(view, 70), high) && o)
        s->base = s->base ? 0 : (size_t)(o - shown_of(s)->operation) + 1;
    right -= TD_U(view, 78);
    if (td_ui_button(ui, s->own_starts ? "Own starts" : "One start", right - TD_U(view, 90), y,
                     TD_U(view, 90), high))
        s->own_starts = !s->own_starts;
    right -= TD_U(view, 98);
    snprintf(text, sizeof text, "By %s", order_names[s->order]);
    if (td_ui_button(ui, text, right - TD_U(view, 100), y, TD_U(view, 100), high)) {
        s->order = (s->order + 1) % ORDERS;
        s->lanes_of = 0;
    }
    right -= TD_U(view, 108);
    if (td_ui_button(ui, td_view_choice(view, TD_CHOICE_CHAIN) ? "No chain" : "Chain", right - TD_U(view, 78),
                     y, TD_U(view, 78), high))
        td_view_next_choice(view, TD_CHOICE_CHAIN);
    right -= TD_U(view, 86);
    if (shown_of(s)->count < shown_of(s)->all)
        snprintf(of, sizeof of, " of %s", td_format_count(number, shown_of(s)->all));
    if (s->table.job.running)
        snprintf(text, sizeof text, "reading, %.0f %%", (double)td_job_progress(&s->table.job) * 100);
    else
        snprintf(text, sizeof text, "%s%s operation%s%s%s%s%s", td_format_count(number, shown_of(s)->count),
                 of, shown_of(s)->all == 1 ? "" : "s", td_lanes_note(view, lanes, sizeof lanes),
                 shown_of(s)->by_order ? ", numbered by their starts" : "", shown_of(s)->cut ? " (cut)" : "",
                 doubts_note(s, doubts, sizeof doubts));
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad, text_y, right - place->left - pad, TD_C(TEXT_FAINT),
                   text);
}

static void draw_operations(struct td_view *view, const struct td_rect *place)
{
    struct operations *s = state_of(view);
    update_list(view, s);
    take_wanted(view, s);
    update_chain(view, s);
    draw_tools(view, s, place);
    struct td_rect list = *place, picture = *place;
    list.top = picture.top = place->top + TD_U(view, TOOLS_HEIGHT);
    list.right = picture.left = place->left + (place->right - place->left) * LIST_WIDTH;
    td_table_panel_draw_rows(view, &operations, &list);
    draw_picture(view, s, &picture);
}

static bool take_operations_key(struct td_view *view, const struct td_key_press *press)
{
    if (!td_panel_has_keys(view, TD_PANEL_OPERATIONS) || press->key != 'v' || press->ctrl || press->shift)
        return td_table_panel_key(view, &operations, press);
    td_view_next_choice(view, TD_CHOICE_CHAIN);
    return true;
}

static char *copy_operations(struct td_view *view, enum td_copy_form form)
{
    return td_table_panel_copy(view, &operations, form);
}

static bool is_busy(const struct td_view *view)
{
    return state_of(view)->table.job.running || state_of(view)->chain_job.running;
}

static void free_operations(struct td_view *view)
{
    struct operations *s = state_of(view);
    td_job_stop(&s->chain_job);
    td_chain_free(&s->made_chain);
    td_chain_free(&view->selection.operation_chain);
    td_table_panel_free(view, &operations);
    free(s->lanes);
}

static bool toggle_column(struct td_view *view, const char *title)
{
    return td_table_toggle_column(view, &operations, title);
}

static const struct td_help_line operations_help[] = {
    {"O", "operations: one launch on all its cores"},
    {"V in Operations", "the critical chain of the chosen one, in the timeline"},
    {0},
};

const struct td_panel td_panel_operations = {
    .name = "operations",
    .dock = TD_DOCK_BOTTOM,
    .title = "Operations",
    .group = TD_GROUP_CORES,
    .page = "Which core delays an operation?",
    .lacks = td_lacks_cores,
    .keys = {{.key = 'o'}},
    .help = operations_help,
    .state_bytes = sizeof(struct operations),
    .draw = draw_operations,
    .free_state = free_operations,
    .copy = copy_operations,
    .toggle_column = toggle_column,
    .take_key = take_operations_key,
    .is_busy = is_busy,
};
