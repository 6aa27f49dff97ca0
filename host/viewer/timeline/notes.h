/* Notes in the trace, and the notice to the user, for commands and panels. */
#pragma once
#include "host/base/err.h"

struct td_view;

/* Adds a note to the range; to the marked range, else the visible one, if from == to. */
int td_view_add_note(struct td_view *view, double from_ns, double to_ns, const char *text,
                     struct td_err *err);
/* Shows a line to the user, until Esc or the next command. */
void td_view_say(struct td_view *view, const char *text);
