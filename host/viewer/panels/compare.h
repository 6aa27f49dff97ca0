/* The panel that compares the trace with another one. */
#pragma once
#include "host/query/diff/comparison.h"

struct td_view;
struct td_job;

/* Opens the panel, which loads the file in the background. 0, or TD_E_USAGE: the trace still grows; TD_E_IO: no
 * such file. */
int td_compare_open(struct td_view *view, const char *path, struct td_err *err);
#define TD_COMPARE_THIS "this" /* in the place of a path: the present trace, with itself */
/* Compares ranges only: names of sections or notes, "all", or times such as 1ms..2ms. `now` NULL: as `before`; both
 * NULL: all. 0, or TD_E_USAGE: nothing is compared; what is wrong with the names shows later (td_compare_error()). */
int td_compare_between(struct td_view *view, const char *before, const char *now, struct td_err *err);
/* Shows a source file as both traces have it; NULL: the list of names again. 0, or TD_E_USAGE: nothing is compared. */
int td_compare_beside(struct td_view *view, const char *file, struct td_err *err);
/* The comparison that is shown; NULL: none. */
const struct td_comparison *td_compare_shown(const struct td_view *view);
/* The frames of the chosen set in both; NULL: not counted yet. */
const struct td_compared_frames *td_compare_frames_shown(const struct td_view *view);
/* Why the last file could not be compared; NULL: it could, or is being loaded. */
const char *td_compare_error(const struct td_view *view);
/* The other trace, for a job of another panel, which is stopped before the trace goes; NULL: there is none. *loads
 * changes with the trace. */
const struct td_trace *td_compare_lend(struct td_view *view, struct td_job *job, uint64_t *loads);
