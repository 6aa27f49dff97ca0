#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/playback.h"
#include "host/query/rows/frame_images.h"
#include "host/query/rows/frame_times.h"
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_STEP .1 /* seconds of playing between two frames of the window: it may have rested */

static const double speeds[] = {.001, .01, .1, .25, .5, 1, 2, 5, 10};
static const char *const speed_names[] = {"1/1000 speed", "1/100 speed", "1/10 speed",
                                          "1/4 speed",    "1/2 speed",   "Speed 1",
                                          "Speed 2",      "Speed 5",     "Speed 10"};
enum { SPEEDS = sizeof speeds / sizeof *speeds, SPEED_NORMAL = 5 };

/* Images are drawn as large as there is room, or in their own size, or in twice that. */
static const char *const size_names[] = {"Fit", "1x", "2x"};
enum { SIZES = sizeof size_names / sizeof *size_names };

struct playback {
    struct td_frame_images images;
    bool behind; /* not all frames were looked at */
    size_t at;   /* the image that is shown */
    bool playing, began;
    bool follow;        /* the timeline goes to the frames that are shown */
    bool loops;         /* after the last image, the first one is played again */
    int speed;          /* from SPEED_NORMAL */
    int size;           /* of size_names[] */
    double position_ns; /* while playing */
    size_t selected;    /* the selected frame, as it was last */
    bool dragged;       /* the bar */
    int64_t drawn;      /* the image that was drawn last, counted from 1 */
};

TD_PANEL_STATE(playback, PLAYBACK)

/* ---- which image ---- */

static size_t frame_of(const struct playback *s)
{
    return s->images.frame[s->at];
}

static double start_of(const struct td_view *view, const struct playback *s)
{
    return (double)td_trace_frame(view->model.trace, 0, frame_of(s)).start_ns;
}

static double end_of(const struct td_view *view, const struct playback *s)
{
    return start_of(view, s) +
           (double)td_frame_length(view->model.trace, 0, frame_of(s), view->model.last_ns);
}

static void follow_image(struct td_view *view, struct playback *s)
{
    const size_t frame = frame_of(s);
    const struct td_frame f = td_trace_frame(view->model.trace, 0, frame);
    if (view->selection.frame_set == 0)
        view->selection.frame = s->selected = frame + 1;
    td_view_show_spot(view, (struct td_spot){true, TD_NO_TRACK, f.start_ns, (int64_t)end_of(view, s)}, false);
}

static void show_image(struct td_view *view, struct playback *s, size_t at)
{
    if (at >= s->images.count)
        return;
    const bool changes = s->at != at;
    s->at = at;
    s->position_ns = start_of(view, s);
    if (s->follow && changes)
        follow_image(view, s);
}

static void step_image(struct td_view *view, struct playback *s, bool forward)
{
    s->playing = false;
    if (forward)
        show_image(view, s, s->at + 1);
    else if (s->at)
        show_image(view, s, s->at - 1);
}

/* The image that is shown at a time; the first one before there is any. */
static size_t image_at(const struct td_view *view, const struct playback *s, int64_t time_ns)
{
    const size_t frame = td_frame_at(view->model.trace, 0, (double)time_ns);
    const size_t at = frame == SIZE_MAX ? SIZE_MAX : td_frame_images_at(&s->images, frame);
    return at == SIZE_MAX ? 0 : at;
}

/* The images that are played, those of the range that panels count. A timeline that follows would move the visible
 * range with them. */
static void choose_images(const struct td_view *view, const struct playback *s, size_t *first, size_t *last)
{
    int64_t from_ns, to_ns;
    const bool moves = s->follow && view->selection.limit == TD_LIMIT_VISIBLE;
    *first = 0;
    *last = s->images.count - 1;
    if (moves || !td_view_limits(view, &from_ns, &to_ns))
        return;
    *first = image_at(view, s, from_ns);
    *last = image_at(view, s, to_ns);
}

