/* The C interface to SDL2, OpenGL and Dear ImGui: a window, its input, drawing and the few widgets that
 * the viewer uses. Implemented in imgui_*.cpp, the only C++ of the program.
 *
 * Positions are in pixels from the upper left corner of the picture; sizes scale with td_ui_scale(), which
 * is 1 at 96 dpi. Colours are 0xAARRGGBB. One thread; one td_ui at a time, apart from those of remote.h. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "host/base/err.h"
#include "host/viewer/ui/frame_cost.h"

typedef uint32_t td_rgba;

#define TD_UI_MIN_SCALE 0.5
#define TD_UI_MAX_SCALE 8.0
#define TD_UI_MIN_SIZE  16 /* of a picture */
#define TD_UI_MAX_SIZE  16384

struct td_ui;

struct td_ui_options {
    const char *title;
    int width, height; /* of the picture if offscreen, else of the window in screen units */
    double scale;      /* 0: TRACY_DPI_SCALE, else that of the display; 1 if offscreen */
    bool offscreen;    /* no window: draws a picture for td_ui_save_png() */
    bool remote;       /* no window and no OpenGL: see remote.h */
    bool
        unseen; /* draws only for td_ui_save_png(), as if offscreen; implied where no screen shows the window */
};

enum td_font {
    TD_FONT_TEXT,
    TD_FONT_BOLD,
    TD_FONT_SMALL,
    TD_FONT_MONO,
    TD_FONTS
}; /* mono: for source code */

enum td_ui_key {
    TD_KEY_NONE,
    TD_KEY_LEFT = 0x100, /* lower values: the character, in lower case */
    TD_KEY_RIGHT,
    TD_KEY_UP,
    TD_KEY_DOWN,
    TD_KEY_PAGE_UP,
    TD_KEY_PAGE_DOWN,
    TD_KEY_HOME,
    TD_KEY_END,
    TD_KEY_ESCAPE,
    TD_KEY_ENTER,
    TD_KEY_F1,
    TD_KEY_F3,
    TD_KEY_F4,
    TD_KEY_F9,
    TD_KEY_F10,
    TD_KEY_F11,
    TD_KEY_TAB,
    TD_KEY_BACKSPACE,
    TD_KEY_DELETE,
    TD_KEY_MENU
};

struct td_key_press {
    int key; /* enum td_ui_key or a character */
    bool shift, ctrl, alt;
    bool typed; /* a text field has the keyboard focus, and may have taken the key, too */
};

enum { TD_MOUSE_LEFT, TD_MOUSE_RIGHT, TD_MOUSE_MIDDLE };

/* Opens the window, or only an OpenGL context if offscreen. NULL: failed, such as without a display or
 * OpenGL 3.3. */
struct td_ui *td_ui_open(const struct td_ui_options *options, struct td_err *err);
void td_ui_close(struct td_ui *ui);

void td_ui_set_title(struct td_ui *ui, const char *title);
/* Changes the scale from the next frame on; 0: that of the display, which the window then follows. */
void td_ui_set_scale(struct td_ui *ui, double scale);
/* Letters of the last frame, or fonts of another scale, are still being made. */
bool td_ui_lacks_letters(const struct td_ui *ui);
/* Files that were dropped on the window since the last call: one at a time, NULL: no more. The text is valid
 * until the next call. */
const char *td_ui_dropped(struct td_ui *ui);

/* Reads pending input; waits for it for at most wait_ms (0: not at all, < 0: without limit). Returns 0:
 * the window was closed, or a signal ends the program; 1: no input; 2: input. */
int td_ui_poll(struct td_ui *ui, int wait_ms);
/* After td_ui_poll() has returned 0: the user closed the window, it was no signal. The window stays. */
bool td_ui_is_closed(const struct td_ui *ui);
/* Ends the wait of td_ui_poll(), as if there were input; for any thread, also without a window. */
void td_ui_wake(void);
void td_ui_begin(struct td_ui *ui); /* starts a frame */
void td_ui_end(struct td_ui *ui);
/* What frames have cost since the last call. */
struct td_frame_cost td_ui_take_cost(struct td_ui *ui);
/* The next frame is not shown before td_ui_save_png(), which needs it: what a window shows cannot be read. */
void td_ui_hold(struct td_ui *ui);
int td_ui_save_png(struct td_ui *ui, const char *path, struct td_err *err);

float td_ui_scale(const struct td_ui *ui);
float td_ui_width(const struct td_ui *ui);
float td_ui_height(const struct td_ui *ui);
double td_ui_seconds(const struct td_ui *ui); /* since the previous frame */
/* Number of triangles of the last finished frame. */
size_t td_ui_triangles(const struct td_ui *ui);

/* Input of this frame. */
float td_ui_mouse_x(const struct td_ui *ui);
float td_ui_mouse_y(const struct td_ui *ui);
bool td_ui_mouse_down(const struct td_ui *ui, int button);
bool td_ui_mouse_pressed(const struct td_ui *ui, int button);
bool td_ui_double_click(const struct td_ui *ui);
float td_ui_wheel_x(const struct td_ui *ui);
float td_ui_wheel_y(const struct td_ui *ui);
bool td_ui_shift(const struct td_ui *ui);
bool td_ui_ctrl(const struct td_ui *ui);
size_t td_ui_keys(const struct td_ui *ui, const struct td_key_press **keys);
/* Nothing else gets the key of that index in this frame. */
void td_ui_take_key(struct td_ui *ui, size_t index);

