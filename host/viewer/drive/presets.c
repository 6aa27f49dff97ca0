#include "host/viewer/drive/presets.h"
#include "host/viewer/timeline/view.h"

#include <stddef.h>

#define MOST_PANELS 6

/* Of the panels of a region, the last one is shown. */
static const struct {
    const char *name;
    const char *panels[MOST_PANELS];
} presets[TD_PRESETS] = {
    {"Explore", {"details"}},
    {"Cores", {"chip", "lanes", "details"}},
    {"Find", {"statistics", "instances", "details"}},
    {"Record", {"messages", "connection"}},
};

const char *td_preset_name(int number)
{
    return number >= 1 && number <= TD_PRESETS ? presets[number - 1].name : NULL;
}

void td_preset_show(struct td_view *view, int number)
{
    if (!td_preset_name(number))
        return;
    for (int r = 0; r < TD_REGION_COUNT; r++)
        view->panels.region[r].open = false;
    for (int i = 0; i < MOST_PANELS && presets[number - 1].panels[i]; i++) {
        enum td_panel_id id = td_panel_named(view, presets[number - 1].panels[i]);
        if (id < TD_PANEL_COUNT && view->panels.table[id]->title)
            td_panel_set_open(view, id, true);
    }
    view->panels.focus = TD_PANEL_TIMELINE;
}
