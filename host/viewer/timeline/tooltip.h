/* Tooltips. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct td_view;

void td_tooltip(struct td_view *view);
/* Sets the tooltip of this frame: a title and lines of the form "label\tvalue\n". */
void td_tip(struct td_view *view, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The tooltip of a frame, with its image. `more`: further lines. */
void td_frame_tip(struct td_view *view, uint32_t set, size_t frame, const char *more);
