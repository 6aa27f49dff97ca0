/* The menus that have names: the one of the bar, and those that it opens. */
#include "host/viewer/model/state_check.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/menu_parts.h"
#include "host/viewer/timeline/view.h"

#include <string.h>

static void add_choice(const struct td_view *view, struct td_menu *menu, const char *text, const char *keys,
                       enum td_choice choice, int on, int off)
{
    const int now = td_view_choice(view, choice);
    struct td_menu_entry *entry = td_menu_add(menu, text, keys, "set %s %s", td_choice_name(choice),
                                              td_choice_word(choice, now == off ? on : off));
    if (entry)
        entry->mark = now == off ? TD_MENU_OFF : TD_MENU_ON;
}

static void fill_rows(struct td_view *view, struct td_menu *menu)
{
    td_menu_head(menu, "Rows");
    add_choice(view, menu, "CPU data", "5", TD_CHOICE_CPUS, 0, 1);
    add_choice(view, menu, "Context switches", "6", TD_CHOICE_SWITCHES, 0, 1);
    add_choice(view, menu, "Samples", "7", TD_CHOICE_SAMPLES, 0, 1);
    add_choice(view, menu, "Ghost zones", "8", TD_CHOICE_GHOSTS, 0, 3);
    add_choice(view, menu, "Locks", NULL, TD_CHOICE_LOCKS, 0, 2);
    add_choice(view, menu, "Plots and memory", NULL, TD_CHOICE_PLOTS, 0, 1);
    add_choice(view, menu, "GPU contexts", NULL, TD_CHOICE_GPU, 0, 1);
    add_choice(view, menu, "Empty tracks", NULL, TD_CHOICE_EMPTY, 0, 1);
    td_menu_separate(menu);
    td_menu_add(menu, "Close all groups", "C", "collapse");
    td_menu_add(menu, "Open all groups", "Shift+C", "expand");
    td_menu_add(menu, "Show all rows", "Shift+X", "lanes; show");
}

static void fill_group(struct td_view *view, struct td_menu *menu)
{
    static const char *const texts[] = {
#define TD_X(id, name) name,
        TD_GROUPINGS(TD_X)
#undef TD_X
    };
    td_menu_head(menu, "Group the cores by");
    for (int i = 0; i < TD_GROUPING_COUNT; i++) {
        struct td_menu_entry *entry = td_menu_add(menu, texts[i], NULL, "group %s", td_state_grouping(i));
        if (entry)
            entry->mark = view->lanes.grouping == (enum td_grouping)i ? TD_MENU_ON : TD_MENU_OFF;
    }
    td_menu_separate(menu);
    td_menu_add(menu, "Order of the grid", NULL, "order");
}

static void fill_panels(struct td_view *view, struct td_menu *menu)
{
    td_menu_head(menu, "Panels");
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_panel *panel = view->panels.table[i];
        const bool open = td_panel_is_open(view, i);
        struct td_menu_entry *entry = panel->title ? td_menu_add(menu, panel->title, NULL, "%s %s",
                                                                 open ? "close" : "open", panel->name)
                                                   : NULL;
        if (entry)
            entry->mark = open ? TD_MENU_ON : TD_MENU_OFF;
    }
}

static void fill_layouts(struct td_view *view, struct td_menu *menu)
{
    (void)view;
    td_menu_head(menu, "Layouts");
    td_menu_add(menu, "Explore: timeline", "1", "layout 1");
    td_menu_add(menu, "Cores: chip and lanes", "2", "layout 2");
    td_menu_add(menu, "Find: the zones of a name", "3", "layout 3");
    td_menu_add(menu, "Record: a program that runs", "4", "layout 4");
}

static void fill_time(struct td_view *view, struct td_menu *menu)
{
    td_menu_head(menu, "Time");
    td_menu_add(menu, "Show the whole trace", "F", "fit");
    td_menu_add(menu, "Zoom to the marked range or the zone", "Z", "zoom");
    td_menu_add(menu, "Back", "Backspace", "back");
    td_menu_add(menu, "Forward", "Alt+right", "forward");
    td_menu_add(menu, "Next frame", "K", "frame next");
    td_menu_add(menu, "Previous frame", "Shift+K", "frame previous");
    td_menu_add(menu, "Next note", "'", "notes next");
    td_menu_add(menu, "Next match of the search", "N", "next");
    td_menu_add(menu, "Previous match of the search", "Shift+N", "previous");
    td_menu_separate(menu);
    td_menu_range_parts(view, menu);
}

static void fill_bar(struct td_view *view, struct td_menu *menu)
{
    (void)view;
    td_menu_add(menu, "Commands, names, tracks ...", "Ctrl+P", "palette");
    td_menu_add(menu, "Find zones ...", "/", "search");
    td_menu_separate(menu);
    td_menu_add(menu, "Panels", NULL, "menu panels");
    td_menu_add(menu, "Layouts", NULL, "menu layouts");
    td_menu_add(menu, "Rows", NULL, "menu rows");
    td_menu_add(menu, "Groups of cores", NULL, "menu group");
    td_menu_add(menu, "Time", NULL, "menu time");
    td_menu_add(menu, "Frames", NULL, "menu frames");
    td_menu_separate(menu);
    td_menu_add(menu, "Open a trace or connect ...", "Ctrl+O", "welcome");
    td_menu_add(menu, "Compare with a trace ...", NULL, "prompt \"compare \"");
    td_menu_add(menu, "Save a picture ...", NULL, "prompt \"screenshot window.png\"");
    td_menu_add(menu, "Export the timeline ...", NULL, "prompt \"export timeline.svg\"");
    td_menu_separate(menu);
    td_menu_add(menu, "Options", "Ctrl+comma", "open options");
    td_menu_add(menu, "Mouse and keys", "?", "open help");
    td_menu_add(menu, "Close the window", NULL, "quit");
}

static const struct {
    const char *name;
    void (*fill)(struct td_view *view, struct td_menu *menu);
} named[] = {
    {"bar", fill_bar},   {"panels", fill_panels}, {"layouts", fill_layouts}, {"frames", td_menu_frame_parts},
    {"rows", fill_rows}, {"group", fill_group},   {"time", fill_time}};

const char *td_menu_name(int index)
{
    return index >= 0 && index < (int)(sizeof named / sizeof *named) ? named[index].name : NULL;
}

void td_menu_fill(struct td_view *view, int index, struct td_menu *menu)
{
    named[index].fill(view, menu);
}

bool td_menu_show(struct td_view *view, const char *name)
{
    struct td_menu *menu = td_panel_state(view, TD_PANEL_MENU);
    for (int i = 0; td_menu_name(i); i++)
        if (!strcmp(named[i].name, name)) {
            named[i].fill(view, td_menu_begin(view, menu->x, menu->y));
            return true;
        }
    return false;
}

void td_menu_of_bar(struct td_view *view, float x, float y)
{
    fill_bar(view, td_menu_begin(view, x, y));
}
