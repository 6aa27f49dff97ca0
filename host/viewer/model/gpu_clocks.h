/* The clocks of the view's GPU contexts, as the user sets them. */
#pragma once
#include "host/viewer/model/view_model.h"

uint32_t td_view_gpu_contexts(const struct td_view_model *model);
/* "GPU context 0", or the context's own name. */
const char *td_view_gpu_name(const struct td_view_model *model, uint32_t context, char *text, size_t bytes);
bool td_view_gpu_is_calibrated(const struct td_view_model *model, uint32_t context);
/* The clock of the context; all zero: none was set. */
struct td_gpu_clock td_view_gpu_clock(const struct td_view_model *model, uint32_t context);
/* NULL: measures the drift. TD_E_USAGE: the program has calibrated the context; TD_E_NOTFOUND: too few zones. */
int td_view_set_gpu_clock(struct td_view_model *model, uint32_t context, const double *drift,
                          double offset_ns, struct td_err *err);

/* The clock that the user has set for the track's context; NULL: times are as recorded. */
const struct td_gpu_clock *td_view_clock_of(const struct td_view_model *model, uint32_t track);
/* A time of the track, as it is shown. */
double td_view_shown_ns(const struct td_view_model *model, uint32_t track, double ns);

/* For the state of a trace: a list of contexts with clocks; NULL: there is none. */
cJSON *td_gpu_clocks_to_json(const struct td_view_model *model);
void td_gpu_clocks_read(struct td_view_model *model, const cJSON *list);
