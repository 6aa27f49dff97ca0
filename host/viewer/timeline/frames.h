/* Frames of the chosen set: finding, selecting, showing them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_view;

bool td_view_has_frames(const struct td_view *view, uint32_t set);
/* Selects a frame of the chosen set and pans to it; `fill`: zooms to it. */
void td_view_show_frame(struct td_view *view, size_t frame, bool fill);
void td_view_next_frame(struct td_view *view, bool forward);
/* Chooses the next frame set that has frames; the name of the chosen one. */
void td_view_next_frame_set(struct td_view *view);
const char *td_view_frame_set_name(const struct td_view *view);
/* Goes to the frame of the chosen set that has the number in the text, "12" or "#12". False: there is none. */
bool td_view_show_frame_number(struct td_view *view, const char *text);
