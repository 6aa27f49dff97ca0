#include "host/serve/viewer.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

int td_places_grow_(void *array, size_t *count, size_t *capacity, size_t length, size_t item)
{
    if (length <= *count)
        return 0;
    if (td_grow(array, capacity, length, item) < 0)
        return TD_E_NOMEM;
    char *items;
    memcpy(&items, array, sizeof items);
    memset(items + *count * item, 0, (length - *count) * item);
    *count = length;
    return 0;
}

void td_viewer_leave_out(struct td_viewer *v, enum td_left_out what)
{
    static const char *const names[] = {
        [TD_LEFT_OUT_SECTIONS] = "trace sections",
        [TD_LEFT_OUT_GPU_NOTES] = "notes of GPU zones",
        [TD_LEFT_OUT_GPU_CONTEXTS] = "GPU contexts above its highest number",
        [TD_LEFT_OUT_GPU_TICKS] = "the ticks of GPU clocks (times are in ns)",
        [TD_LEFT_OUT_IMAGES] = "images without a frame, or larger than a frame of items",
        [TD_LEFT_OUT_LOCKS] = "locks that the program did not announce",
        [TD_LEFT_OUT_POINTS] = "plot points that are not finite",
        [TD_LEFT_OUT_STACKS] = "frames of scripting languages outside of a thread's items",
    };
    if (v->left_out >> what & 1)
        return;
    v->left_out |= 1u << what;
    td_debug(serve, "viewer %u: left out for Tracy %s: %s", v->number, v->release->tracy, names[what]);
}

static void free_index(struct td_key_index *index)
{
    td_map_finish(&index->map);
}

static void free_gpu(struct td_gpu_place *gpu)
{
    if (!gpu)
        return;
    td_gpu_order_end(&gpu->order);
    free(gpu->lines.at);
    free(gpu->open.at);
    free(gpu);
}

void td_viewer_free(struct td_viewer *v)
{
    for (size_t i = 0; i < v->tracks.count; i++) {
        free(v->tracks.at[i].rows.at);
        free_gpu(v->tracks.at[i].gpu);
    }
    for (size_t i = 0; i < v->contexts.count; i++)
        free(v->contexts.at[i].ends.at);
    for (size_t i = 0; i < v->open.count; i++)
        free(v->open.at[i].source);
    free(v->tracks.at);
    free(v->locks.at);
    free(v->pools.at);
    free(v->sets.at);
    free(v->plots.at);
    free(v->cpus.at);
    free(v->contexts.at);
    free(v->switch_lists.at);
    free(v->hw.at);
    free(v->open_sections.at);
    free(v->wide.at);
    free(v->open.at);
    free(v->transfer.name);
    td_map_finish(&v->lock_ids);
    td_map_finish(&v->wide_threads);
    free_index(&v->track_of_thread);
    free_index(&v->foreign);
    free_index(&v->names);
    free_index(&v->codes);
    free_index(&v->switch_threads);
    td_packer_destroy(v->packer);
}
