/* The panel Operations, as commands drive it. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct td_view;
struct td_lane_choice;

/* Opens the panel, and chooses the operation of this launch number, "next" or "previous" in the order of the list when
 * the operations are known. 0, or TD_E_USAGE. */
int td_operation_choose(struct td_view *view, const char *which, struct td_err *err);
/* Why the last choice has no effect; NULL: it has one. To be asked when nothing is computed any more. */
const char *td_operation_error(const struct td_view *view);
/* The time of the chosen operation, and a number that changes with it; false: none is chosen. */
bool td_operation_range(const struct td_view *view, int64_t *from_ns, int64_t *to_ns, uint64_t *key);
/* Leaves in the choice only tracks that are part of it. False: no memory. */
bool td_operation_lanes(const struct td_view *view, struct td_lane_choice *lanes);
