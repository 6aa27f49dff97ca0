/* The chips as they are: the grid of tiles, each divided into its cores, coloured by a measure. */
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/chip.h"
#include "host/viewer/panels/chip_draw.h"
#include "host/viewer/panels/chip_traffic.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/panels/sweep.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEGEND       44
#define TRAFFIC_LINE 15 /* more of the legend for the NoC */
#define LASSO_SLACK  5

struct chip_panel {
    struct td_chip_values values;
    uint32_t enlarged; /* 1 + the number of the chip; 0: all are shown */
    bool pressed;      /* the button went down on the map */
    float from_x, from_y;
    struct td_sweep sweep;
};

TD_PANEL_STATE(chip_panel, CHIP)

/* ---- drawing ---- */

static void draw_legend(struct td_view *view, const struct chip_panel *s, const struct td_rect *area)
{
    struct td_ui *ui = view->ui;
    char low[TD_FORMAT_BYTES], high[TD_FORMAT_BYTES];
    const int steps = 48;
    float wide = (area->right - area->left) / (float)steps, top = area->top + TD_U(view, 6),
          bar = TD_U(view, 9);
    for (int i = 0; i < steps; i++)
        td_ui_rect(ui, area->left + wide * (float)i, top, area->left + wide * (float)(i + 1), top + bar,
                   td_chip_scale_color(s->values.measure, (double)i / (steps - 1)), 0);
    float y = top + bar + TD_U(view, 3);
    if (s->values.high < s->values.low || !s->values.grid.tracks)
        return;
    td_chip_value_text(view, s->values.measure, s->values.low, low);
    td_chip_value_text(view, s->values.measure, s->values.high, high);
    td_ui_text(ui, TD_FONT_SMALL, area->left, y, TD_C(TEXT_DIM), low);
    td_ui_text(ui, TD_FONT_SMALL, area->right - td_ui_text_width(ui, TD_FONT_SMALL, high), y, TD_C(TEXT_DIM),
               high);
    const char *note = td_chip_measure_note(&s->values);
    float left = area->left + td_ui_text_width(ui, TD_FONT_SMALL, low) + TD_U(view, 10);
    float room = area->right - td_ui_text_width(ui, TD_FONT_SMALL, high) - TD_U(view, 10) - left;
    td_ui_text_fit(ui, TD_FONT_SMALL, left, y, room, TD_C(TEXT_FAINT), note);
    if (s->values.measure == TD_MEASURE_NOC)
        td_chip_draw_traffic_legend(view, &s->values, area->left, area->right, y + TD_U(view, TRAFFIC_LINE));
}

/* ---- tools ---- */

static void draw_measures(struct td_view *view, struct chip_panel *s, float left, float right, float *y)
{
    const float high = TD_U(view, 23);
    float x = left, edge = INFINITY;
    for (int i = 0; i < TD_MEASURE_COUNT; i++) {
        const char *name = td_chip_measure_name((enum td_chip_measure)i);
        if (x + td_tool_word_width(view, name) > right && x > left) {
            x = left;
            *y += high + 1;
        }
        if (td_tool_word(view, &x, &edge, *y, name, name, (int)s->values.measure == i, NULL))
            s->values.measure = (enum td_chip_measure)i;
    }
    *y += high + TD_U(view, 3);
}

static void choose(struct td_view *view, enum td_choice choice, int number)
{
    td_view_choose(view, td_choice_name(choice), td_choice_word(choice, number), NULL);
}

static void toggle_sweep(struct td_view *view, struct chip_panel *s)
{
    if (s->sweep.running)
        td_sweep_stop(view, &s->sweep);
    else
        td_sweep_start(view, &s->sweep, TD_SWEEP_STEPS);
}

const char *td_chip_measure_word(size_t index)
{
    static const char *const words[] = {
#define TD_X(id, name, color, share, word) #word,
        TD_CHIP_MEASURES(TD_X)
#undef TD_X
    };
    return index < TD_MEASURE_COUNT ? words[index] : NULL;
}

int td_chip_show_measure(struct td_view *view, const char *name, struct td_err *err)
{
    char known[120] = "";
    for (size_t i = 0; i < TD_MEASURE_COUNT; i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", td_chip_measure_word(i));
        if (strcmp(td_chip_measure_word(i), name) != 0)
            continue;
        state_of(view)->values.measure = (enum td_chip_measure)i;
        td_panel_set_open(view, TD_PANEL_CHIP, true);
        return 0;
    }
    return td_fail(err, TD_E_USAGE, "'%.80s' is no measure of chips; there are %s", name, known);
}

