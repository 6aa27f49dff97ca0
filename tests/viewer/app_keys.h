/* Drives the viewer's window by keys. TD_PICTURES=FOLDER keeps pictures of it. */
#pragma once
#include "host/viewer/app/app.h"
#include "host/viewer/app/page.h"

#include <SDL.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void keep_picture(struct td_app *app, const char *name)
{
    char path[200];
    if (!getenv("TD_PICTURES"))
        return;
    snprintf(path, sizeof path, "%s/%s.png", getenv("TD_PICTURES"), name);
    assert_int_equal(td_ui_save_png(td_app_ui(app), path, NULL), 0);
}

/* An event, so that the turn does not wait for input. */
static inline void turn(struct td_app *app)
{
    SDL_Event event = {.type = SDL_USEREVENT};
    SDL_PushEvent(&event);
    assert_true(td_app_turn(app));
}

static inline bool is_moving(struct td_app *app)
{
    const struct td_page *page = td_app_page(app);
    if (!page || !page->has_view)
        return false;
    const struct td_camera *camera = &page->view.camera;
    return camera->start_ns != camera->to_start_ns || camera->end_ns != camera->to_end_ns;
}

/* Draws until nothing moves. */
static inline void settle(struct td_app *app)
{
    for (int i = 0; i < 5 || (i < 200 && is_moving(app)); i++)
        turn(app);
    /* A thread makes fonts of another scale. */
    for (int i = 0; i < 20000 && td_ui_lacks_letters(td_app_ui(app)); i++) {
        turn(app);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

static inline void press(struct td_app *app, SDL_Keycode key, int mod)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    event.key.keysym.mod = (Uint16)mod;
    SDL_PushEvent(&event);
    SDL_SetModState((SDL_Keymod)mod); /* text fields look at it */
    turn(app);
    event.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_SetModState(KMOD_NONE);
    SDL_PushEvent(&event);
    settle(app);
}

static inline void type_text(struct td_app *app, const char *text)
{
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    for (; *text; text++) {
        snprintf(event.text.text, sizeof event.text.text, "%c", *text);
        SDL_PushEvent(&event);
    }
    settle(app);
}
