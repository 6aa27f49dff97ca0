/* Keys for a panel whose work is awaited after each. */
#pragma once
#include "tests/viewer/fixture.h"

/* Draws frames until nothing moves and nothing is computed any more. */
static inline void settle(struct fixture *f)
{
    bool moves;
    do {
        td_ui_poll(f->ui, 5);
        td_ui_begin(f->ui);
        moves = td_view_frame(&f->view);
        td_ui_end(f->ui);
        f->view.camera.start_ns = f->view.camera.to_start_ns;
        f->view.camera.end_ns = f->view.camera.to_end_ns;
        f->view.area.scroll = f->view.area.to_scroll;
    } while (moves || td_panels_busy(&f->view));
}

static inline void press_with(struct fixture *f, struct td_key_press press)
{
    td_panels_key(&f->view, &press);
    settle(f);
}

static inline void press(struct fixture *f, int key)
{
    press_with(f, (struct td_key_press){.key = key});
}