/* More images may come at the end of a session that still runs. */
static bool waits_for_images(const struct td_view *view, const struct playback *s, size_t last)
{
    return !s->loops && last + 1 == s->images.count && view->model.live_state == TD_LIVE_RUNNING;
}

static void set_playing(struct td_view *view, struct playback *s, bool playing)
{
    size_t first, last;
    s->playing = playing && s->images.count;
    s->began = s->playing;
    if (!s->playing)
        return;
    choose_images(view, s, &first, &last);
    if (s->at < first || s->at > last || (s->at == last && !waits_for_images(view, s, last)))
        show_image(view, s, first);
    s->position_ns = start_of(view, s);
}

/* Frames are shown for as long as they lasted, divided by the speed. */
static void play(struct td_view *view, struct playback *s)
{
    if (!s->playing)
        return;
    /* The time before the window began to play does not count. */
    const double seconds = s->began ? 0 : fmin(td_ui_seconds(view->ui), LONGEST_STEP);
    s->began = false;
    double position = s->position_ns + seconds * 1e9 * speeds[SPEED_NORMAL + s->speed];
    size_t first, last, at = image_at(view, s, (int64_t)position);
    choose_images(view, s, &first, &last);
    const bool again = s->loops && s->at >= last && position >= end_of(view, s);
    at = again ? first : at < last ? at : last;
    if (again || at > s->at)
        show_image(view, s, at);
    const bool ends = s->at >= last && !s->loops;
    s->position_ns = again || ends ? start_of(view, s) : position;
    s->playing = !ends || waits_for_images(view, s, last);
    view->panels.plays |= s->playing;
}

/* The frame that was selected in another panel. */
static void take_selected(struct td_view *view, struct playback *s)
{
    if (view->selection.frame && view->selection.frame != s->selected && view->selection.frame_set == 0 &&
        !s->playing) {
        const size_t at = td_frame_images_at(&s->images, view->selection.frame - 1);
        if (at != SIZE_MAX && !s->behind)
            s->at = at;
    }
    if (!s->behind)
        s->selected = view->selection.frame;
}

static void update(struct td_view *view, struct playback *s)
{
    s->behind = td_frame_images_update(&s->images, view->model.trace);
    view->panels.plays |= s->behind;
    if (s->at >= s->images.count)
        s->at = s->images.count ? s->images.count - 1 : 0;
    if (!s->images.count)
        return;
    take_selected(view, s);
    play(view, s);
}

/* ---- what it can be asked to do ---- */

static const char *const actions[] = {"play",   "pause", "next",   "previous", "faster",
                                      "slower", "size",  "follow", "loop"};
enum { PLAY, PAUSE, NEXT, PREVIOUS, FASTER, SLOWER, SIZE, FOLLOW, LOOP, ACTIONS };

static void act(struct td_view *view, struct playback *s, int action)
{
    switch (action) {
    case PLAY:
    case PAUSE:
        set_playing(view, s, action == PLAY);
        break;
    case NEXT:
    case PREVIOUS:
        step_image(view, s, action == NEXT);
        break;
    case FASTER:
        s->speed += s->speed < SPEEDS - 1 - SPEED_NORMAL;
        break;
    case SLOWER:
        s->speed -= s->speed > -SPEED_NORMAL;
        break;
    case SIZE:
        s->size = (s->size + 1) % SIZES;
        break;
    case LOOP:
        s->loops = !s->loops;
        break;
    default:
        s->follow = !s->follow;
        if (s->follow && s->images.count)
            follow_image(view, s);
    }
}

const char *td_playback_action(size_t index)
{
    return index < ACTIONS ? actions[index] : NULL;
}

