/* What happens between two frames: commands of programs and scripts, and the files that commands want. For the
 * loop that draws. */
#pragma once
#include "host/viewer/ui/drawing.h"
#include "host/base/err.h"

#include <stdbool.h>

struct td_requests;
struct td_view;

/* Draws until nothing moves and nothing is computed, so that the last frame is what a picture shows. While a
 * live session runs, for a second at most. */
void td_driver_settle(struct td_view *view);
/* Does the commands of a script one after the other, each when the one before it is done and drawn. Stops at
 * the first that fails. */
int td_driver_script(struct td_view *view, const char *script, struct td_err *err);
/* Writes the visible timeline. */
int td_driver_export(struct td_view *view, const char *path, enum td_drawing_kind kind, struct td_err *err);
/* Does what clients ask for, and writes the files that commands want. True: a frame is to be drawn. */
bool td_driver_step(struct td_view *view, const struct td_requests *requests);
