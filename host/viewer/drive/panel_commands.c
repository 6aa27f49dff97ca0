#include "host/viewer/drive/panel_commands.h"
#include "host/base/nearest.h"
#include "host/viewer/drive/request.h"
#include "host/viewer/panels/manual.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The panel of that name that can be opened and closed; TD_PANEL_COUNT: *err lists those that there are. */
static enum td_panel_id find_panel(const struct td_view *view, const char *name, struct td_err *err)
{
    enum td_panel_id id = td_panel_named(view, name);
    char known[256] = "";
    struct td_nearest nearest = {.word = name};
    if (id < TD_PANEL_COUNT && (view->panels.table[id]->title || id == TD_PANEL_HELP))
        return id;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        size_t used = strlen(known);
        if (view->panels.table[i]->title)
            td_nearest_offer(&nearest, view->panels.table[i]->name);
        if (view->panels.table[i]->title)
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                     view->panels.table[i]->name);
    }
    if (nearest.name)
        td_fail(err, TD_E_USAGE, "there is no panel '%.80s': did you mean %s?", name, nearest.name);
    else
        td_fail(err, TD_E_USAGE, "there is no panel '%.80s'; there are %s", name, known);
    return TD_PANEL_COUNT;
}

int td_drive_open(struct td_view *view, const char *panels, struct td_err *err)
{
    char names[1024], *rest = NULL;
    snprintf(names, sizeof names, "%s", panels);
    for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        enum td_panel_id id = find_panel(view, name, err);
        if (id == TD_PANEL_COUNT)
            return TD_E_USAGE;
        td_panel_set_open(view, id, true);
    }
    return 0;
}

int td_drive_copy(struct td_view *view, const char *name, const char *word, cJSON *result, struct td_err *err)
{
    static const char *const forms[] = {
#define TD_X(id, word) word,
        TD_COPY_FORMS(TD_X)
#undef TD_X
    };
    const enum td_panel_id id = find_panel(view, name, err);
    int form = 0;
    if (id == TD_PANEL_COUNT)
        return TD_E_USAGE;
    while (word && form < TD_COPY_FORM_COUNT && strcmp(forms[form], word) != 0)
        form++;
    if (form == TD_COPY_FORM_COUNT)
        return td_fail(err, TD_E_USAGE, "'%.80s' is not lines, csv, json or text", word);
    const struct td_panel *panel = view->panels.table[id];
    char *text =
        panel->copy && td_panel_is_open(view, id) ? panel->copy(view, (enum td_copy_form)form) : NULL;
    if (!text)
        return td_fail(err, TD_E_NOTFOUND, "the panel %s has nothing to copy as %s; is it open?", panel->name,
                       forms[form]);
    td_ui_set_clipboard(view->ui, text);
    if (result)
        cJSON_AddStringToObject(result, TD_REPLY_TEXT, text);
    free(text);
    return 0;
}

int td_drive_column(struct td_view *view, const char *name, const char *title, struct td_err *err)
{
    const enum td_panel_id id = find_panel(view, name, err);
    if (id == TD_PANEL_COUNT)
        return TD_E_USAGE;
    const struct td_panel *panel = view->panels.table[id];
    return panel->toggle_column && panel->toggle_column(view, title)
               ? 0
               : td_fail(err, TD_E_NOTFOUND, "the panel %s has no column '%.80s' to list or to leave out",
                         panel->name, title);
}

int td_drive_close(struct td_view *view, const char *name, struct td_err *err)
{
    enum td_panel_id id = find_panel(view, name, err);
    if (id == TD_PANEL_COUNT)
        return TD_E_USAGE;
    td_panel_set_open(view, id, false);
    return 0;
}

int td_drive_dock(struct td_view *view, const char *name, const char *region, struct td_err *err)
{
    const enum td_panel_id id = find_panel(view, name, err);
    if (id == TD_PANEL_COUNT)
        return TD_E_USAGE;
    return td_panel_move(view, id, region) == 0
               ? 0
               : td_fail(err, TD_E_USAGE, "'%.80s' is not left, bottom or right", region);
}

int td_drive_swap(struct td_view *view, const char *one, const char *other, struct td_err *err)
{
    return td_regions_swap(view, one, other) == 0
               ? 0
               : td_fail(err, TD_E_USAGE, "'%.40s' and '%.40s' are not two of left, bottom and right", one,
                         other);
}

int td_drive_fill(struct td_view *view, const char *name, struct td_err *err)
{
    const enum td_panel_id id = find_panel(view, name, err);
    if (id == TD_PANEL_COUNT)
        return TD_E_USAGE;
    if (!td_region_of(view, id))
        return td_fail(err, TD_E_USAGE, "the panel %s is no tab", name);
    td_panel_fill(view, id);
    return 0;
}

int td_drive_arrange(struct td_view *view, const char *unused, struct td_err *err)
{
    (void)unused;
    (void)err;
    td_regions_reset(view);
    return 0;
}

int td_drive_manual(struct td_view *view, const char *name, struct td_err *err)
{
    const enum td_panel_id id = name ? find_panel(view, name, err) : view->panels.focus;
    if (id == TD_PANEL_COUNT)
        return TD_E_USAGE;
    td_manual_show(view, view->panels.table[id]->page);
    return 0;
}
