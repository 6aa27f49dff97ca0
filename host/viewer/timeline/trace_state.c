#include "host/viewer/timeline/trace_state.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/event/map.h"
#include "host/viewer/model/state_check.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES TD_ROW_NAME_BYTES
#define KEY_BYTES  120

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++)
        hash = td_mix64(hash ^ (uint8_t)*c);
    return td_mix64(hash);
}

/* "matmul-1700000000-0123456789abcdef.json" */
static void make_key(const struct td_view_model *model, char key[KEY_BYTES])
{
    const struct td_trace_info *info = td_trace_get_info(model->trace);
    const char *program = info->program ? info->program : "";
    int n = 0;
    for (const char *c = program; *c && n < 40; c++, n++)
        key[n] = isalnum((unsigned char)*c) || *c == '_' ? *c : '-';
    uint64_t hash = hash_text(hash_text(hash_text(info->pid, program), info->capture_name), info->host_info);
    hash = model->file_sum ? td_mix64(hash ^ model->file_sum) : hash;
    snprintf(key + n, KEY_BYTES - (size_t)n, "-%" PRIu64 "-%016" PRIx64 ".json", info->capture_time_s, hash);
}

/* ---- names of rows ---- */

/* Counts names, so that each is used once. */
struct names {
    struct td_map seen;
};

/* Appends "#2" to the second row of a name, and so on. Returns the hash of the result. */
static uint64_t number_name(struct names *names, char name[NAME_BYTES])
{
    const uint64_t hash = hash_text(0, name);
    const uint32_t count = td_map_get(&names->seen, hash, 0) + 1;
    const size_t used = strlen(name);
    td_map_set(&names->seen, hash, count); /* without memory, names are used twice */
    if (count < 2)
        return hash;
    snprintf(name + used, NAME_BYTES - used, "#%u", count);
    return hash_text(0, name);
}

/* The labels of the groups around a node, then its own. To be called for all nodes in their order. */
static uint64_t name_node(struct names *names, const struct td_layout *layout, int node,
                          char name[NAME_BYTES])
{
    int chain[8] = {0}, count = 0;
    const size_t room = NAME_BYTES - 16;
    for (int n = node; n >= 0 && count < 8; n = layout->nodes[n].parent)
        chain[count++] = n;
    size_t used = 0;
    name[0] = 0;
    while (count-- && used < room)
        used += (size_t)snprintf(name + used, room - used, "/%s", layout->nodes[chain[count]].label);
    return number_name(names, name);
}

void td_row_name(const struct td_view *view, int node, char name[TD_ROW_NAME_BYTES])
{
    struct names names = {0};
    name[0] = 0;
    for (int i = 0; i <= node; i++)
        name_node(&names, &view->layout, i, name);
    td_map_finish(&names.seen);
}

int td_row_named(const struct td_view *view, const char *name)
{
    struct names names = {0};
    char at[NAME_BYTES];
    int found = -1;
    for (int i = 0; i < view->layout.count && found < 0; i++) {
        name_node(&names, &view->layout, i, at);
        found = !strcmp(at, name) ? i : -1;
    }
    td_map_finish(&names.seen);
    return found;
}

/* The same for all tracks. */
static uint64_t name_track(struct names *names, const struct td_view *view, uint32_t track,
                           char name[NAME_BYTES])
{
    td_lanes_name(view, track, name);
    return number_name(names, name);
}

/* ---- to JSON ---- */

static bool shows_all(const struct td_camera *camera)
{
    return fabs(camera->to_start_ns - camera->full_start_ns) < 1 &&
           fabs(camera->to_end_ns - camera->full_end_ns) < 1;
}

/* The row, or all rows in the group. */
static bool is_hidden(const struct td_layout *layout, int node)
{
    bool any = false;
    for (int i = node; i < layout->nodes[node].end; i++) {
        if (layout->nodes[i].kind == TD_NODE_GROUP)
            continue;
        if (!layout->nodes[i].hidden)
            return false;
        any = true;
    }
    return any;
}

