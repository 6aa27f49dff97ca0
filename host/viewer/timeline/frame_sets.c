/* The chosen set of frames, and the second one that the strip shows. */
#include "host/base/err.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/menu_parts.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <string.h>

const char *td_view_name_of_frame_set(const struct td_view *view, uint32_t set)
{
    return set ? td_dict_text(view->model.dict, td_dict_get_frame_set(view->model.dict, set, NULL)) : "Frame";
}

const char *td_view_frame_set_name(const struct td_view *view)
{
    return td_view_name_of_frame_set(view, view->selection.frame_set);
}

void td_view_choose_frame_set(struct td_view *view, uint32_t set)
{
    struct td_selection *s = &view->selection;
    if (s->frame_set == set)
        return;
    if (s->second_set == set + 1) /* both stay visible */
        s->second_set = s->frame_set + 1;
    s->frame_set = set;
    s->frame = 0;
}

void td_view_next_frame_set(struct td_view *view)
{
    const uint32_t sets = td_dict_frame_set_count(view->model.dict);
    for (uint32_t i = 1; i <= sets; i++) {
        const uint32_t set = (view->selection.frame_set + i) % sets;
        if (td_view_has_frames(view, set)) {
            td_view_choose_frame_set(view, set);
            return;
        }
    }
}

static uint32_t find_set(const struct td_view *view, const char *name)
{
    const uint32_t sets = td_dict_frame_set_count(view->model.dict);
    for (uint32_t set = 0; set < sets; set++)
        if (td_view_has_frames(view, set) && !strcmp(td_view_name_of_frame_set(view, set), name))
            return set;
    return UINT32_MAX;
}

int td_view_frame_set_do(struct td_view *view, const char *word, const char *name, struct td_err *err)
{
    if (!name && !strcmp(word, "next")) {
        td_view_next_frame_set(view);
        return 0;
    }
    if (!name && !strcmp(word, "alone")) {
        view->selection.second_set = 0;
        return 0;
    }
    const bool second = name && !strcmp(word, "with");
    if (name && !second)
        return td_fail(err, TD_E_USAGE, "'%.80s' is not 'with'; quote a name of several words", word);
    const uint32_t set = find_set(view, second ? name : word);
    if (set == UINT32_MAX)
        return td_fail(err, TD_E_NOTFOUND, "there is no set of frames '%.80s'", second ? name : word);
    if (!second)
        td_view_choose_frame_set(view, set);
    else if (set != view->selection.frame_set)
        view->selection.second_set = set + 1;
    return 0;
}

void td_menu_frame_parts(struct td_view *view, struct td_menu *menu)
{
    const uint32_t sets = td_dict_frame_set_count(view->model.dict);
    char word[TD_MENU_WORD], text[TD_MENU_TEXT];
    td_menu_head(menu, "Frames");
    td_menu_add(menu, "Next frame", "K", "frame next");
    td_menu_add(menu, "Previous frame", "Shift+K", "frame previous");
    td_menu_add(menu, "Their lengths and numbers", "Shift+F", "open frames");
    td_menu_add(menu, "Another target ...", NULL, "prompt 'set fps '");
    td_menu_separate(menu);
    for (uint32_t set = 0; set < sets; set++) {
        if (!td_view_has_frames(view, set))
            continue;
        const char *name = td_view_name_of_frame_set(view, set);
        const bool chosen = set == view->selection.frame_set, second = view->selection.second_set == set + 1;
        snprintf(text, sizeof text, "Set: %s", name);
        struct td_menu_entry *entry = td_menu_add(menu, text, NULL, "frameset %s", td_menu_word(word, name));
        if (entry)
            entry->mark = chosen ? TD_MENU_ON : TD_MENU_OFF;
        snprintf(text, sizeof text, "Second set: %s", name);
        entry = chosen   ? NULL
                : second ? td_menu_add(menu, text, NULL, "frameset alone")
                         : td_menu_add(menu, text, NULL, "frameset with %s", word);
        if (entry)
            entry->mark = second ? TD_MENU_ON : TD_MENU_OFF;
    }
    td_menu_separate(menu);
    const bool hidden = td_view_choice(view, TD_CHOICE_STRIP);
    td_menu_add(menu, hidden ? "Show the strip above the timeline" : "Hide the strip above the timeline",
                "Shift+Q", "set strip %s", hidden ? "shown" : "hidden");
}
