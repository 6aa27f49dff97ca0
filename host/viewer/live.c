#include "host/viewer/live.h"
#include "host/agent/client/client_source.h"
#include "host/agent/collection.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_MS 50 /* between checks whether the viewer has ended the session */

struct td_live {
    struct td_collection collection;
    struct td_client_source *source;
    struct td_err why; /* why the session ended early */
    pthread_t thread;
    bool started;
    int stop;       /* atomic */
    int state;      /* atomic: enum td_live_state */
    uint64_t bytes; /* atomic */
};

/* Copies what the viewer shows about the program; before the state says that the info may be read. */
static int take_welcome(struct td_live *live)
{
    const struct td_wire_welcome *welcome = td_client_source_welcome(live->source);
    struct td_trace_info *info = td_trace_edit_info(live->collection.trace);
    info->pid = welcome->pid;
    info->timer_mul = 1;
    return td_trace_set_string(&info->program, welcome->programName) < 0 ||
                   td_trace_set_string(&info->capture_name, welcome->programName) < 0 ||
                   td_trace_set_string(&info->host_info, welcome->hostInfo) < 0
               ? TD_E_NOMEM
               : 0;
}

static void *collect(void *self)
{
    struct td_live *live = self;
    bool running = false;
    int going = 1;
    while ((going = td_client_source_pump(live->source, &live->why)) == 1 &&
           !__atomic_load_n(&live->stop, __ATOMIC_RELAXED)) {
        if (!running && td_client_source_get_state(live->source) >= TD_SOURCE_STREAM) {
            if (take_welcome(live) < 0)
                break;
            running = true;
            __atomic_store_n(&live->state, TD_LIVE_RUNNING, __ATOMIC_RELEASE);
        }
        uint64_t packed, unpacked;
        td_client_source_bytes(live->source, &packed, &unpacked);
        __atomic_store_n(&live->bytes, packed, __ATOMIC_RELAXED);
        if (td_collection_look(&live->collection, live->source, 0, 0))
            td_client_source_ask_end(live->source);
        if (live->collection.memory.state == TD_MEMORY_OVER)
            td_client_source_take_answers(live->source);
        const int wait_ms = td_client_source_wait_ms(live->source);
        struct pollfd fd = {td_client_source_fd(live->source), td_client_source_events(live->source), 0};
        poll(&fd, fd.fd >= 0, wait_ms < 0 || wait_ms > STEP_MS ? STEP_MS : wait_ms);
    }
    if (going == 1)
        td_client_source_end_now(live->source, NULL);
    if (!running)
        take_welcome(live);
    if (!live->why.code && live->collection.memory.state != TD_MEMORY_FINE) {
        char line[300];
        td_collection_tell(&live->collection, line, sizeof line);
        td_fail(&live->why, TD_E_NOMEM, "%s", line);
    }
    __atomic_store_n(&live->state, TD_LIVE_ENDED, __ATOMIC_RELEASE);
    return NULL;
}

struct td_live *td_live_open(const char *host, int port, struct td_err *err)
{
    struct td_live *live = calloc(1, sizeof *live);
    if (!live) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    if (td_collection_begin(&live->collection, err) == 0) {
        const struct td_client_source_config config = {.host = host,
                                                       .port = port,
                                                       .connect_ms = INT_MAX,
                                                       .hub = live->collection.hub,
                                                       .ns_per_tick = 1,
                                                       .own_clock = 1,
                                                       .sources = 1};
        live->source = td_client_source_create(&config, err);
        if (live->source && pthread_create(&live->thread, NULL, collect, live) == 0)
            live->started = true;
        else if (live->source)
            td_fail(err, TD_E_IO, "no thread can be started to collect a program's events");
    }
    if (live->started)
        return live;
    td_live_close(live);
    return NULL;
}

struct td_trace *td_live_trace(struct td_live *live)
{
    return live->collection.trace;
}

enum td_live_state td_live_get_state(const struct td_live *live)
{
    return (enum td_live_state)__atomic_load_n(&live->state, __ATOMIC_ACQUIRE);
}

uint64_t td_live_bytes(const struct td_live *live)
{
    return __atomic_load_n(&live->bytes, __ATOMIC_RELAXED);
}

int td_live_finish(struct td_live *live, struct td_err *err)
{
    if (live->started)
        pthread_join(live->thread, NULL);
    live->started = false;
    int rc = td_trace_finish(live->collection.trace, err);
    if (rc == 0)
        __atomic_store_n(&live->state, TD_LIVE_FINISHED, __ATOMIC_RELEASE);
    return rc < 0 || !live->why.code ? rc : td_fail(err, live->why.code, "%s", live->why.text);
}

void td_live_stop(struct td_live *live)
{
    __atomic_store_n(&live->stop, 1, __ATOMIC_RELAXED);
}

void td_live_close(struct td_live *live)
{
    if (!live)
        return;
    td_live_stop(live);
    if (live->started)
        pthread_join(live->thread, NULL);
    td_client_source_destroy(live->source);
    td_collection_end(&live->collection);
    free(live);
}

bool td_live_parse(const char *where, char *host, size_t bytes, int *port)
{
    const char *colon = strrchr(where, ':');
    char *end;
    if (!colon || !colon[1] || strchr(where, '/'))
        return false;
    long number = strtol(colon + 1, &end, 10);
    size_t length = (size_t)(colon - where);
    if (*end || number < 1 || number > 65535)
        return false;
    if (length > 1 && where[0] == '[' && where[length - 1] == ']') {
        where++;
        length -= 2;
    } else if (memchr(where, ':', length)) {
        return false;
    }
    if (length >= bytes)
        return false;
    snprintf(host, bytes, "%.*s", (int)length, where);
    if (!length)
        snprintf(host, bytes, "127.0.0.1");
    *port = (int)number;
    return true;
}
