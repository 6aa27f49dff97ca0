/* Flame: where the time of zones, or samples, went: by name in the names around them. */
#include "host/viewer/panels/flame.h"
#include "host/base/plain_text.h"
#include "host/base/stream.h"
#include "host/trace/tables.h"
#include "host/viewer/panels/flame_state.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/panels/source.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define CRUMB_HEIGHT 22
#define MOST_CRUMBS  64

/* ---- what buttons, keys and commands do ---- */

/* X(id, word, key, label): switches; the key, in the panel. */
#define FLAME_SWITCHES(X)                                                                                    \
    X(of, samples, 'v', "Samples")                                                                           \
    X(by_track, tracks, 'y', "Tracks")                                                                       \
    X(upwards, upwards, 'q', "Upwards")                                                                      \
    X(operation, operation, 'x', "Operation")

/* Words of the command beside these. */
static const char *const words[] = {"zones",  "together", "icicle", "range", "difference",
                                    "search", "zoom",     "around", "reset"};
static const char *const switch_words[] = {
#define TD_X(id, word, key, label) #word,
    FLAME_SWITCHES(TD_X)
#undef TD_X
};
enum { WORDS = sizeof words / sizeof *words, SWITCHES = sizeof switch_words / sizeof *switch_words };
static const char *const differences[FLAME_DIFFERENCES] = {"off", "now", "before"};

const char *td_flame_word(size_t index)
{
    return index < SWITCHES ? switch_words[index] : index < SWITCHES + WORDS ? words[index - SWITCHES] : NULL;
}

