#include "host/viewer/model/live.h"
#include "host/agent/client/client_source.h"
#include "host/agent/collection.h"
#include "host/base/clock.h"

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP_MS 50 /* between checks whether the viewer has ended the session */

struct td_live {
    struct td_collection collection;
    struct td_client_source *source;
    struct td_err why; /* why the session ended early */
    pthread_t thread, finisher;
    bool started, finishes;   /* which threads are to be joined */
    struct td_err unfinished; /* why the model could not be finished */
    unsigned users, resting;  /* resting: those that have called td_live_begin_finish() */
    int stop, leave;          /* atomic */
    int state;                /* atomic: enum td_live_state */
    struct td_saving *saving;
    uint64_t saved_events; /* when saving began */
    pthread_mutex_t lock;
    struct td_live_facts facts; /* under the lock */
    int64_t rated_ms;           /* of the thread: the last rate */
    uint64_t rated_bytes;
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

static void note_rate(struct td_live *live)
{
    struct td_live_facts *facts = &live->facts;
    const int64_t now_ms = td_mono_ms(), passed_ms = now_ms - live->rated_ms;
    if (passed_ms < TD_LIVE_RATE_MS)
        return;
    if (facts->rate_count == TD_LIVE_RATES)
        memmove(facts->mbps, facts->mbps + 1, --facts->rate_count * sizeof *facts->mbps);
    if (live->rated_ms)
        facts->mbps[facts->rate_count++] =
            (float)((double)(facts->packed - live->rated_bytes) * 8 / 1e3 / (double)passed_ms);
    live->rated_ms = now_ms;
    live->rated_bytes = facts->packed;
}

static void note_facts(struct td_live *live, bool running)
{
    pthread_mutex_lock(&live->lock);
    struct td_live_facts *facts = &live->facts;
    td_client_source_bytes(live->source, &facts->packed, &facts->unpacked);
    facts->questions = td_client_source_counts(live->source).questions;
    if (running)
        note_rate(live);
    if (running && !facts->session.when) {
        facts->session.welcome = *td_client_source_welcome(live->source);
        facts->session.when = time(NULL);
    }
    if (running) {
        facts->session.release = td_client_source_release(live->source);
        facts->session.frame_offset = td_client_source_frame_offset(live->source);
    }
    pthread_mutex_unlock(&live->lock);
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
        note_facts(live, running);
        if (__atomic_load_n(&live->leave, __ATOMIC_RELAXED))
            td_client_source_ask_end(live->source);
        if (td_collection_look(&live->collection, live->source, 0, 0))
            td_client_source_ask_end(live->source);
        if (live->collection.memory.state == TD_MEMORY_OVER)
            td_client_source_take_answers(live->source);
        td_client_source_wait(live->source, STEP_MS);
    }
    if (going == 1)
        td_client_source_end_now(live->source, NULL);
    td_memory_watch_release(&live->collection.memory);
    if (!running)
        take_welcome(live);
    note_facts(live, running || td_client_source_counts(live->source).items > 0);
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
    live->users = 1;
    pthread_mutex_init(&live->lock, NULL);
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

bool td_live_has_info(const struct td_live *live)
{
    return !live || td_live_get_state(live) != TD_LIVE_WAITING;
}

void td_live_get_facts(struct td_live *live, struct td_live_facts *facts)
{
    pthread_mutex_lock(&live->lock);
    *facts = live->facts;
    pthread_mutex_unlock(&live->lock);
}

int td_live_set_parameter(struct td_live *live, uint32_t index, int32_t value, struct td_err *err)
{
    if (td_live_get_state(live) != TD_LIVE_RUNNING)
        return td_fail(err, TD_E_GONE, "no program is connected");
    return td_client_source_set_parameter(live->source, index, value, err);
}

static bool is_of_machine(const struct td_plot *plot)
{
    return plot->kind == TD_PLOT_CPU_USAGE || plot->kind == TD_PLOT_POWER;
}

/* What the program has marked. The load and the power of its machine come at all times, so a session would never
 * count as saved with them. */
static uint64_t count_events(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    uint64_t events = td_trace_messages(trace);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        events += td_trace_track_zones(trace, t);
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++)
        if (!is_of_machine(td_dict_get_plot(dict, p)))
            events += td_trace_plot_points(trace, p);
    for (uint32_t s = 0; s < td_dict_frame_set_count(dict); s++)
        events += td_trace_frames(trace, s);
    return events;
}

