/* The clocks of the view's GPU contexts: what the user sets, and how rows are drawn by them. */
#ifndef TD_HOST_VIEWER_TIMELINE_GPU_CLOCKS_H
#define TD_HOST_VIEWER_TIMELINE_GPU_CLOCKS_H
#include "host/base/err.h"
#include "host/query/rows/gpu_clock.h"

#include <cjson/cJSON.h>

struct td_view;

uint32_t td_view_gpu_contexts(const struct td_view *view);
/* "GPU context 0", or the context's own name. */
const char *td_view_gpu_name(const struct td_view *view, uint32_t context, char *text, size_t bytes);
bool td_view_gpu_is_calibrated(const struct td_view *view, uint32_t context);
/* The clock of the context; all zero: none was set. */
struct td_gpu_clock td_view_gpu_clock(const struct td_view *view, uint32_t context);
/* NULL: measures the drift. TD_E_USAGE: the program has calibrated the context; TD_E_NOTFOUND: too few zones. */
int td_view_set_gpu_clock(struct td_view *view, uint32_t context, const double *drift, double offset_ns,
                          struct td_err *err);

/* A time of the track, as it is shown. */
double td_view_shown_ns(const struct td_view *view, uint32_t track, double ns);

/* From enter to leave, td_view_x(), td_view_time() and the camera take recorded times of the track. */
struct td_clock_scope {
    double start_ns, end_ns, origin_ns, ns_per_pixel;
    bool entered;
};
struct td_clock_scope td_view_enter_clock(struct td_view *view, uint32_t track);
void td_view_leave_clock(struct td_view *view, const struct td_clock_scope *scope);

/* For the state of a trace: a list of contexts with clocks; NULL: there is none. */
cJSON *td_gpu_clocks_to_json(const struct td_view *view);
void td_gpu_clocks_read(struct td_view *view, const cJSON *list);
#endif
