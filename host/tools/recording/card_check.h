/* The checks of `tendril boards --probe --verbose`: each step on the way from a driver to a running core, in the
 * order in which they can fail. Nothing is changed that is not put back, and cores that run are left alone. */
#pragma once
#include "host/agent/board/attach.h"

enum td_step_result { TD_STEP_OK, TD_STEP_UNKNOWN, TD_STEP_FAILED };

struct td_card_step {
    const char *name;
    enum td_step_result result; /* unknown: this board or its firmware does not say */
    const char *text;           /* what was found, or why it failed */
};

/* Opens the board and calls `step` for each check. After one that failed come none. 0: none failed. */
int td_card_check(const struct td_attach *attach, void (*step)(void *self, const struct td_card_step *step),
                  void *self, struct td_err *err);