bool td_live_is_saved(const struct td_live *live)
{
    return live->saving && td_saving_get_state(live->saving) == TD_SAVING_DONE &&
           live->saved_events == count_events(live->collection.trace);
}

void td_live_offer_name(const struct td_live_facts *facts, char *path, size_t bytes)
{
    char name[61];
    snprintf(name, sizeof name, "%.60s", facts->session.welcome.programName);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            *c = '_';
    snprintf(path, bytes, "%s.tracy", name);
}

int td_live_save(struct td_live *live, const struct td_save_options *options, struct td_err *err)
{
    struct td_live_facts facts;
    td_live_get_facts(live, &facts);
    if (!facts.session.release)
        return td_fail(err, TD_E_GONE, "there is nothing to save: no program has connected");
    if (live->saving && td_saving_get_state(live->saving) < TD_SAVING_DONE)
        return td_fail(err, TD_E_EXISTS, "a file is being written already");
    td_saving_close(live->saving);
    live->saved_events = count_events(live->collection.trace);
    live->saving = td_saving_start(live->collection.trace, &facts.session, options, err);
    return live->saving ? 0 : TD_E_IO;
}

const struct td_saving *td_live_saving(const struct td_live *live)
{
    return live->saving;
}

bool td_live_may_finish(const struct td_live *live)
{
    return !live->saving || td_saving_get_state(live->saving) != TD_SAVING_COPIES;
}

void td_live_ask_end(struct td_live *live)
{
    if (td_live_get_state(live) == TD_LIVE_WAITING)
        td_live_stop(live);
    __atomic_store_n(&live->leave, 1, __ATOMIC_RELAXED);
}

static void *finish(void *self)
{
    struct td_live *live = self;
    if (live->started)
        pthread_join(live->thread, NULL);
    live->started = false;
    while (!td_live_may_finish(live))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (live->facts.session.release)
        td_session_describe(&live->facts.session, live->collection.trace);
    td_trace_finish(live->collection.trace, &live->unfinished);
    __atomic_store_n(&live->state, TD_LIVE_DONE, __ATOMIC_RELEASE);
    return NULL;
}

static void start_finish(struct td_live *live)
{
    __atomic_store_n(&live->state, TD_LIVE_FINISHING, __ATOMIC_RELEASE);
    live->finishes = pthread_create(&live->finisher, NULL, finish, live) == 0;
    if (!live->finishes)
        finish(live);
}

void td_live_begin_finish(struct td_live *live)
{
    if (++live->resting >= live->users)
        start_finish(live);
}

void td_live_join(struct td_live *live)
{
    live->users++;
}

bool td_live_leave(struct td_live *live, bool begun)
{
    live->users--;
    live->resting -= begun;
    if (live->users && live->resting >= live->users && td_live_get_state(live) == TD_LIVE_ENDED)
        start_finish(live);
    return !live->users;
}

int td_live_finish(struct td_live *live, struct td_err *err)
{
    if (td_live_get_state(live) == TD_LIVE_ENDED)
        start_finish(live);
    if (live->finishes)
        pthread_join(live->finisher, NULL);
    live->finishes = false;
    if (live->unfinished.code)
        return td_fail(err, live->unfinished.code, "%s", live->unfinished.text);
    __atomic_store_n(&live->state, TD_LIVE_FINISHED, __ATOMIC_RELEASE);
    return live->why.code ? td_fail(err, live->why.code, "%s", live->why.text) : 0;
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
    if (live->finishes)
        pthread_join(live->finisher, NULL);
    if (live->started)
        pthread_join(live->thread, NULL);
    td_saving_close(live->saving);
    pthread_mutex_destroy(&live->lock);
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
