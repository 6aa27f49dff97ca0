/* What the trace lacks: gaps with dropped events, stalls, damage, faults, the crash. */
#include "host/base/err.h"
#include "host/event/map.h"
#include "host/query/table/tables.h"
#include "host/query/table/track_name.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/tooltip.h"

#include <stdio.h>
#include <stdlib.h>

struct losses_panel {
    struct td_table_list table;
    int step; /* that waits for the list: 1 forward, -1 back */
};

TD_PANEL_STATE(losses_panel, LOSSES)

/* ---- rows ---- */

static uint64_t losses_key(const struct td_view *view)
{
    uint64_t key = td_mix64(view->model.lost.count + 1);
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        key = td_mix64(key ^ view->model.losses.of[k]);
    return key;
}

/* A copy of the marks, because a live session replaces the set. */
static bool ask_for_losses(struct td_view *view, struct td_query_request *of)
{
    struct td_marks *marks = malloc(sizeof *marks);
    if (marks && td_marks_copy(marks, &view->model.lost) == 0) {
        of->with = marks;
        return true;
    }
    free(marks);
    return false;
}

static const struct td_loss *loss_at(const struct td_query_rows *rows, uint64_t row)
{
    return &td_losses_of(rows)->list[row];
}

static void look_of_loss(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                         struct td_row_look *look)
{
    const enum td_loss_kind kind = loss_at(rows, row)->kind;
    look->box = kind == TD_LOSS_STALL ? TD_C(STALL) : kind >= TD_LOSS_UNSYNCED ? TD_C(MESSAGE) : TD_C(LOST);
}

static void set_tip(struct td_view *view, const struct td_query_rows *rows, uint64_t row)
{
    const struct td_loss *loss = loss_at(rows, row);
    char room[TD_TRACK_NAME_BYTES], text[TD_FORMAT_BYTES] = "", time[TD_FORMAT_BYTES + 8] = "";
    const char *track = td_track_name(rows->dict, loss->track, room);
    if (loss->start_ns != TD_UNKNOWN_NS)
        snprintf(time, sizeof time, "at\t%s\n", td_format_time(text, (double)loss->start_ns, 1));
    td_tip(view, td_loss_title(loss->kind), "%s%s%.100s%s%.700s", time, *track ? "track\t" : "", track,
           *track ? "\n" : "", loss->text);
}

static void describe_losses(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                            char *text, size_t bytes)
{
    char number[TD_FORMAT_BYTES], of[TD_FORMAT_BYTES + 4] = "", all[TD_FORMAT_BYTES], lanes[60];
    if (td_lanes_key(view))
        snprintf(of, sizeof of, " of %s", td_format_count(all, rows->count));
    snprintf(text, bytes, "%s%s%s entr%s%s", td_format_count(number, listed), of,
             td_losses_of(rows)->cut ? " or more" : "", listed == 1 ? "y" : "ies",
             td_lanes_note(view, lanes, sizeof lanes));
}

/* ---- steps from one to the next ---- */

/* The first row to step to: the first one within or after the visible range. */
static uint64_t first_step(const struct td_view *view, const struct td_table_list *t, int step)
{
    uint64_t best = t->rows.count;
    int64_t best_ns = 0;
    for (uint64_t i = 0; i < t->rows.count; i++) {
        const int64_t start_ns = loss_at(t->shown, t->rows.rows[i])->start_ns;
        if (start_ns == TD_UNKNOWN_NS || (double)start_ns < view->camera.to_start_ns)
            continue;
        if (best == t->rows.count || start_ns < best_ns) {
            best = i;
            best_ns = start_ns;
        }
    }
    if (step > 0)
        return best < t->rows.count ? best : 0;
    return best && best < t->rows.count ? best - 1 : t->rows.count - 1;
}

static const struct td_table_button buttons[] = {TD_CHOICE_BUTTON(0, struct losses_panel, step, 1, "Next"),
                                                 TD_CHOICE_BUTTON(0, struct losses_panel, step, -1, "Back"),
                                                 {0}};

static const struct td_table_panel losses = {
    .table = &td_table_losses,
    .id = TD_PANEL_LOSSES,
    .columns = "kind time_ns what length_ns lost track",
    .sort = "time_ns",
    .row = "entry",
    .rows = "entries",
    .empty = "Nothing is known to be lost, and nothing is damaged.",
    .whole = true,
    .by_lane = true,
    .buttons = buttons,
    .key = losses_key,
    .ask = ask_for_losses,
    .look = look_of_loss,
    .tip = set_tip,
    .describe = describe_losses,
};
TD_TABLE_PANEL(losses)

static void take_step(struct td_view *view, struct losses_panel *s)
{
    struct td_table_list *t = &s->table;
    const uint64_t count = t->rows.count;
    if (!s->step || !t->shown || t->job.running)
        return;
    if (count)
        td_table_choose(view, &losses,
                        t->list.selected
                            ? ((uint64_t)t->list.selected - 1 + (s->step > 0 ? 1 : count - 1)) % count
                            : first_step(view, t, s->step),
                        TD_ROW_BY_ARROW);
    t->list.show = true;
    s->step = 0;
}

static void draw_losses(struct td_view *view, const struct td_rect *place)
{
    td_table_panel_update(view, &losses);
    take_step(view, state_of(view));
    draw_table(view, place);
}

static bool take_losses_key(struct td_view *view, const struct td_key_press *press)
{
    if (press->key != 'l' || press->ctrl)
        return take_table_key(view, press);
    td_panel_set_open(view, TD_PANEL_LOSSES, true);
    state_of(view)->step = press->shift ? -1 : 1;
    return true;
}

static const struct td_help_line losses_help[] = {
    {"L, Shift+L", "next and previous loss, stall or damage"},
    {0},
};

const struct td_panel td_panel_losses = {
    .name = "losses",
    .dock = TD_DOCK_BOTTOM,
    .title = "Losses",
    .group = TD_GROUP_SESSION,
    .page = "What was lost, and what is damaged?",
    .help = losses_help,
    .state_bytes = sizeof(struct losses_panel),
    .draw = draw_losses,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_losses_key,
};
