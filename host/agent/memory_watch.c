#include "host/agent/memory_watch.h"
#include "host/agent/client/client_source.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/parallel.h"
#include "host/base/thread.h"
#include "host/trace/room.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LOOK_FREE_NS 50000000
#define FREE_PART    32 /* 1 / FREE_PART of the limit must be free in the machine */
#define LOOK_NS      5000000
#define FORGETS_PART 3 / 4 /* of the limit for a model that forgets: names and waiting events take the rest */
#define MODEL_PART   1 / 8 /* for another one, whose rows stay in memory only while the disk is slow */
#define MODEL_MOST   (UINT64_C(256) << 20)
#define KEPT_PART    1 / 16 /* of the limit: rows that stay in memory */
#define KEPT_MOST    (UINT64_C(16) << 20)
#define SAVE_BYTES   (UINT64_C(20) << 20) /* for writing the file: four streams of zstd, and buffers */
#define PACK_BYTES   (UINT64_C(2) << 20)  /* for each thread that packs the file */
#define PACK_PART    8                    /* all of them together: at most 1 / PACK_PART of the limit */
#define HANDED_ON    2     /* times the waiting events: they are copied when they are put in order */
#define FILE_PART    1 / 2 /* of the temporary file: what the trace's file takes, rather more */
#define DISK_LEAST   (UINT64_C(16) << 20) /* for the trace's file */

int td_memory_watch_begin(struct td_memory_watch *watch, const char *folder, bool in_memory,
                          struct td_trace **trace, struct td_hub **hub, struct td_err *err)
{
    const uint64_t limit = watch->limit.bytes, kept = limit * KEPT_PART, part = limit * MODEL_PART;
    const uint64_t rows = in_memory ? limit * FORGETS_PART : part < MODEL_MOST ? part : MODEL_MOST;
    struct td_dict *dict = td_dict_create();
    *trace = dict ? td_trace_create_within(dict, rows) : NULL;
    *hub = *trace ? td_hub_create(dict) : NULL;
    if (!*hub || td_hub_add_sink(*hub, td_trace_sink(*trace)) < 0)
        return td_fail_no_memory(err, "for a trace");
    td_trace_may_exceed(*trace);
    if (!in_memory)
        td_trace_spill_early(*trace, kept < KEPT_MOST ? kept : KEPT_MOST, folder);
    return 0;
}

/* The machine has less free memory than finishing needs: other processes, such as the recorded program, use
 * it. */
static bool is_none_free(const struct td_memory_watch *watch, uint64_t needed)
{
    const uint64_t free_bytes = td_memory_free();
    const bool is_none = free_bytes < needed + watch->limit.bytes / FREE_PART;
    if (is_none)
        td_debug(memory, "only %" PRIu64 " MB are free, %" PRIu64 " MB are needed to finish",
                 free_bytes >> 20, needed >> 20);
    return is_none;
}

/* The disk of the temporary file is full, or so nearly that the trace would not fit next to the file. */
static bool is_disk_full(struct td_memory_watch *watch, const struct td_trace *trace,
                         const struct td_trace_needs *room)
{
    const char *folder = "";
    const uint64_t left = room->file_bytes ? td_trace_disk_free(trace, &folder) : UINT64_MAX;
    const bool is_full = room->file_failed || left < room->file_bytes * FILE_PART + DISK_LEAST;
    if (is_full) {
        snprintf(watch->folder, sizeof watch->folder, "%s", folder);
        td_debug(memory, "%" PRIu64 " MB are free in '%s', where %" PRIu64 " MB of rows are", left >> 20,
                 folder, room->file_bytes >> 20);
    }
    return is_full;
}

/* Threads finish the trace, then others pack the file. */
static enum td_memory_state look_at_space(struct td_memory_watch *watch, const struct td_trace *trace,
                                          uint64_t finish, uint64_t growth)
{
    if (watch->limit.address_space == UINT64_MAX)
        return TD_MEMORY_FINE;
    const uint64_t stacks = td_parallel_threads(0) * TD_THREAD_SMALL_STACK;
    return td_memory_look_at_space(&watch->limit, &watch->reserve,
                                   td_trace_space_needed(trace) + finish + stacks, growth);
}

