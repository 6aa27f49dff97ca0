/* A window with a mouse, for tests of what the mouse does in a viewer. */
#pragma once
#include "host/viewer/drive/driver.h"
#include "tests/viewer/fixture.h"

#include <SDL.h>
#include <math.h>
#include <stb_image.h>
#include <stdlib.h>
#include <unistd.h>

/* Like open_offscreen(), but in a window: with SDL's offscreen driver, or on a display. */
static inline int open_window(void **state, struct fixture *f, struct td_trace *trace, int width, int height)
{
    const struct td_ui_options options = {
        .title = "test", .width = width, .height = height, .scale = 1, .unseen = 1};
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    const int rc = open_view(state, f, trace, &options);
    f->window = f->ui ? SDL_GL_GetCurrentWindow() : NULL;
    return rc;
}

/* Draws frames until nothing moves. A button event holds the button for one frame only, so it is sent again in
 * each frame. */
static inline void settle(struct fixture *f)
{
    int quiet = 0;
    for (int i = 0; i < 2000 && quiet < 4; i++) {
        SDL_Event event = {.button = {.type = SDL_MOUSEBUTTONDOWN, .button = f->held, .state = SDL_PRESSED}};
        if (f->held)
            SDL_PushEvent(&event);
        assert_true(td_ui_poll(f->ui, 0));
        td_ui_begin(f->ui);
        quiet = td_view_frame(&f->view) ? 0 : quiet + 1;
        td_ui_end(f->ui);
    }
    assert_int_equal(quiet, 4);
}

static inline void move_mouse(struct fixture *f, float x, float y)
{
    SDL_WarpMouseInWindow(f->window, (int)x, (int)y);
    settle(f);
}

static inline void hold_button(struct fixture *f, Uint8 which) /* 0: releases it */
{
    f->held = which;
    settle(f);
}

static inline void press_key(struct fixture *f, SDL_Keycode key, int modifiers)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    event.key.keysym.mod = (Uint16)modifiers;
    SDL_PushEvent(&event);
    event.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
    settle(f);
}

/* False: this SDL cannot move the mouse without a display. */
static inline bool has_mouse(struct fixture *f)
{
    move_mouse(f, 300, 200);
    if (fabsf(td_ui_mouse_x(f->ui) - 300) < 2)
        return true;
    print_message("skipped: no mouse here (at %g)\n", (double)td_ui_mouse_x(f->ui));
    return false;
}

/* Does the commands. */
static inline void run(struct fixture *f, const char *line)
{
    struct td_err err = {0};
    if (td_driver_script(&f->view, line, &err) < 0)
        fail_msg("%s: %s", line, err.text);
    td_driver_settle(&f->view);
}

/* What the panel puts into the clipboard; SDL_free() it. */
static inline char *copied(struct fixture *f, const char *panel)
{
    char command[100];
    snprintf(command, sizeof command, "open %s", panel);
    run(f, command);
    settle(f);
    td_driver_settle(&f->view);
    SDL_SetClipboardText("");
    press_key(f, SDLK_c, KMOD_CTRL);
    return SDL_GetClipboardText();
}

/* The pixels of the window, 3 bytes each; stbi_image_free() them. The file is removed again; it is of this process,
 * because the same test may run with and without X11 at a time. */
static inline unsigned char *take_picture(struct fixture *f, int *wide, int *high)
{
    char command[600], file[500];
    int channels;
    snprintf(file, sizeof file, TD_BINARY_DIR "/test_picture.%d.png", (int)getpid());
    snprintf(command, sizeof command, "screenshot %s", file);
    run(f, command);
    unsigned char *pixels = stbi_load(file, wide, high, &channels, 3);
    assert_non_null(pixels);
    unlink(file);
    return pixels;
}

/* The pixels of the window in that colour. */
static inline size_t count_color(struct fixture *f, uint32_t rgb)
{
    int wide, high;
    size_t count = 0;
    unsigned char *pixels = take_picture(f, &wide, &high);
    for (size_t i = 0; i < (size_t)wide * (size_t)high; i++)
        count += ((uint32_t)pixels[3 * i] << 16 | (uint32_t)pixels[3 * i + 1] << 8 | pixels[3 * i + 2]) ==
                 (rgb & 0xffffff);
    stbi_image_free(pixels);
    return count;
}