int td_chip_sweep(struct td_view *view, const char *steps, struct td_err *err)
{
    struct chip_panel *s = state_of(view);
    char *end;
    if (steps && !strcmp(steps, "stop")) {
        td_sweep_stop(view, &s->sweep);
        return 0;
    }
    const long count = steps ? strtol(steps, &end, 10) : TD_SWEEP_STEPS;
    if (steps && (end == steps || *end || count < 1 || count > TD_SWEEP_STEPS_MOST))
        return td_fail(err, TD_E_USAGE, "'%.80s' is neither a number of steps from 1 to %d nor 'stop'", steps,
                       TD_SWEEP_STEPS_MOST);
    td_panel_set_open(view, TD_PANEL_CHIP, true);
    td_sweep_start(view, &s->sweep, (int)count);
    return 0;
}

/* The button, and which step is shown; returns where the next control begins. */
static float draw_sweep(struct td_view *view, struct chip_panel *s, float left, float right, float y)
{
    const float high = TD_U(view, 23), wide = TD_U(view, 52);
    char text[40];
    if (left + wide > right)
        return left;
    if (td_ui_button(view->ui, s->sweep.running ? "Stop##sweep" : "Play##sweep", left, y, wide, high))
        toggle_sweep(view, s);
    left += wide + TD_U(view, 8);
    if (!s->sweep.running)
        return left;
    snprintf(text, sizeof text, "%d of %d", s->sweep.step + 1, s->sweep.steps);
    return left +
           td_ui_text_fit(view->ui, TD_FONT_SMALL, left, y + TD_U(view, 5), right - left, TD_C(TEXT), text) +
           TD_U(view, 8);
}

/* Chooses one of two words; returns where the next control begins. */
static float draw_switch(struct td_view *view, enum td_choice choice, const char *const labels[2], float left,
                         float right, float y)
{
    for (int i = 0; i < 2; i++)
        if (td_tool_word(view, &left, &right, y, labels[i], labels[i], td_view_choice(view, choice) == i,
                         NULL))
            choose(view, choice, i);
    return left + TD_U(view, 8);
}

/* Places on the chip or logical coordinates, where there is a choice. */
static float draw_grids(struct td_view *view, const struct chip_panel *s, float left, float right, float y)
{
    static const char *const grids[] = {"On chip", "Logical"};
    return s->values.maps.count ? draw_switch(view, TD_CHOICE_GRID, grids, left, right, y) : left;
}

/* The filter of lanes, and how the NoC is drawn. */
static void draw_filter(struct td_view *view, const struct chip_panel *s, float left, float right, float y,
                        float high)
{
    static const char *const traffic[] = {"Links", "Arrows"};
    const float switches = TD_U(view, 96);
    if (s->values.measure == TD_MEASURE_NOC && s->values.maps.count && right - left > 2 * switches) {
        draw_switch(view, TD_CHOICE_TRAFFIC, traffic, right - switches, right, y);
        right -= switches + TD_U(view, 4);
    }
    td_draw_lane_filter(view, "##chip filter", left, y, right - left, high, false);
}

/* Draws the controls; returns the y below them. */
static float draw_tools(struct td_view *view, struct chip_panel *s, const struct td_rect *place)
{
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float left = place->left + pad, right = place->right - pad;
    draw_measures(view, s, left, right, &y);
    float limits = td_draw_limits(view, right, y, high) - pad;
    left = draw_sweep(view, s, left, limits, y);
    left = draw_grids(view, s, left, limits, y);
    if (s->enlarged && s->values.grid.chips > 1) {
        float wide = fminf(TD_U(view, 86), limits - left);
        if (wide > TD_U(view, 40) && td_ui_button(view->ui, "All chips", left, y, wide, high))
            s->enlarged = 0;
        char text[24];
        snprintf(text, sizeof text, "Chip %u", s->enlarged ? s->enlarged - 1 : 0);
        const float x = left + wide + pad;
        if (s->enlarged)
            td_ui_text_fit(view->ui, TD_FONT_SMALL, x, y + TD_U(view, 5), limits - x, TD_C(TEXT), text);
    } else if (!s->sweep.running && td_view_sums_progress(view) >= 0) {
        td_ui_text_fit(view->ui, TD_FONT_SMALL, left, y + TD_U(view, 5), limits - left, TD_C(TEXT_FAINT),
                       "counting ...");
    }
    y += high + TD_U(view, 5);
    draw_filter(view, s, place->left + pad, right, y, high);
    return y + high + TD_U(view, 8);
}

