#include "host/agent/memory_watch.h"
#include "host/agent/client/client_source.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/parallel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LOOK_FREE_NS 50000000
#define FREE_PART    32 /* 1 / FREE_PART of the limit must be free in the machine */
#define LOOK_NS      5000000
#define MODEL_PART   3 / 4 /* of the limit for the model; names and events that wait take the rest */
#define SAVE_BYTES   (UINT64_C(20) << 20) /* for writing the file: four streams of zstd, and buffers */
#define PACK_BYTES   (UINT64_C(2) << 20)  /* for each thread that packs the file */
#define PACK_PART    8                    /* all of them together: at most 1 / PACK_PART of the limit */
#define HANDED_ON    2 /* times the waiting events: they are copied when they are put in order */

int td_memory_watch_begin(struct td_memory_watch *watch, struct td_trace **trace, struct td_hub **hub,
                          struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    *trace = dict ? td_trace_create_within(dict, watch->limit.in_memory * MODEL_PART) : NULL;
    *hub = *trace ? td_hub_create(dict) : NULL;
    if (!*hub || td_hub_add_sink(*hub, td_trace_sink(*trace)) < 0)
        return td_fail_no_memory(err, "for a trace");
    td_trace_may_exceed(*trace);
    return 0;
}

/* The machine has less free memory than finishing needs: other processes, such as the recorded program, use
 * it. */
static bool is_none_free(struct td_memory_watch *watch, int64_t now_ns, uint64_t needed)
{
    if (now_ns < watch->next_free_ns)
        return 0;
    watch->next_free_ns = now_ns + LOOK_FREE_NS;
    const uint64_t free_bytes = td_memory_free();
    const int is_none = free_bytes < needed + watch->limit.in_memory / FREE_PART;
    if (is_none)
        td_debug(memory, "only %" PRIu64 " MB are free, %" PRIu64 " MB are needed to finish",
                 free_bytes >> 20, needed >> 20);
    return is_none;
}

enum td_memory_state td_memory_watch_look(struct td_memory_watch *watch, const struct td_trace *trace,
                                          const struct td_client_source *source, uint64_t waiting_bytes,
                                          uint64_t waiting_in_file)
{
    int64_t now_ns = td_mono_ns();
    if (now_ns < watch->next_ns)
        return watch->state;
    watch->next_ns = now_ns + LOOK_NS;
    uint64_t in_file, needed;
    td_trace_room(trace, &in_file, &needed);
    needed += SAVE_BYTES + PACK_BYTES * (uint64_t)td_memory_watch_threads(watch) + waiting_bytes * HANDED_ON +
              (source ? td_client_source_growth(source) : 0);
    enum td_memory_state state = td_memory_look(&watch->limit, in_file + waiting_in_file, needed);
    if (state == TD_MEMORY_FINE && is_none_free(watch, now_ns, needed)) {
        watch->none_free = 1;
        state = TD_MEMORY_STOP;
    }
    if (state > watch->state)
        td_debug(memory,
                 "%s: this process needs %" PRIu64 " MB more to finish, %" PRIu64
                 " MB are in temporary files, limit %" PRIu64 " MB",
                 state == TD_MEMORY_STOP ? "it is time to stop" : "the limit is reached", needed >> 20,
                 (in_file + waiting_in_file) >> 20, watch->limit.bytes >> 20);
    watch->state = state > watch->state ? state : watch->state;
    return watch->state;
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
    const uint64_t most = limit->address_space < limit->bytes ? limit->address_space : limit->bytes;
    line[0] = 0;
    if (watch->none_free)
        snprintf(line, bytes, "stopped, because hardly any memory is left free");
    else if (watch->state != TD_MEMORY_FINE)
        snprintf(line, bytes, "stopped, because memory has come near %s, %" PRIu64 " MB", limit->what,
                 most >> 20);
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