static int *switch_of(struct flame_panel *s, const char *word)
{
#define TD_X(id, name, key, label)                                                                           \
    if (!strcmp(word, #name))                                                                                \
        return &s->id;
    FLAME_SWITCHES(TD_X)
#undef TD_X
    return NULL;
}

static void reset(struct flame_panel *s)
{
    flame_set_around(s, "");
    flame_picture_zoom(&s->whole, s->whole.first);
}

static void next_difference(struct flame_panel *s)
{
    s->difference = (s->difference + 1) % FLAME_DIFFERENCES;
}

static int choose_name(struct flame_panel *s, const char *word, const char *name, struct td_err *err)
{
    if (name && flame_lacks_name(s, name))
        return td_fail(err, TD_E_NOTFOUND, "the flame graph has no '%.80s'", name);
    if (!strcmp(word, "around"))
        flame_set_around(s, name ? name : "");
    else if (name)
        flame_zoom_name(s, name);
    else
        flame_picture_zoom(&s->whole, s->whole.first);
    return 0;
}

static int choose_difference(struct flame_panel *s, const char *value, struct td_err *err)
{
    for (int i = 0; i < FLAME_DIFFERENCES; i++)
        if (!strcmp(value ? value : "now", differences[i])) {
            s->difference = i;
            return 0;
        }
    return td_fail(err, TD_E_USAGE, "'%.80s' is not now, before or off", value);
}

int td_flame_do(struct td_view *view, const char *word, const char *value, struct td_err *err)
{
    static const char *const opposites[][2] = {
        {"zones", "samples"}, {"together", "tracks"}, {"icicle", "upwards"}, {"range", "operation"}};
    struct flame_panel *s = flame_panel_of(view);
    int *on = switch_of(s, word), off = 0;
    td_panel_set_open(view, TD_PANEL_FLAME, true);
    s->begun |= on == &s->of;
    for (size_t i = 0; i < sizeof opposites / sizeof *opposites && !on; i++)
        if (!strcmp(word, opposites[i][0])) {
            on = switch_of(s, opposites[i][1]);
            off = 1;
        }
    if (on) {
        *on = !off;
        s->begun |= on == &s->of;
        return 0;
    }
    if (!strcmp(word, "difference"))
        return choose_difference(s, value, err);
    if (!strcmp(word, "zoom") || !strcmp(word, "around"))
        return choose_name(s, word, value, err);
    if (!strcmp(word, "search"))
        snprintf(s->search, sizeof s->search, "%s", value ? value : "");
    else if (!strcmp(word, "reset"))
        reset(s);
    else
        return td_fail(err, TD_E_USAGE,
                       "'%.80s' is not samples, zones, tracks, together, upwards, icicle, operation, range, "
                       "difference, search, zoom, around or reset",
                       word);
    return 0;
}

/* ---- a node ---- */

static struct flame_look look_of(const struct flame_panel *s, bool upwards)
{
    return (struct flame_look){.upwards = upwards,
                               .swapped = s->shown_swapped,
                               .is_samples = s->shown_of == FLAME_SAMPLES,
                               .sample_ns = s->sample_ns,
                               .searched = s->search[0] != 0};
}

/* Zones of a name are searched in the timeline; a function's source is shown. */
static void show_node(struct td_view *view, const struct flame_panel *s, const struct td_flame *flame,
                      uint32_t node)
{
    const struct td_call_node *n = &flame->tree.at[node];
    if (!node || n->lane)
        return;
    if (s->shown_of == FLAME_ZONES)
        td_view_search_name(view, td_flame_name(flame, node));
    else if (!s->shown_swapped)
        td_view_show_source(view, (struct td_source_place){n->file, n->line, n->symbol, n->address, 0});
}

static void click_node(struct td_view *view, struct flame_panel *s, struct flame_picture *p, uint32_t node)
{
    if (td_ui_ctrl(view->ui))
        show_node(view, s, &p->flame, node);
    else if (td_ui_shift(view->ui))
        flame_set_around(s, td_flame_name(&p->flame, node));
    else
        flame_picture_zoom(p, node);
}

/* ---- drawing ---- */

static const char *describe(const struct flame_panel *s, const struct flame_look *look, char *text,
                            size_t bytes)
{
    const struct td_call_tree *tree = &s->whole.flame.tree;
    char total[120], cut[TD_FORMAT_BYTES];
    if (s->reason)
        return "";
    if (s->job.running) {
        snprintf(text, bytes, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
        return text;
    }
    if (s->shown_rc < 0)
        return "there is not enough memory to count";
    if (!tree->count)
        return "";
    flame_total_text(look, (double)tree->at[0].total, total, sizeof total);
    if (s->around[0] && s->callees.flame.tree.count) {
        const double part = (double)s->callees.flame.tree.at[0].total;
        char of_name[120];
        snprintf(text, bytes, "%s, %.2f %% of %s", flame_total_text(look, part, of_name, sizeof of_name),
                 tree->at[0].total ? part / (double)tree->at[0].total * 100 : 0, total);
        return text;
    }
    if (look->searched && tree->at[0].total)
        snprintf(text, bytes, "%.2f %% of %s found",
                 (double)s->whole.hit_sum / (double)tree->at[0].total * 100, total);
    else if (s->cut)
        snprintf(text, bytes, "%s; %s zones are counted with those around them", total,
                 td_format_count(cut, s->cut));
    else
        snprintf(text, bytes, "%s", total);
    return text;
}

static void draw_tools(struct td_view *view, struct flame_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    static const char *const labels[FLAME_DIFFERENCES] = {"Difference", "Difference: now",
                                                          "Difference: before"};
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float x = place->left + pad, right = place->right - pad;
    char text[300];
    if (s->difference == FLAME_ALONE && !s->operation)
        right = td_draw_limits(view, right, y, high) - pad;
    const float field = fminf(TD_U(view, 190), fmaxf(right - x - TD_U(view, 60), TD_U(view, 60)));
    td_ui_input(ui, "##flame search", "Search: name, -not", x, y, field, high, s->search, sizeof s->search,
                false);
    x += field + pad;
    if (td_tool_button(view, x, &right, y, "Copy", false))
        td_panel_copy(view, TD_PANEL_FLAME, TD_COPY_LINES);
    if (td_tool_button(view, x, &right, y, labels[s->difference], s->difference != FLAME_ALONE))
        next_difference(s);
#define TD_X(id, word, key, label)                                                                           \
    if (td_tool_button(view, x, &right, y, label, s->id != 0))                                               \
        s->id = !s->id;
    FLAME_SWITCHES(TD_X)
#undef TD_X
    const struct flame_look look = look_of(s, false);
    td_ui_text_fit(ui, TD_FONT_SMALL, x, y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right - x,
                   TD_C(TEXT_FAINT), describe(s, &look, text, sizeof text));
}

/* The way from all to what has the whole width. */
static void draw_crumbs(struct td_view *view, struct flame_panel *s, const struct td_rect *place)
{
    const struct td_call_node *nodes = s->whole.flame.tree.at;
    uint32_t path[MOST_CRUMBS], count = 0;
    float x = place->left + TD_U(view, 4), right = place->right;
    const float y = place->top;
    char name[120], id[40];
    if (s->around[0]) {
        snprintf(name, sizeof name, "Callers above and callees below: %.80s", TD_PLAIN(s->around));
        if (td_tool_word(view, &x, &right, y, "flame whole", "< Whole", false, "Esc"))
            flame_set_around(s, "");
        td_tool_word(view, &x, &right, y, "flame around", name, true, NULL);
        return;
    }
    for (uint32_t at = s->whole.top; at && count < MOST_CRUMBS; at = nodes[at].parent)
        path[count++] = at;
    if (td_tool_word(view, &x, &right, y, "flame all", "All", !count, NULL))
        flame_picture_zoom(&s->whole, s->whole.first);
    while (count) {
        const uint32_t node = path[--count];
        snprintf(id, sizeof id, "flame crumb %u", nodes[node].depth);
        snprintf(name, sizeof name, "> %.100s", TD_PLAIN(td_flame_name(&s->whole.flame, node)));
        if (td_tool_word(view, &x, &right, y, id, name, !count, NULL))
            flame_picture_zoom(&s->whole, node);
    }
}

static void draw_picture(struct td_view *view, struct flame_panel *s, struct flame_picture *p, bool upwards,
                         const struct td_rect *place)
{
    const struct flame_look look = look_of(s, upwards);
    const uint32_t node = flame_picture_draw(view, p, &look, place);
    if (node != TD_CALL_NONE && td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT))
        click_node(view, s, p, node);
}

static const char *why_empty(const struct td_view *view, const struct flame_panel *s)
{
    if (s->reason)
        return s->reason;
    if (s->job.running || s->shown_rc < 0 || (s->whole.flame.tree.count && s->whole.flame.tree.at[0].total))
        return NULL;
    if (s->of == FLAME_ZONES)
        return view->model.zones ? "No zone that has ended lies in the range."
                                 : "The trace has no zones. V shows samples of call stacks.";
    return td_trace_table_rows(view->model.trace, TD_TABLE_SAMPLE)
               ? "There are no samples in the range."
               : "The trace has no samples: record with --sample, or as root with a client that samples.";
}

static void draw_flame(struct td_view *view, const struct td_rect *place)
{
    struct flame_panel *s = flame_panel_of(view);
    const float pad = TD_U(view, 8);
    struct td_rect body = *place;
    flame_update(view, s);
    draw_tools(view, s, place);
    body.left += pad;
    body.right -= pad;
    body.top += TD_U(view, TOOLS_HEIGHT);
    const char *empty = why_empty(view, s);
    if (empty) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, body.left, body.top + pad, body.right - body.left,
                       TD_C(TEXT_DIM), empty);
        return;
    }
    if (!s->whole.flame.tree.count)
        return;
    draw_crumbs(view, s, &body);
    body.top += TD_U(view, CRUMB_HEIGHT);
    if (!s->around[0]) {
        draw_picture(view, s, &s->whole, s->upwards, &body);
        return;
    }
    /* The name is the innermost row of both. */
    struct td_rect above = body;
    above.bottom = roundf((body.top + body.bottom + FLAME_ROW(view)) / 2);
    body.top = above.bottom - FLAME_ROW(view);
    draw_picture(view, s, &s->callees, false, &body);
    draw_picture(view, s, &s->callers, true, &above);
}