static void add_name(cJSON *state, const char *list, const char *name)
{
    cJSON *array = cJSON_GetObjectItemCaseSensitive(state, list);
    if (!array)
        array = cJSON_AddArrayToObject(state, list);
    if (cJSON_GetArraySize(array) < TD_STATE_ROWS)
        cJSON_AddItemToArray(array, cJSON_CreateString(name));
}

/* `closed`: which groups are closed, too. */
static void add_rows(cJSON *state, const struct td_view *view, bool closed)
{
    const struct td_layout *layout = &view->layout;
    struct names names = {0};
    int hidden_to = 0; /* the end of a group that is hidden as a whole */
    if (closed)
        cJSON_AddArrayToObject(state, "closed");
    for (int i = 0; i < layout->count; i++) {
        char name[NAME_BYTES];
        const struct td_node *node = &layout->nodes[i];
        name_node(&names, layout, i, name);
        if (closed && node->collapsed)
            add_name(state, "closed", name);
        if (node->pinned)
            add_name(state, "pinned", name);
        if (i >= hidden_to && is_hidden(layout, i)) {
            add_name(state, "hidden", name);
            hidden_to = node->end;
        }
    }
    td_map_finish(&names.seen);
}

static void add_order(cJSON *state, const struct td_view *view)
{
    const struct td_lanes *l = &view->lanes;
    uint32_t *at = l->rank ? malloc(((size_t)l->ranked + 1) * sizeof *at) : NULL; /* tracks by rank */
    char(*name)[NAME_BYTES] = at ? calloc((size_t)l->ranked + 1, sizeof *name) : NULL;
    struct names names = {0};
    for (uint32_t t = 0; name && t < l->ranked; t++)
        at[t] = UINT32_MAX;
    for (uint32_t t = 0; name && t < l->ranked; t++) {
        name_track(&names, view, t, name[t]);
        if (l->rank[t] < l->ranked)
            at[l->rank[t]] = t;
    }
    for (uint32_t r = 0; name && r < l->ranked; r++)
        if (at[r] != UINT32_MAX)
            add_name(state, "order", name[at[r]]);
    td_map_finish(&names.seen);
    free(name);
    free(at);
}

/* Threads whose sampled functions are shown or hidden, and the plots of each row with several. */
static void add_choices(cJSON *state, const struct td_view *view)
{
    const struct td_row_choices *own = &view->rows.own;
    const struct td_dict *dict = view->model.dict;
    struct names names = {0};
    for (uint32_t t = 0; t < own->tracks; t++) {
        char name[NAME_BYTES];
        name_track(&names, view, t, name);
        if (own->ghosts[t])
            add_name(state, own->ghosts[t] == TD_ROW_ON ? "ghosts" : "no_ghosts", name);
    }
    td_map_finish(&names.seen);
    for (uint32_t p = 0; p < own->plots; p++) {
        const uint32_t host = td_row_host(own, p);
        if (host == p)
            continue;
        add_name(state, "joined", td_dict_text(dict, td_dict_get_plot(dict, p)->name));
        add_name(state, "joined", td_dict_text(dict, td_dict_get_plot(dict, host)->name));
    }
}

static void add_view(cJSON *state, const struct td_view *view, bool closed)
{
    if (!shows_all(&view->camera)) {
        cJSON_AddNumberToObject(state, "from_ns", view->camera.to_start_ns);
        cJSON_AddNumberToObject(state, "until_ns", view->camera.to_end_ns);
    }
    if (view->find.text[0])
        cJSON_AddStringToObject(state, "find", view->find.text);
    if (view->lanes.text[0] && !view->lanes.mistake.text[0])
        cJSON_AddStringToObject(state, "filter", view->lanes.text);
    if (view->lanes.grouping != TD_GROUPING_PLACE)
        cJSON_AddStringToObject(state, "grouping", td_state_grouping((int)view->lanes.grouping));
    add_order(state, view);
    add_choices(state, view);
    add_rows(state, view, closed);
}

cJSON *td_trace_view_of(const struct td_view *view)
{
    cJSON *state = cJSON_CreateObject();
    add_view(state, view, true);
    return state;
}

