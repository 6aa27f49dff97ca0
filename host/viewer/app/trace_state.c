#include "host/viewer/app/trace_state.h"
#include "host/event/map.h"
#include "host/viewer/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLOSED_MAX 10000
#define PATH_BYTES 400 /* of a group's name with those around it */
#define KEY_BYTES  120
#define TIME_MAX   9e18

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++)
        hash = td_mix64(hash ^ (uint8_t)*c);
    return td_mix64(hash);
}

/* "matmul-1700000000-0123456789abcdef.json" */
static void make_key(const struct td_view *view, char key[KEY_BYTES])
{
    const struct td_trace_info *info = td_trace_get_info(view->trace);
    const char *program = info->program ? info->program : "";
    int n = 0;
    for (const char *c = program; *c && n < 40; c++, n++)
        key[n] = isalnum((unsigned char)*c) || *c == '_' ? *c : '-';
    uint64_t hash = hash_text(hash_text(hash_text(info->pid, program), info->capture_name), info->host_info);
    snprintf(key + n, KEY_BYTES - (size_t)n, "-%" PRIu64 "-%016" PRIx64 ".json", info->capture_time_s, hash);
}

/* The labels of the groups around a node, then its own. */
static void make_path(const struct td_layout *layout, int node, char path[PATH_BYTES])
{
    int chain[8] = {0}, count = 0;
    for (int n = node; n >= 0 && count < 8; n = layout->nodes[n].parent)
        chain[count++] = n;
    size_t used = 0;
    path[0] = 0;
    while (count-- && used < PATH_BYTES)
        used += (size_t)snprintf(path + used, PATH_BYTES - used, "/%s", layout->nodes[chain[count]].label);
}

static bool shows_all(const struct td_camera *camera)
{
    return fabs(camera->to_start_ns - camera->full_start_ns) < 1 &&
           fabs(camera->to_end_ns - camera->full_end_ns) < 1;
}

cJSON *td_trace_state_of(const struct td_view *view)
{
    cJSON *state = cJSON_CreateObject();
    const struct td_trace_info *info = td_trace_get_info(view->trace);
    cJSON_AddStringToObject(state, "program", info->program ? info->program : "");
    if (!shows_all(&view->camera)) {
        cJSON_AddNumberToObject(state, "from_ns", view->camera.to_start_ns);
        cJSON_AddNumberToObject(state, "until_ns", view->camera.to_end_ns);
    }
    if (view->find.text[0])
        cJSON_AddStringToObject(state, "find", view->find.text);
    cJSON *clocks = td_gpu_clocks_to_json(view);
    if (clocks)
        cJSON_AddItemToObject(state, "gpu", clocks);
    if (!view->arranged)
        return state;
    cJSON *closed = cJSON_AddArrayToObject(state, "closed");
    for (int i = 0, count = 0; i < view->layout.count && count < CLOSED_MAX; i++) {
        char path[PATH_BYTES];
        if (!view->layout.nodes[i].collapsed)
            continue;
        make_path(&view->layout, i, path);
        cJSON_AddItemToArray(closed, cJSON_CreateString(path));
        count++;
    }
    return state;
}

cJSON *td_trace_state_read(const struct td_view *view)
{
    char key[KEY_BYTES];
    make_key(view, key);
    return td_store_read(TD_STORE_STATE, key);
}

int td_trace_state_write(const struct td_view *view, struct td_err *err)
{
    char key[KEY_BYTES], path[4096];
    make_key(view, key);
    const bool is_default =
        shows_all(&view->camera) && !view->find.text[0] && !view->arranged && !view->gpu.count;
    if (is_default && (!td_store_path(TD_STORE_STATE, key, path, sizeof path) || access(path, F_OK) != 0))
        return 0;
    cJSON *state = td_trace_state_of(view);
    int rc = td_store_write(TD_STORE_STATE, key, state, err);
    cJSON_Delete(state);
    return rc;
}

void td_trace_state_show(struct td_view *view, const cJSON *state)
{
    const double from = td_store_number(state, "from_ns", NAN, -TIME_MAX, TIME_MAX),
                 until = td_store_number(state, "until_ns", NAN, -TIME_MAX, TIME_MAX);
    if (from < until)
        td_camera_set_range(&view->camera, from, until, true);
    if (*td_store_text(state, "find"))
        td_view_search(view, td_store_text(state, "find"));
}

/* The hashes of the paths of the closed groups. */
static bool read_closed(const cJSON *state, struct td_map *closed)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(state, "closed"), *entry;
    int count = 0;
    if (!cJSON_IsArray(list))
        return false;
    cJSON_ArrayForEach(entry, list)
    {
        if (cJSON_IsString(entry) && count++ < CLOSED_MAX)
            td_map_add(closed, hash_text(0, entry->valuestring), 1);
    }
    return true;
}

void td_trace_state_arrange(struct td_view *view, const cJSON *state)
{
    struct td_map closed = {0};
    if (!view->gpu.count)
        td_gpu_clocks_read(view, cJSON_GetObjectItemCaseSensitive(state, "gpu"));
    if (!view->arranged && read_closed(state, &closed)) {
        view->arranged = true;
        for (int i = 0; i < view->layout.count; i++) {
            char path[PATH_BYTES];
            make_path(&view->layout, i, path);
            view->layout.nodes[i].collapsed = td_map_get(&closed, hash_text(0, path), 0) != 0;
        }
        td_view_place_rows(view);
    }
    td_map_finish(&closed);
}
