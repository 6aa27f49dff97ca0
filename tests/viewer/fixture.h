/* A viewer with a trace, for tests of its windows. */
#pragma once
#include "host/viewer/timeline/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct fixture {
    struct td_trace *trace;
    struct td_ui *ui;
    struct td_view view;
    void *window;       /* an SDL_Window, for tests that move the mouse */
    unsigned char held; /* the mouse button that is down */
};

/* For cmocka's setup: shows the trace, which the fixture takes. *state is NULL without OpenGL. */
static inline int open_view(void **state, struct fixture *f, struct td_trace *trace,
                            const struct td_ui_options *options)
{
    struct td_err err = {0};
    *f = (struct fixture){.trace = trace, .ui = td_ui_open(options, &err)};
    *state = f->ui ? f : NULL;
    if (f->ui)
        return td_view_init(&f->view, f->ui, f->trace, NULL, "demo.tracy", &err);
    print_message("skipped: %s\n", err.text);
    td_trace_destroy(trace);
    return 0;
}

/* The same in a picture of that size. */
static inline int open_offscreen(void **state, struct fixture *f, struct td_trace *trace, int width,
                                 int height)
{
    const struct td_ui_options options = {
        .title = "test", .width = width, .height = height, .scale = 1, .offscreen = 1};
    return open_view(state, f, trace, &options);
}

/* cmocka's teardown; *state is a struct fixture, NULL if the test was skipped. */
static inline int teardown(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return 0;
    td_view_free(&f->view);
    td_ui_close(f->ui);
    td_trace_destroy(f->trace);
    return 0;
}
