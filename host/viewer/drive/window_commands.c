#include "host/viewer/drive/window_commands.h"
#include "host/viewer/drive/row_commands.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <string.h>

static int go(struct td_view *view, bool forward, struct td_err *err)
{
    return td_history_go(view, forward)
               ? 0
               : td_fail(err, TD_E_NOTFOUND, "there is no %s place", forward ? "later" : "earlier");
}

int td_drive_back(struct td_view *view, const char *unused, struct td_err *err)
{
    (void)unused;
    return go(view, false, err);
}

int td_drive_forward(struct td_view *view, const char *unused, struct td_err *err)
{
    (void)unused;
    return go(view, true, err);
}

static int open_panel(struct td_view *view, enum td_panel_id id)
{
    view->panels.table[id]->open(view);
    return 0;
}

int td_drive_search(struct td_view *view, const char *unused, struct td_err *err)
{
    (void)unused;
    (void)err;
    return open_panel(view, TD_PANEL_FIND);
}

int td_drive_palette(struct td_view *view, const char *unused, struct td_err *err)
{
    (void)unused;
    (void)err;
    return open_panel(view, TD_PANEL_PALETTE);
}

int td_drive_prompt(struct td_view *view, const char *text, struct td_err *err)
{
    (void)err;
    open_panel(view, TD_PANEL_COMMAND);
    if (text)
        td_ui_type(view->ui, text);
    return 0;
}

int td_drive_menu(struct td_view *view, const char *name, struct td_err *err)
{
    char known[120] = "";
    if (!name) {
        td_menu_of_choice(view);
        return 0;
    }
    if (td_menu_show(view, name))
        return 0;
    for (int i = 0; td_menu_name(i); i++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", td_menu_name(i));
    }
    return td_fail(err, TD_E_USAGE, "there is no menu '%.80s'; there are %s", name, known);
}

int td_drive_clipboard(struct td_view *view, const char *text, struct td_err *err)
{
    (void)err;
    td_ui_set_clipboard(view->ui, text);
    return 0;
}

int td_drive_welcome(struct td_view *view, const char *unused, struct td_err *err)
{
    (void)unused;
    (void)err;
    view->wishes.page = TD_WISH_OPEN;
    return 0;
}

int td_drive_track(struct td_view *view, const char *name, struct td_err *err)
{
    const uint32_t track = td_drive_find_track(view, name);
    if (track == UINT32_MAX)
        return td_fail(err, TD_E_NOTFOUND, "there is no track '%.80s'", name);
    const int node = td_layout_track_node(&view->layout, track);
    if (node >= 0)
        td_lanes_show(view, node);
    td_lanes_go(view, track);
    return 0;
}
