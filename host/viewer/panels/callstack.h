/* The panel Call stack. */
#pragma once
#include "host/viewer/timeline/hover.h"

struct td_view;

/* Opens the panel and shows the call stack. */
void td_view_show_stack(struct td_view *view, struct td_stack_spot spot);
