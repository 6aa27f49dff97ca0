/* The GPU contexts of the file: those of the trace and, if wanted, contexts made from the tracks of device
 * cores. */
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/file/writer.h"
#include "proto/track.h"

#include <stdio.h>

#define CONTEXT_LIMIT 255

/* Types of contexts: the last one that every version knows, and two that replace unknown ones. */
enum { TYPE_VULKAN = 2, TYPE_LAST_COMMON = 5, TYPE_CUSTOM = 7 };

static bool is_in_made_context(const struct writer *w, const struct td_track *t)
{
    return w->contexts_wanted && !t->context && t->kind == TD_TRACK_CORE && td_track_is_device(t->thread);
}

bool td_writer_is_in_context_(const struct writer *w, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(w->dict, track);
    return t->context || is_in_made_context(w, t);
}

uint8_t td_writer_gpu_type_(const struct writer *w, int64_t type, bool *known)
{
    static const struct {
        uint8_t type;
        uint32_t since;
    } later[] = {{6, TD_FILE_VERSION(0, 12, 0)},
                 {7, TD_FILE_VERSION(0, 12, 0)},
                 {8, TD_FILE_VERSION(0, 12, 0)},
                 {9, TD_FILE_VERSION(0, 13, 0)},
                 {10, TD_FILE_VERSION(0, 14, 0)}};
    *known = true;
    if (type == TD_GPU_TENSTORRENT && w->tenstorrent)
        return 6;
    if (type == TD_GPU_TENSTORRENT && w->version == TD_FILE_VERSION(0, 12, 4))
        return 10;
    if (type >= 1 && type <= TYPE_LAST_COMMON)
        return (uint8_t)type;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (later[i].type == type && w->version >= later[i].since)
            return (uint8_t)type;
    }
    *known = false;
    return w->version >= TD_FILE_VERSION(0, 12, 0) ? TYPE_CUSTOM : TYPE_VULKAN;
}

static uint64_t thread_of(const struct writer *w, size_t place)
{
    return td_dict_get_track(w->dict, w->context_tracks[place])->thread;
}

struct numbered {
    uint64_t context, thread;
    uint32_t track;
    uint32_t first; /* the thread's first line */
};

/* For qsort(): lines of a thread follow each other. */
TD_COMPARE(by_thread, struct numbered, TD_UP(context) TD_UP(thread) TD_UP(track))

/* For qsort(): contexts of the trace in their order, then cores for which contexts are made. */
static int by_context(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->context == UINT64_MAX && x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

static int collect_tracks(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    struct numbered *rows = malloc((tracks + 1) * sizeof *rows);
    w->context_tracks = malloc((tracks + 1) * sizeof *w->context_tracks);
    if (!rows || !w->context_tracks) {
        free(rows);
        return TD_E_NOMEM;
    }
    for (uint32_t t = 0; t < tracks; t++) {
        const struct td_track *track = td_dict_get_track(w->dict, t);
        if (td_writer_is_in_context_(w, t) && td_trace_track_zones(w->trace, t))
            rows[w->context_track_count++] =
                (struct numbered){track->context ? track->context - 1 : UINT64_MAX, track->thread, t, t};
    }
    qsort(rows, w->context_track_count, sizeof *rows, by_thread);
    for (size_t i = 1; i < w->context_track_count; i++)
        if (rows[i].context == rows[i - 1].context && rows[i].thread == rows[i - 1].thread)
            rows[i].first = rows[i - 1].first;
    qsort(rows, w->context_track_count, sizeof *rows, by_context);
    for (size_t i = 0; i < w->context_track_count; i++)
        w->context_tracks[i] = rows[i].track;
    free(rows);
    return 0;
}

static int add_context(struct writer *w, struct context context)
{
    return TD_APPEND(w->contexts, w->context_count, w->context_capacity, context);
}

/* Adds the contexts of the trace with their tracks, also contexts without any. Returns the place of the first
 * track that is in none of them. */
static size_t add_known_contexts(struct writer *w)
{
    const struct td_series *contexts = td_trace_table(w->trace, TD_TABLE_GPU_CONTEXT);
    uint64_t count = td_series_count(contexts);
    size_t at = 0;
    for (uint64_t c = 0; c < count; c++) {
        struct context context = {.first = at, .row = c, .known = 1};
        uint32_t name = (uint32_t)td_series_get(contexts, c, TD_GPU_CONTEXT_NAME);
        while (at < w->context_track_count &&
               td_dict_get_track(w->dict, w->context_tracks[at])->context == c + 1)
            at++;
        context.count = at - context.first;
        context.name = name ? td_writer_string_(w, name) + 1 : 0;
        w->failed |= add_context(w, context) < 0;
    }
    return at;
}

static size_t count_groups(const struct writer *w, size_t first, unsigned shift)
{
    size_t count = w->context_track_count > first;
    for (size_t i = first + 1; i < w->context_track_count; i++)
        count += thread_of(w, i) >> shift != thread_of(w, i - 1) >> shift;
    return count;
}

static void name_context(char *to, size_t bytes, uint64_t thread, unsigned shift)
{
    if (shift == 6)
        snprintf(to, bytes, "chip %u tile %u,%u", td_track_chip(thread), td_track_x(thread),
                 td_track_y(thread));
    else if (shift == 18)
        snprintf(to, bytes, "chip %u", td_track_chip(thread));
    else
        snprintf(to, bytes, "device");
}

/* Makes a context for each tile or, if these are too many, for each chip or, if these are too many, one. */
static void make_contexts(struct writer *w, size_t first)
{
    size_t most = w->context_count < CONTEXT_LIMIT ? CONTEXT_LIMIT - w->context_count : 0;
    unsigned shift = count_groups(w, first, 6) <= most ? 6 : count_groups(w, first, 18) <= most ? 18 : 31;
    for (size_t i = first; i < w->context_track_count && !w->failed; i++) {
        if (i > first && thread_of(w, i) >> shift == thread_of(w, i - 1) >> shift) {
            w->contexts[w->context_count - 1].count++;
            continue;
        }
        char name[64];
        name_context(name, sizeof name, thread_of(w, i), shift);
        struct context context = {.name = td_writer_own_string_(w, name) + 1, .first = i, .count = 1};
        w->failed |= add_context(w, context) < 0;
    }
}

void td_writer_number_contexts_(struct writer *w)
{
    if (collect_tracks(w) < 0)
        w->failed = 1;
    else
        make_contexts(w, add_known_contexts(w));
}
