/* Views of a trace that the user has named: visible range, search, filter, grouping and order of lanes, closed, hidden
 * and pinned rows. They are a part of the trace's state (trace_state.h). */
#pragma once
#include "host/base/err.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct td_view;

#define TD_SAVED_VIEWS     16
#define TD_SAVED_VIEW_NAME 64 /* bytes, with the NUL */

struct td_saved_views { /* all zero: none */
    cJSON *list;  /* an array of objects, each with a "name" and what td_trace_view_of() gives; NULL: none */
    cJSON *shown; /* the one whose rows are to be arranged yet; NULL: none is */
};

const char *td_saved_view_name(const struct td_view *view, size_t index); /* NULL: there are no more */
/* Keeps what the view shows now under that name, in the place of an older view of the name. TD_E_USAGE: it is no name;
 * TD_E_LIMIT: there are too many. */
int td_saved_view_keep(struct td_view *view, const char *name, struct td_err *err);
/* Shows it. TD_E_NOTFOUND: *err lists those that there are. */
int td_saved_view_show(struct td_view *view, const char *name, struct td_err *err);
int td_saved_view_remove(struct td_view *view, const char *name, struct td_err *err); /* 0 or TD_E_NOTFOUND */

/* Once a frame: arranges the rows of a view whose groups were not known when it was shown. */
void td_saved_views_step(struct td_view *view);
/* Takes those of a trace's state. */
void td_saved_views_read(struct td_view *view, const cJSON *state);
void td_saved_views_free(struct td_saved_views *views);