/* ---- mouse ---- */

/* Of a place without cores that have zones. */
static void set_place_tip(struct td_view *view, const struct chip_panel *s, const struct td_chip_places *m,
                          float x, float y)
{
    const struct td_grid *g = &s->values.grid;
    size_t chip;
    uint32_t at_x, at_y;
    char logical[32] = "", traffic[300] = "";
    if (!td_chip_grid_at(g, m, x, y, &chip, &at_x, &at_y))
        return;
    const enum td_chip_place kind = td_grid_kind(g, chip, at_x, at_y);
    if (kind == TD_PLACE_COUNT)
        return;
    if (td_grid_logical(g, chip, &at_x, &at_y))
        snprintf(logical, sizeof logical, "\ntile\t%u,%u, no zones", at_x, at_y);
    td_chip_grid_at(g, m, x, y, &chip, &at_x, &at_y);
    if (s->values.measure == TD_MEASURE_NOC)
        td_chip_add_traffic(view, &s->values, chip, at_x, at_y, traffic, sizeof traffic);
    td_tip(view, td_chip_place_name(kind), "chip\t%u\nplace on the NoC\t%u,%u%s\n%s", g->chip[chip], at_x,
           at_y, logical, traffic);
}

static void set_tip(struct td_view *view, const struct chip_panel *s, uint32_t track)
{
    const struct td_lane *lane = td_lanes_get(view, track);
    char name[TD_LANE_NAME_BYTES], number[4][TD_FORMAT_BYTES], found[400] = "", place[48] = "";
    if (!lane)
        return;
    const struct td_grid_tile *tile = td_grid_tile_of(&s->values.grid, &lane->facts);
    if (tile && s->values.grid.map[tile->chip])
        snprintf(place, sizeof place, "place on the NoC\t%u,%u\n", tile->x, tile->y);
    if (s->values.measure == TD_MEASURE_NAMED && *s->values.named)
        snprintf(found, sizeof found, "%.40s\t%.2f %%\n", s->values.named, s->values.value[track] * 100);
    if (s->values.measure == TD_MEASURE_NOC && tile) {
        snprintf(found, sizeof found, "NoC, by this core\t%s\n",
                 td_format_rate(number[3], s->values.value[track]));
        td_chip_add_traffic(view, &s->values, tile->chip, tile->x, tile->y, found, sizeof found);
    }
    td_chip_value_text(view, TD_MEASURE_END, lane->sum.zones ? (double)lane->sum.last_ns : 0, number[0]);
    td_tip(view, td_lanes_name(view, track, name),
           "%skernel\t%.60s\nbusy\t%.1f %%\nwaiting\t%.1f %%\nlost, stalled\t%.2f "
           "%%\nzones\t%s\nlongest\t%s\nend\t%s\n%s",
           place, *lane->facts.kernel ? lane->facts.kernel : "-", lane->facts.busy * 100,
           lane->facts.wait * 100, lane->facts.lost * 100, td_format_count(number[1], lane->sum.zones),
           td_format_ns(number[2], lane->facts.longest_ns), number[0], found);
}

/* Adds the tiles of a chip that are in the lasso to an expression. */
static void add_lasso(const struct td_grid *g, const struct td_chip_places *m, size_t chip,
                      const struct td_rect *lasso, char *text, size_t bytes)
{
    const struct td_chip_corner corner = td_chip_corner_of(m, chip);
    const float x0 = fmaxf((lasso->left - corner.left) / m->tile, 0),
                y0 = fmaxf((lasso->top - corner.top) / m->tile, 0);
    const float x1 = fminf((lasso->right - corner.left) / m->tile, (float)g->width - .5f),
                y1 = fminf((lasso->bottom - corner.top) / m->tile, (float)g->height - .5f);
    if (x0 < (float)g->width && y0 < (float)g->height && x1 >= x0 && y1 >= y0)
        td_grid_name_area(g, chip,
                          &(struct td_grid_area){(uint32_t)x0, (uint32_t)y0, (uint32_t)x1, (uint32_t)y1},
                          text, bytes);
}

