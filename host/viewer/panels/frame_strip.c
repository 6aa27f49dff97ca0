/* The strip of frames above the timeline: the graph of the chosen set, and of a second one. */
#include "host/viewer/panels/frame_graph.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/menu_parts.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROW_HEIGHT   36
#define TOOLS_WIDTH  280
#define NARROW_TOOLS 120
#define NARROW       700 /* a narrower window has less room for the tools */
#define FIELD_WIDTH  44
#define BUTTON       22

struct frame_strip {
    struct td_frame_graph graphs[2]; /* by number of the set */
    struct frames_found found;       /* of the chosen set */
    char target[TD_CHOICE_BYTES];    /* as it is typed */
    int target_fps;                  /* that the field was filled with */
};

TD_PANEL_STATE(frame_strip, STRIP)

/* The sets that are shown: returns how many. Their order does not depend on which of them is chosen. */
static int shown_sets(const struct td_view *view, uint32_t sets[2])
{
    const struct td_selection *s = &view->selection;
    sets[0] = s->frame_set;
    if (!s->second_set || s->second_set == s->frame_set + 1 || !td_view_has_frames(view, s->second_set - 1))
        return 1;
    const uint32_t second = s->second_set - 1;
    sets[0] = second < s->frame_set ? second : s->frame_set;
    sets[1] = second < s->frame_set ? s->frame_set : second;
    return 2;
}

static bool strip_is_open(const struct td_view *view)
{
    return !td_view_choice(view, TD_CHOICE_STRIP) && td_view_has_frames(view, view->selection.frame_set);
}

static float strip_height(const struct td_view *view)
{
    uint32_t sets[2];
    return TD_U(view, ROW_HEIGHT) * (float)shown_sets(view, sets);
}

static void toggle_strip(struct td_view *view)
{
    td_view_next_choice(view, TD_CHOICE_STRIP);
}

/* An arrow to the left or right, which goes to the previous or the next frame. */
static void draw_step(struct td_view *view, float x, float y, bool forward)
{
    const float size = TD_U(view, BUTTON), d = TD_U(view, 3.5f), middle_x = x + size / 2,
                middle_y = y + size / 2;
    const float sign = forward ? 1 : -1;
    bool hovered;
    if (td_ui_click_area(view->ui, forward ? "next frame" : "previous frame", x, y, size, size, &hovered))
        td_view_next_frame(view, forward);
    if (hovered) {
        td_ui_rect(view->ui, x, y, x + size, y + size, TD_C(LIT), TD_U(view, 4));
        td_tip(view, forward ? "Next frame" : "Previous frame", "key\t%s\n", forward ? "K" : "Shift+K");
    }
    const float arrow[6] = {middle_x - sign * d / 2, middle_y - d, middle_x + sign * d / 2, middle_y,
                            middle_x - sign * d / 2, middle_y + d};
    td_ui_polyline(view->ui, arrow, 3, hovered ? TD_C(TEXT) : TD_C(TEXT_DIM), TD_U(view, 1.6f));
}

/* Frames a second; Enter takes what was typed. */
static void draw_target(struct td_view *view, struct frame_strip *s, float x, float y)
{
    const int fps = td_view_target_fps(view);
    if (fps != s->target_fps)
        snprintf(s->target, sizeof s->target, "%d", fps);
    s->target_fps = fps;
    if (td_ui_input(view->ui, "##target", "fps", x, y, TD_U(view, FIELD_WIDTH), TD_U(view, BUTTON), s->target,
                    sizeof s->target, false) &
        TD_INPUT_ENTER) {
        if (td_view_choose(view, td_choice_name(TD_CHOICE_FPS), s->target, NULL) < 0)
            s->target_fps = 0; /* the field shows the target again */
        td_ui_blur(view->ui);
    }
}

