/* Whether a JSON object is a trace's state (trace_state.h), for objects that a user imports. Knows nothing of the
 * viewer. */
#pragma once
#include "host/base/err.h"

#include <cjson/cJSON.h>

#define TD_STATE_ROWS 10000 /* closed, hidden, pinned or ordered ones */
#define TD_STATE_TIME 9e18  /* the greatest time, in ns */

/* Words of groupings, in the order of enum td_grouping; NULL: there are no more. */
const char *td_state_grouping(int number);
/* 0, or TD_E_FORMAT: *err names the first field that is unknown or wrong. */
int td_state_check(const cJSON *state, struct td_err *err);