/* Sets the filter to the tiles in the lasso, or adds them. Parts for which it has no room are left out. */
static void take_lasso(struct td_view *view, const struct chip_panel *s, const struct td_chip_places *m,
                       const struct td_rect *lasso, bool add)
{
    char text[TD_LANE_FILTER_BYTES] = "";
    if (add && view->lanes.filter.count)
        snprintf(text, sizeof text, "%.150s", view->lanes.filter.text);
    for (size_t c = m->first; c < m->first + m->count; c++)
        add_lasso(&s->values.grid, m, c, lasso, text, sizeof text);
    if (*text)
        td_lanes_set_filter(view, text);
}

static void click_map(struct td_view *view, struct chip_panel *s, const struct td_chip_places *m, float x,
                      float y)
{
    uint32_t track;
    const struct td_grid_tile *tile = td_chip_tile_at(&s->values.grid, m, x, y, &track);
    const size_t chip = td_chip_at(&s->values.grid, m, x, y);
    if (tile)
        td_lanes_go(view, track);
    else if (chip != TD_CHIP_NONE && m->count > 1)
        s->enlarged = 1 + s->values.grid.chip[chip];
}

static void take_mouse(struct td_view *view, struct chip_panel *s, const struct td_chip_places *m,
                       const struct td_rect *area)
{
    struct td_ui *ui = view->ui;
    const float x = td_ui_mouse_x(ui), y = td_ui_mouse_y(ui);
    const bool inside = x >= area->left && x < area->right && y >= area->top && y < area->bottom &&
                        td_ui_region_hovered(ui) && !td_region_of(view, TD_PANEL_CHIP)->dragged;
    uint32_t track;
    if (inside && td_ui_mouse_pressed(ui, TD_MOUSE_LEFT)) {
        s->pressed = true;
        s->from_x = x;
        s->from_y = y;
    }
    const bool moved = fabsf(x - s->from_x) + fabsf(y - s->from_y) > TD_U(view, LASSO_SLACK);
    const struct td_rect lasso = {fminf(x, s->from_x), fminf(y, s->from_y), fmaxf(x, s->from_x),
                                  fmaxf(y, s->from_y)};
    if (s->pressed && moved) {
        td_ui_rect(ui, lasso.left, lasso.top, lasso.right, lasso.bottom, td_color_alpha(TD_C(ACCENT), .2f),
                   0);
        td_ui_frame_rect(ui, lasso.left, lasso.top, lasso.right, lasso.bottom, TD_C(ACCENT), 0, 1);
    } else if (inside && s->values.measure == TD_MEASURE_NOC &&
               td_chip_set_link_tip(view, &s->values, m, x, y)) {
        /* A link is nearer to the mouse than the core below it. */
    } else if (inside && td_chip_tile_at(&s->values.grid, m, x, y, &track)) {
        view->lanes.lit = track;
        set_tip(view, s, track);
    } else if (inside) {
        set_place_tip(view, s, m, x, y);
    }
    if (!s->pressed || td_ui_mouse_down(ui, TD_MOUSE_LEFT))
        return;
    s->pressed = false;
    if (moved)
        take_lasso(view, s, m, &lasso, td_ui_shift(ui));
    else if (inside)
        click_map(view, s, m, x, y);
}

/* ---- the panel ---- */

static void draw_chip(struct td_view *view, const struct td_rect *place)
{
    struct chip_panel *s = state_of(view);
    td_sweep_update(view, &s->sweep);
    td_chip_values_update(view, &s->values);
    float top = draw_tools(view, s, place), pad = TD_U(view, 10);
    const float axis = s->enlarged || s->values.grid.chips == 1 ? TD_U(view, 14) : 0;
    struct td_rect area = {place->left + pad + axis, top, place->right - pad,
                           place->bottom - TD_U(view, LEGEND) -
                               (s->values.measure == TD_MEASURE_NOC ? TD_U(view, TRAFFIC_LINE) : 0)};
    const struct td_rect legend = {place->left + pad, area.bottom, place->right - pad, place->bottom};
    if (!s->values.grid.tracks) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, area.left, area.top, area.right - area.left, TD_C(TEXT_FAINT),
                       "There are no device cores in this trace.");
        return;
    }
    if (area.bottom <= area.top || area.right <= area.left || !s->values.value)
        return;
    const struct td_chip_places maps = td_chip_places_make(view->scale, &s->values.grid, s->enlarged, &area);
    if (maps.tile <= 0)
        return;
    td_chip_draw(view, &s->values, &maps);
    if (s->values.measure == TD_MEASURE_NOC)
        td_chip_draw_traffic(view, &s->values, &maps);
    draw_legend(view, s, &legend);
    take_mouse(view, s, &maps, &area);
}

