/* What the viewer reports to a program: the replies to the commands `state`, `frames` and `controls`. */
#pragma once
#include <cjson/cJSON.h>

struct td_view;

/* Adds the fields of the reply to `to`. `limit`: the name of what tables and histograms count. */
void td_report_state(struct td_view *view, const char *limit, cJSON *to);
/* What frames have cost since the last call: processor time of the thread that draws, without the renderer's. `to` may
 * be NULL. */
void td_report_frames(struct td_view *view, cJSON *to);
/* What can be clicked in the last frame, in pixels: controls, the labels of rows, and the selected zone. The first call
 * has no controls: they are noted from then on. `to` may be NULL. */
void td_report_controls(struct td_view *view, cJSON *to);
