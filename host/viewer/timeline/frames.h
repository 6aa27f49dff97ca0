/* Frames of the chosen set: finding, selecting, showing them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_err;
struct td_view;

bool td_view_has_frames(const struct td_view *view, uint32_t set);
/* Selects a frame of the chosen set and pans to it; `fill`: zooms to it. */
void td_view_show_frame(struct td_view *view, size_t frame, bool fill);
void td_view_next_frame(struct td_view *view, bool forward);
/* frame_sets.c: chooses a set; the next one that has frames. */
void td_view_choose_frame_set(struct td_view *view, uint32_t set);
void td_view_next_frame_set(struct td_view *view);
/* The name of the chosen set, or of any. */
const char *td_view_frame_set_name(const struct td_view *view);
const char *td_view_name_of_frame_set(const struct td_view *view, uint32_t set);
/* The command `frameset`: NULL: there is no name. */
int td_view_frame_set_do(struct td_view *view, const char *word, const char *name, struct td_err *err);
/* Goes to the frame of the chosen set that has the number in the text, "12" or "#12". False: there is none. */
bool td_view_show_frame_number(struct td_view *view, const char *text);
