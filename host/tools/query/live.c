#include "host/tools/query/live.h"
#include "host/agent/client/client_source.h"
#include "host/agent/collection.h"
#include "host/tools/recording/source_options.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define STEP_MS 20 /* between looks whether the session is to end */

enum query_live_state { CONNECTING, STREAMS, OVER };

struct query_live {
    struct td_collection collection;
    struct td_client_source *source;
    pthread_t thread;
    bool has_thread;
    int state, leave, stop; /* atomic */
    struct td_err why;      /* why the session ended early; the thread's until it has ended */
};

static int load(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(int *flag, int value)
{
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

static void *collect(void *self)
{
    struct query_live *live = self;
    bool asked = false;
    int going;
    while ((going = td_client_source_pump(live->source, &live->why)) == 1 && !load(&live->stop)) {
        if (load(&live->state) == CONNECTING && td_client_source_get_state(live->source) >= TD_SOURCE_STREAM)
            set(&live->state, STREAMS);
        const bool is_full = td_collection_look(&live->collection, live->source, 0, 0);
        if (!asked && (is_full || load(&live->leave))) {
            td_client_source_ask_end(live->source);
            asked = true;
        }
        td_client_source_wait(live->source, STEP_MS);
    }
    if (going == 1)
        td_client_source_end_now(live->source, NULL);
    td_memory_watch_release(&live->collection.memory);
    set(&live->state, OVER);
    return NULL;
}

/* Waits for the program. */
static int await_program(struct query_live *live, const volatile int *interrupts, struct td_err *err)
{
    const int before = *interrupts;
    while (load(&live->state) == CONNECTING) {
        if (*interrupts != before)
            return td_fail(err, TD_E_STOPPED, "stopped");
        nanosleep(&(struct timespec){0, STEP_MS * 1000000L}, NULL);
    }
    if (load(&live->state) == STREAMS || !live->why.code)
        return 0;
    return td_fail(err, live->why.code, "%s", live->why.text);
}

struct query_live *query_live_open(const char *address, const volatile int *interrupts, struct td_err *err)
{
    struct source_options sources = {.addresses = {.words = {address}, .count = 1}};
    struct td_recorder_options options = {0};
    struct query_live *live = calloc(1, sizeof *live);
    int rc = live ? source_options_parse(&sources, &options, err) : td_fail_no_memory(err, NULL);
    rc = rc ? rc : td_collection_begin(&live->collection, err);
    if (rc == 0) {
        const struct td_client_source_config config = {.host = options.clients[0].host,
                                                       .port = options.clients[0].port,
                                                       .hub = live->collection.hub,
                                                       .ns_per_tick = 1,
                                                       .own_clock = 1,
                                                       .sources = 1};
        td_trace_follow(live->collection.trace);
        live->source = td_client_source_create(&config, err);
        rc = live->source ? 0 : err->code;
    }
    if (rc == 0 && pthread_create(&live->thread, NULL, collect, live) != 0)
        rc = td_fail(err, TD_E_IO, "no thread can be started to collect a program's events");
    else if (rc == 0)
        live->has_thread = true;
    rc = rc ? rc : await_program(live, interrupts, err);
    if (rc == 0)
        return live;
    query_live_close(live);
    return NULL;
}

struct td_trace *query_live_trace(struct query_live *live)
{
    return live->collection.trace;
}

bool query_live_runs(const struct query_live *live)
{
    return load(&live->state) != OVER;
}

static void join(struct query_live *live)
{
    if (live->has_thread)
        pthread_join(live->thread, NULL);
    live->has_thread = false;
}

int query_live_finish(struct query_live *live, struct td_err *err)
{
    set(&live->leave, 1);
    join(live);
    if (live->why.code)
        return td_fail(err, live->why.code, "%s", live->why.text);
    return td_trace_finish(live->collection.trace, err);
}

void query_live_close(struct query_live *live)
{
    if (!live)
        return;
    set(&live->stop, 1);
    join(live);
    td_client_source_destroy(live->source);
    td_collection_end(&live->collection);
    free(live);
}
