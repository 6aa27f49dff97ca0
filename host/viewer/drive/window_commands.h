/* The commands about the window: menus, the palette, the line of commands, the clipboard, what was shown before. Their
 * argument may be NULL. */
#pragma once
#include "host/base/err.h"

struct td_view;

int td_drive_back(struct td_view *view, const char *unused, struct td_err *err);
int td_drive_forward(struct td_view *view, const char *unused, struct td_err *err);
int td_drive_search(struct td_view *view, const char *unused, struct td_err *err);
int td_drive_palette(struct td_view *view, const char *unused, struct td_err *err);
/* Opens the line of commands with a text in it, to be completed. */
int td_drive_prompt(struct td_view *view, const char *text, struct td_err *err);
int td_drive_menu(struct td_view *view, const char *name, struct td_err *err);
int td_drive_clipboard(struct td_view *view, const char *text, struct td_err *err);
int td_drive_welcome(struct td_view *view, const char *unused, struct td_err *err);
int td_drive_track(struct td_view *view, const char *name, struct td_err *err);