/* The frame with the number that the panels show. */
static int show_number(struct td_view *view, struct playback *s, const char *text, struct td_err *err)
{
    const size_t count = td_trace_frames(view->model.trace, 0);
    const uint64_t last = td_frame_number(view->model.trace, 0, count - 1);
    char *end;
    const uint64_t wanted = strtoull(text, &end, 10);
    if (end == text || *end)
        return td_fail(err, TD_E_USAGE,
                       "'%.80s' is neither the number of a frame nor one of: play, pause, next, "
                       "previous, faster, slower, size, follow, loop",
                       text);
    const size_t at = last == SIZE_MAX || wanted > last || last - wanted >= count
                          ? SIZE_MAX
                          : td_frame_images_at(&s->images, count - 1 - (size_t)(last - wanted));
    if (at == SIZE_MAX)
        return td_fail(err, TD_E_NOTFOUND, "frame %.80s has no image", text);
    s->playing = false;
    show_image(view, s, at);
    return 0;
}

int td_playback_do(struct td_view *view, const char *action, struct td_err *err)
{
    struct playback *s = state_of(view);
    td_panel_set_open(view, TD_PANEL_PLAYBACK, true);
    while (td_frame_images_update(&s->images, view->model.trace))
        ;
    if (!s->images.count)
        return td_fail(err, TD_E_NOTFOUND, "this trace has no images of frames");
    for (int i = 0; i < ACTIONS; i++)
        if (!strcmp(action, actions[i])) {
            act(view, s, i);
            return 0;
        }
    return show_number(view, s, action, err);
}

bool td_playback_show_at(struct td_view *view, int64_t time_ns)
{
    const size_t frame = td_frame_at(view->model.trace, 0, (double)time_ns);
    if (frame == SIZE_MAX || !td_series_count(td_trace_table(view->model.trace, TD_TABLE_IMAGE)))
        return false;
    td_playback_show(view, frame);
    return true;
}

void td_playback_show(struct td_view *view, size_t frame)
{
    struct playback *s = state_of(view);
    td_panel_set_open(view, TD_PANEL_PLAYBACK, true);
    s->playing = false;
    const size_t at = td_frame_images_at(&s->images, frame);
    if (at != SIZE_MAX)
        show_image(view, s, at);
}

/* ---- drawing ---- */

struct playback_pen {
    struct td_view *view;
    float left, right, x, y;
};

/* Buttons follow each other, and begin a new line where they do not fit. */
static bool draw_button(struct playback_pen *p, const char *label, const char *widest)
{
    const float wide = td_ui_text_width(p->view->ui, TD_FONT_TEXT, widest) + TD_U(p->view, 18),
                high = TD_U(p->view, 23);
    if (p->x > p->left && p->x + wide > p->right) {
        p->x = p->left;
        p->y += high + TD_U(p->view, 6);
    }
    const bool clicked = td_ui_button(p->view->ui, label, p->x, p->y, wide, high);
    p->x += wide + TD_U(p->view, 8);
    return clicked;
}

/* The range that is played, at the right. */
static void draw_range(struct playback_pen *p)
{
    const float wide = td_limits_width(p->view), high = TD_U(p->view, 23);
    if (p->x + wide > p->right && p->x > p->left) {
        p->x = p->left;
        p->y += high + TD_U(p->view, 6);
    }
    td_draw_limits(p->view, fminf(p->x + wide, p->right), p->y, high);
    p->x += wide;
}

static void draw_buttons(struct playback_pen *p, struct playback *s)
{
    if (draw_button(p, s->playing ? "Pause" : "Play", "Pause"))
        set_playing(p->view, s, !s->playing);
    if (draw_button(p, "Back", "Back"))
        step_image(p->view, s, false);
    if (draw_button(p, "Next", "Next"))
        step_image(p->view, s, true);
    if (draw_button(p, speed_names[SPEED_NORMAL + s->speed], speed_names[0]))
        s->speed = s->speed + SPEED_NORMAL + 1 < SPEEDS ? s->speed + 1 : -SPEED_NORMAL;
    if (draw_button(p, size_names[s->size], "Fit"))
        act(p->view, s, SIZE);
    if (draw_button(p, s->follow ? "Follow: on" : "Follow: off", "Follow: off"))
        act(p->view, s, FOLLOW);
    if (draw_button(p, s->loops ? "Loop: on" : "Loop: off", "Loop: off"))
        act(p->view, s, LOOP);
    draw_range(p);
    p->y += TD_U(p->view, 23 + 6);
}

