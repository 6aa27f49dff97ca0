/* The panel Playback: the images of frames, one after the other. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_view;

/* The names of what it does, such as "play"; NULL: there are no more. */
const char *td_playback_action(size_t index);
/* Opens the panel and does that; the number of a frame shows its image. 0, or a negative enum td_e. */
int td_playback_do(struct td_view *view, const char *action, struct td_err *err);
/* Opens the panel at this frame of the base set. */
void td_playback_show(struct td_view *view, size_t frame);
/* The same at a time; false: the trace has no images until then. */
bool td_playback_show_at(struct td_view *view, int64_t time_ns);
