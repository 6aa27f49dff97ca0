/* What arguments of commands could be, for the completion of the line after `:`. */
#include "host/viewer/model/state_check.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/presets.h"
#include "host/viewer/panels/chip.h"
#include "host/viewer/panels/flame.h"
#include "host/viewer/panels/memory_pages.h"
#include "host/viewer/panels/messages.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/panels/source.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/view.h"

#include <string.h>

const char *td_view_command_value(const struct td_view *view, const char *command, size_t index)
{
    static const char *const steps[] = {"next", "previous"};
    if (!strcmp(command, "menu"))
        return td_menu_name((int)index);
    if (!strcmp(command, "limit"))
        return td_view_limit_word(index);
    if (!strcmp(command, "notes") || !strcmp(command, "focus") || !strcmp(command, "frame") ||
        !strcmp(command, "operation"))
        return index < 2 ? steps[index] : NULL;
    if (!strcmp(command, "playback"))
        return td_playback_action(index);
    if (!strcmp(command, "memory"))
        return td_memory_action(index);
    if (!strcmp(command, "view"))
        return td_saved_view_name(view, index);
    if (!strcmp(command, "group"))
        return td_state_grouping((int)index);
    if (!strcmp(command, "flame"))
        return td_flame_word(index);
    if (!strcmp(command, "compare"))
        return index ? NULL : "this";
    if (!strcmp(command, "between"))
        return index ? NULL : "all";
    if (!strcmp(command, "code"))
        return td_source_word(index);
    if (!strcmp(command, "chip"))
        return td_chip_measure_word(index);
    if (!strcmp(command, "sweep"))
        return index ? NULL : "stop";
    if (!strcmp(command, "layout"))
        return td_preset_name((int)index + 1);
    if (!strcmp(command, "set"))
        return index < TD_CHOICE_COUNT ? td_choice_name((enum td_choice)index) : NULL;
    if (!strcmp(command, "open") || !strcmp(command, "close") || !strcmp(command, "copy")) {
        for (int i = 0; i < TD_PANEL_COUNT; i++)
            if (view->panels.table[i]->title && index-- == 0)
                return view->panels.table[i]->name;
        return NULL;
    }
    if (!strcmp(command, "pin") || !strcmp(command, "unpin") || !strcmp(command, "hide") ||
        !strcmp(command, "show") || !strcmp(command, "only") || !strcmp(command, "move") ||
        !strcmp(command, "collapse") || !strcmp(command, "expand") || !strcmp(command, "ghosts"))
        return index < (size_t)view->layout.count ? view->layout.nodes[index].label : NULL;
    if ((!strcmp(command, "select") || !strcmp(command, "order") || !strcmp(command, "track")) &&
        index < td_dict_track_count(view->model.dict))
        return td_dict_text(view->model.dict, td_dict_get_track(view->model.dict, (uint32_t)index)->name);
    if (!strcmp(command, "messages"))
        return td_messages_word(index);
    if ((!strcmp(command, "join") || !strcmp(command, "split")) &&
        index < td_dict_plot_count(view->model.dict))
        return td_dict_text(view->model.dict, td_dict_get_plot(view->model.dict, (uint32_t)index)->name);
    if ((!strcmp(command, "find") || !strcmp(command, "samples")) &&
        index < td_dict_srcloc_count(view->model.dict))
        return td_dict_zone_name(view->model.dict, (uint32_t)index);
    return NULL;
}