/* The bar: a click or a drag goes to an image. */
static void draw_position(struct playback_pen *p, struct playback *s)
{
    struct td_view *view = p->view;
    const float high = TD_U(view, 14), wide = p->right - p->left, y = p->y + high / 2;
    const float mouse = td_ui_mouse_x(view->ui);
    bool hovered;
    td_ui_click_area(view->ui, "position of playback", p->left, p->y, wide, high, &hovered);
    if (hovered && td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT))
        s->dragged = true;
    s->dragged = s->dragged && td_ui_mouse_down(view->ui, TD_MOUSE_LEFT);
    if (s->dragged) {
        const float part = fminf(fmaxf((mouse - p->left) / fmaxf(wide, 1), 0), 1);
        s->playing = false;
        show_image(view, s, (size_t)((double)part * (double)(s->images.count - 1) + .5));
    }
    const double done = s->images.count > 1 ? (double)s->at / (double)(s->images.count - 1) : 1;
    const float x = p->left + wide * (float)done;
    td_ui_rect(view->ui, p->left, y - TD_U(view, 2), p->right, y + TD_U(view, 2), TD_C(GROUP), TD_U(view, 2));
    td_ui_rect(view->ui, p->left, y - TD_U(view, 2), x, y + TD_U(view, 2), TD_C(ACCENT), TD_U(view, 2));
    td_ui_rect(view->ui, x - TD_U(view, 4), y - TD_U(view, 6), x + TD_U(view, 4), y + TD_U(view, 6),
               hovered || s->dragged ? TD_C(TEXT) : TD_C(ACCENT), TD_U(view, 3));
    p->y += high + TD_U(view, 4);
}

static void draw_caption(struct playback_pen *p, const struct playback *s)
{
    struct td_view *view = p->view;
    char name[120], text[300], time[TD_FORMAT_BYTES], length[TD_FORMAT_BYTES];
    const size_t frame = frame_of(s);
    snprintf(text, sizeof text, "%s, image %zu of %zu",
             td_frame_name(view->model.trace, 0, frame, name, sizeof name), s->at + 1, s->images.count);
    td_ui_text_fit(view->ui, TD_FONT_BOLD, p->left, p->y, p->right - p->left, TD_C(TEXT), text);
    p->y += roundf(td_ui_text_height(view->ui, TD_FONT_BOLD) * 1.3f);
    snprintf(text, sizeof text, "at %s, for %s", td_format_time(time, start_of(view, s), 1),
             td_format_ns(length, (double)td_frame_length(view->model.trace, 0, frame, view->model.last_ns)));
    td_ui_text_fit(view->ui, TD_FONT_SMALL, p->left, p->y, p->right - p->left, TD_C(TEXT_DIM), text);
    p->y += roundf(td_ui_text_height(view->ui, TD_FONT_SMALL) * 1.6f);
}

static void draw_image(struct playback_pen *p, struct playback *s, float bottom)
{
    struct td_view *view = p->view;
    const int64_t image = td_trace_frame(view->model.trace, 0, frame_of(s)).image;
    float wide, high, room = p->right - p->left;
    if (bottom - p->y < TD_U(view, 8) || !td_pictures_size(view, image, &wide, &high))
        return;
    if (s->size) { /* what is too large for the panel is made to fit */
        room = fminf(room, wide * (float)s->size * view->scale);
        bottom = fminf(bottom, p->y + high * (float)s->size * view->scale);
    }
    /* While it is decoded, the last one stays. */
    if (td_pictures_get(view, image) || !s->drawn)
        s->drawn = image + 1;
    td_pictures_draw(view, s->drawn - 1, p->left + floorf((p->right - p->left - room) / 2), p->y, room,
                     bottom - p->y);
    /* The next one is decoded while this one is shown. */
    if (s->playing && s->at + 1 < s->images.count)
        td_pictures_get(view, td_trace_frame(view->model.trace, 0, s->images.frame[s->at + 1]).image);
}

