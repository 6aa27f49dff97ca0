/* A viewer with a trace, for tests of its windows. */
#ifndef TD_TESTS_VIEWER_FIXTURE_H
#define TD_TESTS_VIEWER_FIXTURE_H
#include "host/viewer/view.h"

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

/* For cmocka's setup: shows the trace, which the fixture takes, in a picture of that size. *state is NULL without
 * OpenGL. */
static inline int open_offscreen(void **state, struct fixture *f, struct td_trace *trace, int width,
                                 int height)
{
    struct td_err err = {0};
    struct td_ui_options options = {
        .title = "test", .width = width, .height = height, .scale = 1, .offscreen = 1};
    f->trace = trace;
    f->ui = td_ui_open(&options, &err);
    if (!f->ui)
        print_message("skipped: %s\n", err.text);
    *state = f->ui ? f : NULL;
    return f->ui ? td_view_init(&f->view, f->ui, f->trace, NULL, "demo.tracy", &err) : 0;
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
#endif