cJSON *td_trace_state_of(const struct td_view *view)
{
    cJSON *state = cJSON_CreateObject();
    const struct td_trace_info *info = td_trace_get_info(view->model.trace);
    cJSON_AddStringToObject(state, "program", info->program ? info->program : "");
    if (view->model.description[0])
        cJSON_AddStringToObject(state, "description", view->model.description);
    cJSON *clocks = td_gpu_clocks_to_json(&view->model);
    if (clocks)
        cJSON_AddItemToObject(state, "gpu", clocks);
    cJSON *paths = td_source_paths_to_json(&view->model.source_paths);
    if (paths)
        cJSON_AddItemToObject(state, "paths", paths);
    add_view(state, view, view->rows.arranged);
    if (cJSON_GetArraySize(view->saved.list))
        cJSON_AddItemToObject(state, "views", cJSON_Duplicate(view->saved.list, true));
    return state;
}

/* ---- files ---- */

cJSON *td_trace_state_read(const struct td_view_model *model)
{
    char key[KEY_BYTES];
    make_key(model, key);
    return td_store_read(TD_STORE_STATE, key);
}

int td_trace_state_put(const struct td_view_model *model, const cJSON *state, struct td_err *err)
{
    char key[KEY_BYTES];
    make_key(model, key);
    return td_store_write(TD_STORE_STATE, key, state, err);
}

int td_trace_state_write(const struct td_view *view, struct td_err *err)
{
    char key[KEY_BYTES], path[4096];
    make_key(&view->model, key);
    cJSON *state = td_trace_state_of(view);
    const bool is_default = state && cJSON_GetArraySize(state) == 1; /* the program */
    const bool is_kept = td_store_path(TD_STORE_STATE, key, path, sizeof path) && access(path, F_OK) == 0;
    const int rc = is_default && !is_kept ? 0 : td_store_write(TD_STORE_STATE, key, state, err);
    cJSON_Delete(state);
    return rc;
}

/* ---- from JSON ---- */

void td_trace_view_show(struct td_view *view, const cJSON *state)
{
    const double from = td_store_number(state, "from_ns", NAN, -TD_STATE_TIME, TD_STATE_TIME),
                 until = td_store_number(state, "until_ns", NAN, -TD_STATE_TIME, TD_STATE_TIME);
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    if (from < until)
        td_camera_set_range(&view->camera, from, until, true);
    if (*td_store_text(state, "find"))
        td_view_search(view, td_store_text(state, "find"));
    if (td_lane_filter_parse(&filter, td_store_text(state, "filter"), &mistake))
        td_lanes_set_filter(view, td_store_text(state, "filter"));
}

void td_trace_state_show(struct td_view *view, const cJSON *state)
{
    snprintf(view->model.description, sizeof view->model.description, "%s",
             td_store_text(state, "description"));
    td_source_paths_read(&view->model.source_paths, cJSON_GetObjectItemCaseSensitive(state, "paths"));
    td_trace_view_show(view, state);
}

/* The hashes of the names of a list. False: there is no such list. */
static bool read_names(const cJSON *state, const char *list, struct td_map *hashes)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(state, list), *entry;
    uint32_t count = 0;
    if (!cJSON_IsArray(array))
        return false;
    cJSON_ArrayForEach(entry, array)
    {
        if (cJSON_IsString(entry) && count < TD_STATE_ROWS)
            td_map_add(hashes, hash_text(0, entry->valuestring), ++count);
    }
    return true;
}

static void set_grouping(struct td_view *view, const cJSON *state)
{
    const char *word = td_store_text(state, "grouping");
    for (int i = 0; i < TD_GROUPING_COUNT; i++)
        if (!strcmp(word, td_state_grouping(i)) && view->lanes.grouping == TD_GROUPING_PLACE && i)
            td_lanes_group(view, (enum td_grouping)i);
}

/* The kernels by which cores are grouped are found in the background. */
static bool has_groups(const struct td_view *view)
{
    return view->lanes.grouping != TD_GROUPING_KERNEL || view->sums.shown.lane;
}

