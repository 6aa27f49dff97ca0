#include "host/viewer/drive/row_commands.h"
#include "host/viewer/app/state_check.h"
#include "host/viewer/view.h"

#include <stdio.h>
#include <string.h>

int td_drive_view(struct td_view *view, const char *name, const char *rest, struct td_err *err)
{
    char whole[2 * TD_SAVED_VIEW_NAME];
    if (rest && !strcmp(name, "save"))
        return td_saved_view_keep(view, rest, err);
    if (rest && !strcmp(name, "remove"))
        return td_saved_view_remove(view, rest, err);
    snprintf(whole, sizeof whole, "%s%s%s", name, rest ? " " : "", rest ? rest : "");
    return td_saved_view_show(view, whole, err);
}

int td_drive_lanes(struct td_view *view, const char *text, struct td_err *err)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    if (!text)
        td_lanes_show_all(view);
    else if (!td_lane_filter_parse(&filter, text, &mistake))
        return td_fail(err, TD_E_USAGE, "%s, at \"%.40s\"", mistake.text, text + mistake.at);
    else
        td_lanes_set_filter(view, text);
    return 0;
}

int td_drive_group(struct td_view *view, const char *word, struct td_err *err)
{
    for (int i = 0; i < TD_GROUPING_COUNT; i++)
        if (!strcmp(td_state_grouping(i), word)) {
            td_lanes_group(view, (enum td_grouping)i);
            return 0;
        }
    return td_fail(err, TD_E_USAGE, "'%.80s' is not place, kind, kernel or flat", word);
}
