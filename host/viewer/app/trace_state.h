/* What the user did to one trace. It is kept in a file (store.h). */
#ifndef TD_HOST_VIEWER_APP_TRACE_STATE_H
#define TD_HOST_VIEWER_APP_TRACE_STATE_H
#include "host/viewer/app/store.h"

struct td_view;

/* The trace's state: visible range, text that is searched for, closed groups. A trace is known by its
 * program, the time of its capture and the process. */
cJSON *td_trace_state_read(const struct td_view *view); /* NULL: none */
int td_trace_state_write(const struct td_view *view, struct td_err *err);
cJSON *td_trace_state_of(const struct td_view *view);
/* Sets the range and the search. */
void td_trace_state_show(struct td_view *view, const cJSON *state);
/* Closes the groups, when all of them are there. */
void td_trace_state_arrange(struct td_view *view, const cJSON *state);
#endif