static void set_order(struct td_view *view, const cJSON *state)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    struct td_map places = {0};
    struct names names = {0};
    if (view->lanes.rank || !read_names(state, "order", &places))
        return;
    uint32_t *order = calloc((size_t)TD_STATE_ROWS + 1, sizeof *order); /* track + 1 of each place */
    size_t count = 0;
    for (uint32_t t = 0; order && t < tracks; t++) {
        char name[NAME_BYTES];
        const uint32_t place = td_map_get(&places, name_track(&names, view, t, name), 0);
        order[place] = place ? t + 1 : 0;
    }
    for (uint32_t i = 1; order && i <= TD_STATE_ROWS; i++)
        if (order[i])
            order[count++] = order[i] - 1;
    if (count)
        td_lanes_order(view, order, count);
    free(order);
    td_map_finish(&names.seen);
    td_map_finish(&places);
}

static uint32_t plot_named(const struct td_view *view, const cJSON *name)
{
    const struct td_dict *dict = view->model.dict;
    for (uint32_t p = 0; cJSON_IsString(name) && p < td_dict_plot_count(dict); p++)
        if (!strcmp(td_dict_text(dict, td_dict_get_plot(dict, p)->name), name->valuestring))
            return p;
    return UINT32_MAX;
}

/* False: the state has no such choices. */
static bool set_choices(struct td_view *view, const cJSON *state)
{
    struct td_row_choices *own = &view->rows.own;
    struct td_map shown = {0}, hidden = {0};
    struct names names = {0};
    const bool has[2] = {read_names(state, "ghosts", &shown), read_names(state, "no_ghosts", &hidden)};
    const cJSON *joined = cJSON_GetObjectItemCaseSensitive(state, "joined");
    for (uint32_t t = 0; (has[0] || has[1]) && t < td_dict_track_count(view->model.dict); t++) {
        char name[NAME_BYTES];
        const uint64_t hash = name_track(&names, view, t, name);
        if (td_map_get(&shown, hash, 0) ||
            td_map_get(&hidden, hash, 0)) /* without memory it stays as it is */
            td_row_set_ghosts(own, t, td_map_get(&shown, hash, 0) ? TD_ROW_ON : TD_ROW_OFF);
    }
    for (const cJSON *name = joined ? joined->child : NULL; name && name->next; name = name->next->next) {
        const uint32_t plot = plot_named(view, name), host = plot_named(view, name->next);
        if (plot != UINT32_MAX && host != UINT32_MAX && td_trace_plot_points(view->model.trace, host))
            td_row_join(own, plot, host);
    }
    td_map_finish(&names.seen);
    td_map_finish(&shown);
    td_map_finish(&hidden);
    return has[0] || has[1] || joined;
}

static void set_rows(struct td_view *view, const cJSON *state)
{
    struct td_layout *layout = &view->layout;
    struct td_map closed = {0}, hidden = {0}, pinned = {0};
    struct names names = {0};
    const bool closes = !view->rows.arranged && read_names(state, "closed", &closed);
    read_names(state, "hidden", &hidden);
    read_names(state, "pinned", &pinned);
    view->rows.arranged |= closes;
    for (int i = 0; i < layout->count; i++) {
        char name[NAME_BYTES];
        const uint64_t hash = name_node(&names, layout, i, name);
        if (closes)
            layout->nodes[i].collapsed = td_map_get(&closed, hash, 0) != 0;
        if (td_map_get(&hidden, hash, 0))
            td_layout_hide(layout, i, true);
        layout->nodes[i].pinned |= td_map_get(&pinned, hash, 0) != 0;
    }
    td_lanes_apply(view);
    td_view_place_rows(view);
    td_map_finish(&closed);
    td_map_finish(&hidden);
    td_map_finish(&pinned);
    td_map_finish(&names.seen);
}

bool td_trace_state_arrange(struct td_view *view, const cJSON *state)
{
    if (!view->model.gpu.count)
        td_gpu_clocks_read(&view->model, cJSON_GetObjectItemCaseSensitive(state, "gpu"));
    set_grouping(view, state);
    if (!has_groups(view))
        return false;
    set_order(view, state);
    if (set_choices(view, state))
        td_view_arrange_rows(view, NULL);
    set_rows(view, state);
    return true;
}
