/* A screen elsewhere, such as a browser: a td_ui that needs neither a window nor OpenGL. What it draws is given to the
 * caller as data, and its input comes from the caller. Several may be open at a time, all in one thread:
 *
 *   ui = td_ui_open(&(struct td_ui_options){.remote = true, ...});
 *   td_ui_remote_move(ui, x, y); td_ui_remote_button(ui, TD_MOUSE_LEFT, true, 1);
 *   td_ui_poll(ui, 0); td_ui_begin(ui); ... td_ui_end(ui);
 *   td_ui_remote_frame(ui, &frame); ... send it ...
 *
 * Input is kept until td_ui_poll(), which leaves some of it for the next frame where a frame cannot show all, such as a
 * button that is pressed and released. */
#pragma once
#include "host/viewer/ui/imgui_shim.h"
#ifdef __cplusplus
extern "C" {
#endif

struct td_remote_vertex {
    float x, y, u, v;
    uint32_t color; /* 0xAABBGGRR */
};

/* Triangles with one texture, drawn within a clip rectangle. An index counts from `first_vertex`. */
struct td_remote_command {
    float clip[4]; /* left, top, right, bottom */
    uint32_t texture;
    uint32_t first_vertex, first_index, indices;
};

struct td_remote_list {
    const struct td_remote_vertex *vertices;
    const uint16_t *indices;
    const struct td_remote_command *commands;
    size_t vertex_count, index_count, command_count;
};

struct td_remote_texture {
    uint32_t id, version; /* a texture of another version has other pixels */
    int width, height;
    int pixel_bytes; /* 1: opacity, of white; 4: RGBA */
    const uint8_t *pixels;
};

/* A picture whose lines are those of strip.h: a rectangle with this texture shows one line of it. */
struct td_remote_strips {
    uint32_t texture; /* 0: none in this frame */
    int width, lines;
    const td_rgba *pixels; /* line after line of `width` */
};

enum td_remote_cursor {
    TD_CURSOR_ARROW,
    TD_CURSOR_TEXT,
    TD_CURSOR_HAND,
    TD_CURSOR_MOVE,
    TD_CURSOR_WIDE,
    TD_CURSOR_HIGH
};

struct td_remote_frame {
    int width, height;
    enum td_remote_cursor cursor;
    const struct td_remote_list *lists;
    const struct td_remote_texture *textures;
    size_t list_count, texture_count;
    struct td_remote_strips strips;
};

/* The last frame, which is valid until the next td_ui_begin(); false: there is none since the last call. */
bool td_ui_remote_frame(struct td_ui *ui, struct td_remote_frame *frame);
/* What was copied since the last call; NULL: nothing. Valid until the next frame. */
const char *td_ui_remote_copied(struct td_ui *ui);
/* The title since the last call; NULL: it is the same. Valid until the next frame. */
const char *td_ui_remote_title(struct td_ui *ui);
/* `wake` is called, in any thread, when td_ui_wake() is. The waker must stay until it is removed. */
struct td_ui_waker {
    void (*wake)(void *self);
    void *self;
};
int td_ui_add_waker(struct td_ui_waker *waker, struct td_err *err); /* 0, or a negative enum td_e */
void td_ui_remove_waker(struct td_ui_waker *waker);

/* Input. Sizes and positions are in pixels of the picture. `scale`: that of the display. */
void td_ui_remote_resize(struct td_ui *ui, int width, int height, double scale);
void td_ui_remote_move(struct td_ui *ui, float x, float y);
void td_ui_remote_leave(struct td_ui *ui); /* the mouse left the picture */
void td_ui_remote_button(struct td_ui *ui, int button, bool down, int clicks);
void td_ui_remote_wheel(struct td_ui *ui, float x, float y);
/* `key`: enum td_ui_key or a character; TD_KEY_NONE: only the modifiers have changed. */
void td_ui_remote_key(struct td_ui *ui, const struct td_key_press *press, bool down);
void td_ui_remote_text(struct td_ui *ui, const char *text); /* typed */
void td_ui_remote_paste(struct td_ui *ui,
                        const char *text); /* is in the clipboard from now on, and is pasted */
void td_ui_remote_drop(struct td_ui *ui, const char *path); /* see td_ui_dropped() */
void td_ui_remote_wake(struct td_ui *ui);                   /* as if there were input */
void td_ui_remote_blur(struct td_ui *ui);                   /* all keys and buttons are up */
#ifdef __cplusplus
}
#endif
