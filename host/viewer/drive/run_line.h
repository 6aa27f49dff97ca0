/* Lines of commands of menus and of the palette. */
#pragma once

struct td_view;

/* Does the commands one after the other, and says why the first that fails did. */
void td_view_run_line(struct td_view *view, const char *line);