/* The next tile in that direction; cores keep their number. */
static void step_tile(struct td_view *view, const struct chip_panel *s, int dx, int dy)
{
    const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
    const struct td_grid_tile *tile = lane ? td_grid_tile_of(&s->values.grid, &lane->facts) : NULL;
    const struct td_grid *g = &s->values.grid;
    if (!tile && g->tracks)
        td_lanes_go(view, g->track[0]);
    if (!tile)
        return;
    size_t core = 0;
    while (core < tile->count && g->track[tile->first + core] != view->lanes.selected)
        core++;
    for (int x = (int)tile->x + dx, y = (int)tile->y + dy;
         x >= 0 && y >= 0 && x < (int)g->width && y < (int)g->height; x += dx, y += dy) {
        const struct td_grid_tile *next = td_grid_at(g, tile->chip, (uint32_t)x, (uint32_t)y);
        if (next) {
            td_lanes_go(view, g->track[next->first + (core < next->count ? core : 0)]);
            return;
        }
    }
}

static bool take_chip_key(struct td_view *view, const struct td_key_press *press)
{
    struct chip_panel *s = state_of(view);
    const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
    if (!td_panel_has_keys(view, TD_PANEL_CHIP) || td_panel_is_open(view, TD_PANEL_GROUPING))
        return false;
    if (press->key >= '1' && press->key < '1' + TD_MEASURE_COUNT) {
        s->values.measure = (enum td_chip_measure)(press->key - '1');
        return true;
    }
    switch (press->key) {
    case '0':
        choose(view, TD_CHOICE_GRID, !td_view_choice(view, TD_CHOICE_GRID));
        return true;
    case '9':
        choose(view, TD_CHOICE_TRAFFIC, !td_view_choice(view, TD_CHOICE_TRAFFIC));
        return true;
    case ' ':
        toggle_sweep(view, s);
        return true;
    case TD_KEY_LEFT:
        step_tile(view, s, -1, 0);
        return true;
    case TD_KEY_RIGHT:
        step_tile(view, s, 1, 0);
        return true;
    case TD_KEY_UP:
        step_tile(view, s, 0, -1);
        return true;
    case TD_KEY_DOWN:
        step_tile(view, s, 0, 1);
        return true;
    case TD_KEY_ENTER:
        s->enlarged = s->enlarged || !lane || !lane->facts.is_core ? 0 : 1 + lane->facts.chip;
        return true;
    default:
        return false;
    }
}

static bool chip_is_busy(const struct td_view *view)
{
    const struct chip_panel *s = state_of(view);
    return s->values.measure == TD_MEASURE_NOC && td_view_noc_is_busy(view);
}

static void free_chip(struct td_view *view)
{
    td_chip_values_free(&state_of(view)->values);
}

static const struct td_help_line chip_help[] = {
    {"B", "the chips, coloured by a measure of the range"},
    {"1 to 8 in Chips", "the measure"},
    {"9 in Chips", "the NoC as links, or as arrows between tiles"},
    {"0 in Chips", "tiles as on the chip, or by logical coordinates"},
    {"Drag in Chips, with Shift", "filter the lanes of these tiles, add them"},
    {"Space in Chips", "plays the marked range in steps, stops"},
    {"Arrows, Enter in Chips", "next tile, enlarge its chip"},
    {0},
};

const struct td_panel td_panel_chip = {
    .name = "chip",
    .dock = TD_DOCK_LEFT,
    .title = "Chips",
    .group = TD_GROUP_CORES,
    .page = "What does the chip look like?",
    .lacks = td_lacks_cores,
    .keys = {{.key = 'b'}},
    .help = chip_help,
    .state_bytes = sizeof(struct chip_panel),
    .draw = draw_chip,
    .is_busy = chip_is_busy,
    .free_state = free_chip,
    .take_key = take_chip_key,
};