static void draw_playback(struct td_view *view, const struct td_rect *place)
{
    struct playback *s = state_of(view);
    const float margin = TD_U(view, 12);
    struct playback_pen p = {view, place->left + margin, place->right - margin, place->left + margin,
                             place->top + TD_U(view, 10)};
    update(view, s);
    if (!s->images.count) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, p.left, p.y, p.right - p.left, TD_C(TEXT_DIM),
                       s->behind ? "Looking for images ..." : "The program sent no images of frames.");
        return;
    }
    draw_buttons(&p, s);
    draw_position(&p, s);
    draw_caption(&p, s);
    draw_image(&p, s, place->bottom - margin);
}

static bool take_playback_key(struct td_view *view, const struct td_key_press *press)
{
    struct playback *s = state_of(view);
    if (!td_panel_has_keys(view, TD_PANEL_PLAYBACK) || press->ctrl || press->alt || press->shift)
        return false;
    switch (press->key) {
    case ' ':
        set_playing(view, s, !s->playing);
        return true;
    case TD_KEY_LEFT:
    case TD_KEY_RIGHT:
        step_image(view, s, press->key == TD_KEY_RIGHT);
        return true;
    case TD_KEY_HOME:
    case TD_KEY_END:
        s->playing = false;
        show_image(view, s, press->key == TD_KEY_HOME || !s->images.count ? 0 : s->images.count - 1);
        return true;
    case TD_KEY_UP:
    case TD_KEY_DOWN:
        act(view, s, press->key == TD_KEY_UP ? FASTER : SLOWER);
        return true;
    case 'v':
        act(view, s, SIZE);
        return true;
    case 'j':
    case 'y':
        act(view, s, press->key == 'j' ? FOLLOW : LOOP);
        return true;
    default:
        return false;
    }
}

static bool playback_is_busy(const struct td_view *view)
{
    return state_of(view)->behind && view->panels.slot[TD_PANEL_PLAYBACK].placed;
}

static void free_playback(struct td_view *view)
{
    td_frame_images_free(&state_of(view)->images);
}

/* Shows the image of the frame, or of that of the message, under the mouse; false: there is none. */
static bool take_playback_click(struct td_view *view)
{
    if (view->hover.message)
        return td_playback_show_at(view,
                                   td_trace_message(view->model.trace, view->hover.message - 1).time_ns);
    return view->hover.frame &&
           td_playback_show_at(
               view, td_trace_frame(view->model.trace, view->hover.set, view->hover.frame - 1).start_ns);
}

static const struct td_help_line playback_help[] = {
    {"Shift+B", "images of frames"},
    {"Space in it", "plays, holds"},
    {"Left, Right, Home, End in it", "previous, next, first, last image"},
    {"Up, Down, V, J, Y in it", "faster, slower, size, the timeline follows, loop"},
    {0},
};

const struct td_panel td_panel_playback = {
    .name = "playback",
    .dock = TD_DOCK_RIGHT,
    .title = "Playback",
    .group = TD_GROUP_ZONES,
    .page = "What did the program draw?",
    .lacks = td_lacks_images,
    .keys = {{.key = 'b', .shift = true}},
    .help = playback_help,
    .state_bytes = sizeof(struct playback),
    .draw = draw_playback,
    .free_state = free_playback,
    .is_busy = playback_is_busy,
    .take_key = take_playback_key,
    .take_click = take_playback_click,
};
