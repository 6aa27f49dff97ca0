/* A viewer with a trace, for tests of its windows. */
#ifndef TD_TESTS_VIEWER_FIXTURE_H
#define TD_TESTS_VIEWER_FIXTURE_H
#include "host/viewer/view.h"

struct fixture {
    struct td_trace *trace;
    struct td_ui *ui;
    struct td_view view;
    void *window;       /* an SDL_Window, for tests that move the mouse */
    unsigned char held; /* the mouse button that is down */
};

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
