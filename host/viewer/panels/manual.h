/* The manual in the window: a section of docs/viewer.md, which is a part of the program. */
#pragma once

struct td_view;

/* The section of that title; NULL: the beginning. */
void td_manual_show(struct td_view *view, const char *title);
