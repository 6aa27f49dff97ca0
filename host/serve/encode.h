/* What comes next in a viewer's stream. */
#pragma once
#include "host/serve/viewer.h"

/* Adds items to the open frame: enum td_part_result. DONE: a whole pass over the trace has ended. */
int td_encode_pass(struct td_viewer *v);
/* Whether the last pass ended inside of the trace: the next call of td_encode_pass() continues it. */
bool td_encode_is_inside(const struct td_viewer *v);
