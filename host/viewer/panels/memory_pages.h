/* The panel Memory, as commands drive it. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>

struct td_view;

/* What it does, such as "map"; NULL: there are no more. */
const char *td_memory_action(size_t index);
/* Opens the panel and shows that page; "pool" and "address" choose the one in `value`, which may be NULL for pages. 0,
 * or a negative enum td_e. */
int td_memory_do(struct td_view *view, const char *action, const char *value, struct td_err *err);
