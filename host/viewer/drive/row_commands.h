/* The commands about rows: saved views, the filter of lanes, groups. */
#ifndef TD_HOST_VIEWER_DRIVE_ROW_COMMANDS_H
#define TD_HOST_VIEWER_DRIVE_ROW_COMMANDS_H
#include "host/base/err.h"

struct td_view;

/* "NAME" shows a view; "save" and "remove" with a rest save and remove it. A name with spaces may be in both. */
int td_drive_view(struct td_view *view, const char *name, const char *rest, struct td_err *err);
/* NULL: all lanes, with hidden rows. */
int td_drive_lanes(struct td_view *view, const char *filter, struct td_err *err);
int td_drive_group(struct td_view *view, const char *word, struct td_err *err);
#endif
