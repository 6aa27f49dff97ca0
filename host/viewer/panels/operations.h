/* The panel Operations, as commands drive it. */
#pragma once
#include "host/base/err.h"

struct td_view;

/* Opens the panel, and chooses the operation of this launch number, "next" or "previous" in the order of the list when
 * the operations are known. 0, or TD_E_USAGE. */
int td_operation_choose(struct td_view *view, const char *which, struct td_err *err);
/* Why the last choice has no effect; NULL: it has one. To be asked when nothing is computed any more. */
const char *td_operation_error(const struct td_view *view);