/* Regions: rectangles that receive input and are drawn into. */
enum td_layer {
    TD_LAYER_BASE,
    TD_LAYER_COVER, /* above the base */
    TD_LAYER_TOP    /* above all others */
};
void td_ui_region_begin(struct td_ui *ui, const char *id, float x, float y, float w, float h, td_rgba fill,
                        enum td_layer layer);
void td_ui_region_end(struct td_ui *ui);
bool td_ui_region_hovered(const struct td_ui *ui);
/* True: draws above all regions until the call with false. */
void td_ui_on_top(struct td_ui *ui, bool on);

/* Drawing into the current region. */
void td_ui_rect(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float rounding);
void td_ui_frame_rect(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float rounding,
                      float thickness);
void td_ui_line(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float thickness);
void td_ui_triangle(struct td_ui *ui, const float xy[6], td_rgba color);
void td_ui_polyline(struct td_ui *ui, const float *xy, int points, td_rgba color, float thickness);
void td_ui_bezier(struct td_ui *ui, const float xy[8], td_rgba color, float thickness);
/* Fills the area between a polyline and y = base. */
void td_ui_area(struct td_ui *ui, const float *xy, int points, float base, td_rgba color);
void td_ui_clip(struct td_ui *ui, float x0, float y0, float x1, float y1);
void td_ui_unclip(struct td_ui *ui);

/* Writes what is drawn into the region of that name, apart from what is on top, to a file as well; NULL:
 * no longer. `region` must stay valid. */
struct td_drawing;
void td_ui_record(struct td_ui *ui, struct td_drawing *drawing, const char *region);

/* Text: UTF-8, y is the upper edge of the line. */
float td_ui_text_width(struct td_ui *ui, enum td_font font, const char *text);
float td_ui_text_height(struct td_ui *ui, enum td_font font);
float td_ui_text(struct td_ui *ui, enum td_font font, float x, float y, td_rgba color, const char *text);
/* Shortens the text with an ellipsis to fit in `width`; draws nothing if fewer than three bytes of it fit.
 * Returns the width. */
float td_ui_text_fit(struct td_ui *ui, enum td_font font, float x, float y, float width, td_rgba color,
                     const char *text);

/* Pictures: RGBA bytes, copied to the graphics card. 0: none. td_ui_close() frees all of them. */
typedef uint32_t td_ui_picture;
/* Makes a picture, or fills `old` anew if it is not 0. */
td_ui_picture td_ui_make_picture(struct td_ui *ui, td_ui_picture old, const uint8_t *rgba, int width,
                                 int height);
/* Not one that is drawn in this frame. */
void td_ui_free_picture(struct td_ui *ui, td_ui_picture picture);
void td_ui_draw_picture(struct td_ui *ui, td_ui_picture picture, float x, float y, float w, float h,
                        bool flip);

/* Widgets of the current region. */
bool td_ui_button(struct td_ui *ui, const char *label, float x, float y, float w, float h);
/* An invisible button; `hovered` may be NULL. */
bool td_ui_click_area(struct td_ui *ui, const char *id, float x, float y, float w, float h, bool *hovered);
enum { TD_INPUT_CHANGED = 1, TD_INPUT_ENTER = 2, TD_INPUT_ACTIVE = 4 };
/* A text field. Returns a sum of TD_INPUT_*; `focus`: gives it the keyboard focus. */
int td_ui_input(struct td_ui *ui, const char *id, const char *hint, float x, float y, float w, float h,
                char *text, size_t bytes, bool focus);
/* What Tab and the arrows do in a text field: changes `text`, which has room for `bytes`. */
typedef void td_ui_edit(void *self, int key, char *text, size_t bytes);
/* The same with Tab, up and down for `edit`. */
int td_ui_input_line(struct td_ui *ui, const char *id, const char *hint, float x, float y, float w, float h,
                     char *text, size_t bytes, bool focus, td_ui_edit *edit, void *self);
/* Types text into the field that gets the keyboard focus next. */
void td_ui_type(struct td_ui *ui, const char *text);
void td_ui_blur(struct td_ui *ui); /* takes the keyboard focus from the text field */
/* A scrolling list of `rows` rows of equal height. Between begin and end, the caller draws rows *first to
 * *last - 1; row i is at *top + (i - *first) * row_height. */
void td_ui_list_begin(struct td_ui *ui, const char *id, float x, float y, float w, float h, int rows,
                      float row_height, int *first, int *last, float *top);
void td_ui_list_end(struct td_ui *ui);
/* Between begin and end: scrolls so that a row at `y` from the top of the list is visible. */
void td_ui_list_show(struct td_ui *ui, float y, float row_height);
void td_ui_set_clipboard(struct td_ui *ui, const char *text);
#ifdef __cplusplus
}
#endif