/* ---- keys ---- */

static bool step_choice(struct flame_panel *s, int key)
{
    struct flame_picture *p = s->around[0] ? &s->callees : &s->whole;
    const int in = s->upwards && !s->around[0] ? TD_KEY_UP : TD_KEY_DOWN,
              out = in == TD_KEY_UP ? TD_KEY_DOWN : TD_KEY_UP;
    if (key != in && key != out && key != TD_KEY_LEFT && key != TD_KEY_RIGHT)
        return false;
    flame_picture_step(p,
                       key == in    ? 1
                       : key == out ? -1
                                    : 0,
                       key == TD_KEY_RIGHT  ? 1
                       : key == TD_KEY_LEFT ? -1
                                            : 0);
    return true;
}

static bool take_flame_key(struct td_view *view, const struct td_key_press *press)
{
    struct flame_panel *s = flame_panel_of(view);
    struct flame_picture *p = s->around[0] ? &s->callees : &s->whole;
    if (!td_panel_has_keys(view, TD_PANEL_FLAME) || press->alt || press->ctrl)
        return false;
    if (press->key == TD_KEY_ENTER && p->chosen != TD_CALL_NONE && p->flame.tree.count) {
        if (press->shift)
            flame_set_around(s, td_flame_name(&p->flame, p->chosen));
        else
            flame_picture_zoom(p, p->chosen);
        return true;
    }
    if (press->shift)
        return false;
#define TD_X(id, word, letter, label)                                                                        \
    if (press->key == (letter)) {                                                                            \
        s->id = !s->id;                                                                                      \
        return true;                                                                                         \
    }
    FLAME_SWITCHES(TD_X)
#undef TD_X
    if (press->key == 'w') {
        next_difference(s);
        return true;
    }
    if (press->key == TD_KEY_BACKSPACE && s->whole.flame.tree.count) {
        if (s->around[0])
            flame_set_around(s, "");
        else if (p->top != p->first)
            flame_picture_zoom(p, p->flame.tree.at[p->top].parent);
        return true;
    }
    return step_choice(s, press->key);
}

