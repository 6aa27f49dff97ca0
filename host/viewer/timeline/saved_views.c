#include "host/base/err.h"
#include "host/viewer/timeline/saved_views.h"
#include "host/base/plain_text.h"
#include "host/viewer/timeline/trace_state.h"
#include "host/viewer/model/json_print.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES                                                                                           \
    (TD_STORE_MAX / 2) /* of all views as text: the state of the trace must fit into its file */

static const char *name_of(const cJSON *saved)
{
    return td_store_text(saved, "name");
}

const char *td_saved_view_name(const struct td_view *view, size_t index)
{
    const cJSON *saved = cJSON_GetArrayItem(view->saved.list, (int)index);
    return saved ? name_of(saved) : NULL;
}

/* TD_E_NOTFOUND: there is none. */
static int find_view(const struct td_view *view, const char *name)
{
    for (int i = 0; td_saved_view_name(view, (size_t)i); i++)
        if (!strcmp(td_saved_view_name(view, (size_t)i), name))
            return i;
    return TD_E_NOTFOUND;
}

static int fail_unknown(const struct td_view *view, const char *name, struct td_err *err)
{
    char known[300] = "";
    for (size_t i = 0; td_saved_view_name(view, i) && strlen(known) + TD_SAVED_VIEW_NAME + 3 < sizeof known;
         i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 td_saved_view_name(view, i));
    return td_fail(err, TD_E_NOTFOUND, "there is no view '%.60s'%s%s", name,
                   *known ? "; there are " : "; save one with: view save NAME", known);
}

static size_t bytes_of(const cJSON *list)
{
    char *text = td_json_print(list, true);
    const size_t bytes = text ? strlen(text) : SIZE_MAX;
    free(text);
    return bytes;
}

int td_saved_view_keep(struct td_view *view, const char *name, struct td_err *err)
{
    const int old = find_view(view, name);
    char plain[TD_SAVED_VIEW_NAME];
    if (!*name || strlen(name) >= sizeof plain || strcmp(td_plain_copy(plain, sizeof plain, name), name) != 0)
        return td_fail(err, TD_E_USAGE, "the name of a view has 1 to %d bytes of plain text",
                       TD_SAVED_VIEW_NAME - 1);
    if (old < 0 && cJSON_GetArraySize(view->saved.list) >= TD_SAVED_VIEWS)
        return td_fail(err, TD_E_LIMIT, "there are %d views already; remove one first", TD_SAVED_VIEWS);
    if (!view->saved.list)
        view->saved.list = cJSON_CreateArray();
    cJSON *saved = td_trace_view_of(view);
    if (!view->saved.list || !saved || !cJSON_AddStringToObject(saved, "name", name)) {
        cJSON_Delete(saved);
        return td_fail_no_memory(err, NULL);
    }
    if (bytes_of(view->saved.list) + bytes_of(saved) > MOST_BYTES) {
        cJSON_Delete(saved);
        return td_fail(err, TD_E_LIMIT, "the views of this trace are too large to keep; remove one first");
    }
    if (old >= 0)
        cJSON_ReplaceItemInArray(view->saved.list, old, saved);
    else
        cJSON_AddItemToArray(view->saved.list, saved);
    return 0;
}

/* As a trace is shown first. */
static void show_defaults(struct td_view *view)
{
    td_view_search(view, "");
    td_lanes_show_all(view);
    if (view->lanes.grouping != TD_GROUPING_PLACE)
        td_lanes_group(view, TD_GROUPING_PLACE);
    if (view->lanes.rank)
        td_lanes_order(view, NULL, 0);
    if (view->rows.own.tracks || view->rows.own.plots) {
        td_row_choices_free(&view->rows.own);
        td_view_arrange_rows(view, NULL);
    }
    td_camera_fit(&view->camera, false);
    view->rows.arranged = false;
}

int td_saved_view_show(struct td_view *view, const char *name, struct td_err *err)
{
    const int at = find_view(view, name);
    if (at < 0)
        return fail_unknown(view, name, err);
    cJSON *saved = cJSON_Duplicate(cJSON_GetArrayItem(view->saved.list, at), true);
    if (!saved)
        return td_fail_no_memory(err, NULL);
    show_defaults(view);
    td_trace_view_show(view, saved);
    cJSON_Delete(view->saved.shown);
    view->saved.shown = saved;
    td_saved_views_step(view);
    return 0;
}

int td_saved_view_remove(struct td_view *view, const char *name, struct td_err *err)
{
    const int at = find_view(view, name);
    if (at < 0)
        return fail_unknown(view, name, err);
    cJSON_DeleteItemFromArray(view->saved.list, at);
    return 0;
}

void td_saved_views_step(struct td_view *view)
{
    if (!view->saved.shown || !td_trace_state_arrange(view, view->saved.shown))
        return;
    cJSON_Delete(view->saved.shown);
    view->saved.shown = NULL;
}

void td_saved_views_read(struct td_view *view, const cJSON *state)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(state, "views");
    td_saved_views_free(&view->saved);
    view->saved.list = cJSON_IsArray(list) ? cJSON_Duplicate(list, true) : NULL;
    while (cJSON_GetArraySize(view->saved.list) > TD_SAVED_VIEWS)
        cJSON_DeleteItemFromArray(view->saved.list, TD_SAVED_VIEWS);
}

void td_saved_views_free(struct td_saved_views *views)
{
    cJSON_Delete(views->list);
    cJSON_Delete(views->shown);
    *views = (struct td_saved_views){0};
}