/* The set's name opens a menu of the sets; the chosen one is bright if there are two. */
static void draw_name(struct td_view *view, uint32_t set, float x, float right, float y)
{
    const float high = TD_U(view, BUTTON), d = TD_U(view, 3), middle = y + high / 2,
                arrow_x = right - TD_U(view, 10);
    const bool chosen = set == view->selection.frame_set;
    char id[40];
    bool hovered;
    if (right - x < TD_U(view, 24))
        return;
    snprintf(id, sizeof id, "set %u", set);
    if (td_ui_click_area(view->ui, id, x, y, right - x, high, &hovered)) {
        td_view_choose_frame_set(view, set);
        td_menu_frame_parts(view, td_menu_begin(view, x, y + high));
    }
    if (hovered)
        td_ui_rect(view->ui, x, y, right, y + high, TD_C(LIT), TD_U(view, 4));
    td_ui_text_fit(view->ui, chosen ? TD_FONT_BOLD : TD_FONT_TEXT, x + TD_U(view, 6),
                   middle - td_ui_text_height(view->ui, TD_FONT_TEXT) / 2, arrow_x - x - TD_U(view, 12),
                   chosen ? TD_C(TEXT) : TD_C(TEXT_DIM), td_view_name_of_frame_set(view, set));
    const float arrow[6] = {arrow_x - d,    middle - d / 2, arrow_x,
                            middle + d / 2, arrow_x + d,    middle - d / 2};
    td_ui_polyline(view->ui, arrow, 3, TD_C(TEXT_DIM), TD_U(view, 1.4f));
}

static void draw_tools(struct td_view *view, struct frame_strip *s, uint32_t set, const struct td_rect *place)
{
    const float pad = TD_U(view, 4), y = floorf((place->top + place->bottom - TD_U(view, BUTTON)) / 2);
    float x = place->left + pad, right = place->right - pad;
    const bool chosen = set == view->selection.frame_set;
    draw_name(view, set, x, chosen ? place->right - TD_U(view, NARROW_TOOLS) : right, y);
    if (!chosen)
        return;
    x = right - TD_U(view, FIELD_WIDTH);
    draw_target(view, s, x, y);
    x -= TD_U(view, BUTTON) + pad;
    draw_step(view, x, y, true);
    draw_step(view, x - TD_U(view, BUTTON), y, false);
}

static void draw_strip(struct td_view *view, const struct td_rect *place)
{
    struct frame_strip *s = state_of(view);
    struct td_ui *ui = view->ui;
    uint32_t sets[2];
    const int count = shown_sets(view, sets);
    const float wide = place->right - place->left, high = (place->bottom - place->top) / (float)count,
                tools = TD_U(view, wide < TD_U(view, NARROW) ? NARROW_TOOLS : TOOLS_WIDTH);
    td_ui_region_begin(ui, td_panel_strip.name, place->left, place->top, wide, place->bottom - place->top,
                       TD_C(BAR), TD_LAYER_BASE);
    td_frames_found_update(view, &s->found);
    for (int i = 0; i < count; i++) {
        const float top = place->top + high * (float)i;
        const struct td_rect left = {place->left, top, place->left + tools, top + high},
                             graph = {place->left + tools, top + TD_U(view, 2), place->right - TD_U(view, 4),
                                      top + high - TD_U(view, 2)};
        td_frame_graph_update(view, &s->graphs[i], sets[i]);
        draw_tools(view, s, sets[i], &left);
        td_frame_graph_draw(view, &s->graphs[i], sets[i] == view->selection.frame_set ? &s->found : NULL,
                            &graph);
    }
    td_ui_rect(ui, place->left, place->bottom - 1, place->right, place->bottom, TD_C(EDGE), 0);
    td_ui_region_end(ui);
}

static bool never_closes(struct td_view *view)
{
    (void)view;
    return false;
}

static bool strip_is_busy(const struct td_view *view)
{
    const struct frame_strip *s = state_of(view);
    return s->graphs[0].job.running || s->graphs[1].job.running ||
           (view->find.active && s->found.job.running);
}

static void free_strip(struct td_view *view)
{
    struct frame_strip *s = state_of(view);
    td_frame_graph_free(&s->graphs[0]);
    td_frame_graph_free(&s->graphs[1]);
    td_frames_found_free(&s->found);
}

static const struct td_help_line strip_help[] = {
    {"Shift+Q", "show or hide the strip of frames"},
    {"Click, drag in it", "go to a frame, show the frames that are passed"},
    {0},
};

const struct td_panel td_panel_strip = {
    .name = "strip",
    .dock = TD_DOCK_TOP,
    .page = "Which frames are slow?",
    .keys = {{.key = 'q', .shift = true}},
    .help = strip_help,
    .state_bytes = sizeof(struct frame_strip),
    .is_open = strip_is_open,
    .size = strip_height,
    .open = toggle_strip,
    .close = never_closes,
    .draw = draw_strip,
    .free_state = free_strip,
    .is_busy = strip_is_busy,
};