/* Esc: first the callers and callees, then the zoom. */
static bool close_flame(struct td_view *view)
{
    struct flame_panel *s = flame_panel_of(view);
    if (!td_panel_is_open(view, TD_PANEL_FLAME))
        return false;
    if (s->around[0] || s->whole.top != s->whole.first)
        reset(s);
    else
        td_panel_set_open(view, TD_PANEL_FLAME, false);
    return true;
}

/* Folded stacks. */
static char *copy_flame(struct td_view *view, enum td_copy_form form)
{
    const struct flame_panel *s = flame_panel_of(view);
    const struct flame_picture *p = s->around[0] ? &s->callees : &s->whole;
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = form == TD_COPY_LINES && p->flame.tree.count ? open_memstream(&text, &bytes) : NULL;
    if (!f)
        return NULL;
    const int rc = td_flame_fold(&p->flame, p->top, f);
    if (td_text_close(f, &text) && rc == 0)
        return text;
    free(text);
    return NULL;
}

static const struct td_help_line flame_help[] = {
    {"Shift+G", "flame graph of zones or samples"},
    {"Click, Esc in Flame", "zoom to a box, to all"},
    {"Shift+click, Ctrl+click", "callers and callees of a box; its zones or source"},
    {"V, Y, Q in Flame", "samples, by track, upwards"},
    {"X, W in Flame", "of the chosen operation, difference to Compare's trace"},
    {"Arrows, Enter, Backspace", "choose a box, zoom to it, out of it"},
    {0},
};

const struct td_panel td_panel_flame = {
    .name = "flame",
    .dock = TD_DOCK_BOTTOM,
    .title = "Flame",
    .group = TD_GROUP_ZONES,
    .page = "In what did the time go?",
    .lacks = td_lacks_flame,
    .keys = {{.key = 'g', .shift = true}},
    .help = flame_help,
    .state_bytes = sizeof(struct flame_panel),
    .draw = draw_flame,
    .free_state = flame_free,
    .close = close_flame,
    .is_busy = flame_is_busy,
    .copy = copy_flame,
    .take_key = take_flame_key,
};
