/* What the user did to one trace: visible range, text that is searched for, filter, grouping and order of lanes,
 * closed groups, hidden and pinned rows, saved views, drifts of the clocks of GPU contexts. It is kept in a file
 * (store.h). A trace is known by its program, the time of its capture and the process.
 *
 * Rows are known by their labels and those of the groups around them; of several rows of one name, the second one
 * has "#2" after it. */
#pragma once
#include "host/viewer/model/store.h"

struct td_view;
struct td_view_model;

#define TD_ROW_NAME_BYTES 420
/* The name of a row by which a state knows it, such as "/Host/Main thread". */
void td_row_name(const struct td_view *view, int node, char name[TD_ROW_NAME_BYTES]);
int td_row_named(const struct td_view *view, const char *name); /* -1: there is none */

cJSON *td_trace_state_read(const struct td_view_model *model); /* NULL: none */
int td_trace_state_write(const struct td_view *view, struct td_err *err);
cJSON *td_trace_state_of(const struct td_view *view);
/* The part of it that is about what is visible: range, search, filter and rows, also those that are as always. */
cJSON *td_trace_view_of(const struct td_view *view);
/* Writes a state that td_state_check() accepts as that of the trace. */
int td_trace_state_put(const struct td_view_model *model, const cJSON *state, struct td_err *err);
/* Sets the range, the search and the filter. */
void td_trace_view_show(struct td_view *view, const cJSON *state);
/* The same, and the description. */
void td_trace_state_show(struct td_view *view, const cJSON *state);
/* Groups, orders, closes, hides and pins the rows, when all of them are there, unless the user has arranged them
 * meanwhile. False: the groups are not known yet, call it again after some frames. */
bool td_trace_state_arrange(struct td_view *view, const cJSON *state);
