/* The commands about panels, by their names. */
#pragma once
#include "host/base/err.h"

#include <cjson/cJSON.h>

struct td_view;

/* Several with commas between them. */
int td_drive_open(struct td_view *view, const char *panels, struct td_err *err);
int td_drive_close(struct td_view *view, const char *panel, struct td_err *err);
/* What the panel lists, to the clipboard and the reply. `form` may be NULL: as lines. */
int td_drive_copy(struct td_view *view, const char *panel, const char *form, cJSON *result,
                  struct td_err *err);
int td_drive_column(struct td_view *view, const char *panel, const char *title, struct td_err *err);
int td_drive_dock(struct td_view *view, const char *panel, const char *region, struct td_err *err);
int td_drive_swap(struct td_view *view, const char *one, const char *other, struct td_err *err);
int td_drive_fill(struct td_view *view, const char *panel, struct td_err *err);
int td_drive_arrange(struct td_view *view, const char *unused, struct td_err *err);
/* Its section of the manual; NULL: that of the panel with the keyboard. */
int td_drive_manual(struct td_view *view, const char *panel, struct td_err *err);