enum td_memory_state td_memory_watch_look(struct td_memory_watch *watch, const struct td_trace *trace,
                                          const struct td_client_source *source, uint64_t waiting_bytes,
                                          uint64_t folder_bytes)
{
    int64_t now_ns = td_mono_ns();
    if (now_ns < watch->next_ns)
        return watch->state;
    watch->next_ns = now_ns + LOOK_NS;
    struct td_trace_needs room;
    td_trace_room(trace, &room);
    const uint64_t growth = source ? td_client_source_growth(source) : 0;
    const uint64_t finish =
        SAVE_BYTES + PACK_BYTES * (uint64_t)td_memory_watch_threads(watch) + waiting_bytes * HANDED_ON;
    const uint64_t needed = room.needed_bytes + finish + growth;
    enum td_memory_state state = td_memory_look(&watch->limit, room.resident_bytes + folder_bytes, needed);
    const enum td_memory_state space = look_at_space(watch, trace, finish, growth);
    enum td_memory_cause cause = space > state ? TD_MEMORY_SPACE : TD_MEMORY_LIMIT;
    state = space > state ? space : state;
    if (state == TD_MEMORY_FINE && now_ns >= watch->next_free_ns) {
        watch->next_free_ns = now_ns + LOOK_FREE_NS;
        if (is_disk_full(watch, trace, &room))
            cause = TD_MEMORY_DISK;
        else if (is_none_free(watch, needed))
            cause = TD_MEMORY_NONE_FREE;
        state = cause == TD_MEMORY_LIMIT ? state : TD_MEMORY_STOP;
    }
    if (state > watch->state)
        td_debug(memory,
                 "%s: this process needs %" PRIu64 " MB more to finish, %" PRIu64
                 " MB are in temporary files, limit %" PRIu64 " MB",
                 state == TD_MEMORY_STOP ? "it is time to stop" : "the limit is reached", needed >> 20,
                 room.file_bytes >> 20, watch->limit.bytes >> 20);
    if (watch->state == TD_MEMORY_FINE)
        watch->cause = cause;
    watch->state = state > watch->state ? state : watch->state;
    return watch->state;
}

void td_memory_watch_release(struct td_memory_watch *watch)
{
    td_reserve_space(&watch->reserve, 0);
}

void td_memory_watch_ran_out(struct td_memory_watch *watch, const struct td_err *why)
{
    if (why->code != TD_E_NOMEM || watch->limit.address_space == UINT64_MAX)
        return;
    if (watch->state == TD_MEMORY_FINE)
        watch->cause = TD_MEMORY_SPACE;
    watch->state = TD_MEMORY_OVER;
}

int td_memory_watch_threads(const struct td_memory_watch *watch)
{
    const uint64_t most = watch->limit.bytes / PACK_PART / PACK_BYTES;
    const unsigned processors = td_parallel_threads(0);
    return processors < most ? (int)processors : (int)most;
}

void td_memory_watch_why(const struct td_memory_watch *watch, char *line, size_t bytes)
{
    const struct td_memory_limit *limit = &watch->limit;
    const bool is_space = watch->cause == TD_MEMORY_SPACE;
    line[0] = 0;
    if (watch->state == TD_MEMORY_FINE)
        return;
    if (watch->cause == TD_MEMORY_NONE_FREE)
        snprintf(line, bytes, "stopped, because hardly any memory is left free");
    else if (watch->cause == TD_MEMORY_DISK)
        snprintf(line, bytes, "stopped, because the disk of '%s' has hardly any room left for the recording",
                 watch->folder[0] ? watch->folder : "the temporary files");
    else
        snprintf(line, bytes, "stopped, because memory has come near %s, %" PRIu64 " MB",
                 is_space ? TD_MEMORY_SPACE_LIMIT : limit->what,
                 (is_space ? limit->address_space : limit->bytes) >> 20);
}

void td_memory_watch_tell(const struct td_memory_watch *watch, char *line, size_t bytes)
{
    td_memory_watch_why(watch, line, bytes);
    const size_t used = strlen(line);
    if (used)
        snprintf(line + used, bytes - used, "; saved %s",
                 watch->state == TD_MEMORY_STOP ? "all until then"
                                                : "what arrived until there was no room for more");
}
