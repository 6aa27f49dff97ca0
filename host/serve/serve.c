#include "host/serve/serve.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/thread.h"
#include "host/serve/free_order.h"
#include "host/serve/listen.h"
#include "host/serve/message_order.h"
#include "host/serve/session.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANNOUNCE_MS 3000
#define LOOK_MS     100 /* between looks at flags and at sessions that have ended */
#define END_MS      30000
#define STALL_MS    3000
#define END_LOOK_MS 5

/* A session and its thread. */
struct slot {
    struct td_serve *serve;
    pthread_t thread;
    int fd;
    uint32_t number;
    bool is_used;
    int welcomed, done; /* atomic */
    enum td_session_result end;
};

struct td_serve {
    struct td_serve_options options;
    struct td_serve_description description;
    char *program, *host_info;
    struct td_listener listener;
    struct td_free_order *free_order;
    struct td_message_order *message_order;
    struct td_session_shared shared;
    pthread_t thread;
    bool has_thread;
    int stop_listening;   /* atomic */
    pthread_mutex_t lock; /* of all below */
    struct slot slots[TD_SERVE_VIEWERS];
    struct td_serve_counts counts;
    uint32_t numbered;
};

/* ---- sessions ---- */

static void *session_thread(void *self)
{
    struct slot *slot = self;
    slot->end = td_session_run(&slot->serve->shared, slot->fd, slot->number, &slot->welcomed);
    shutdown(slot->fd, SHUT_RDWR);
    __atomic_store_n(&slot->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void free_slot(struct td_serve *serve, struct slot *slot)
{
    pthread_join(slot->thread, NULL);
    close(slot->fd);
    serve->counts.served += slot->welcomed != 0;
    serve->counts.refused += slot->end == TD_SESSION_REFUSED;
    serve->counts.cut += slot->end == TD_SESSION_CUT;
    slot->is_used = false;
}

/* Frees the slots of sessions that have ended. Returns the number of the others. */
static unsigned reap(struct td_serve *serve)
{
    unsigned left = 0;
    pthread_mutex_lock(&serve->lock);
    for (size_t i = 0; i < TD_SERVE_VIEWERS; i++) {
        struct slot *slot = &serve->slots[i];
        if (slot->is_used && __atomic_load_n(&slot->done, __ATOMIC_ACQUIRE))
            free_slot(serve, slot);
        left += slot->is_used;
    }
    pthread_mutex_unlock(&serve->lock);
    return left;
}

static bool start_session(struct td_serve *serve, int fd)
{
    for (size_t i = 0; i < TD_SERVE_VIEWERS; i++) {
        struct slot *slot = &serve->slots[i];
        if (slot->is_used)
            continue;
        *slot = (struct slot){.serve = serve, .fd = fd, .number = ++serve->numbered, .is_used = true};
        slot->is_used = td_thread_create_small(&slot->thread, session_thread, slot) == 0;
        return slot->is_used;
    }
    return false;
}

static void accept_viewer(struct td_serve *serve)
{
    int fd = accept4(serve->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        poll(NULL, 0, LOOK_MS); /* perhaps no descriptors are free: the connection still waits */
        return;
    }
    pthread_mutex_lock(&serve->lock);
    if (!start_session(serve, fd)) {
        uint8_t status = TD_WIRE_STATUS_NOT_AVAILABLE;
        serve->counts.refused++;
        td_debug(serve, "a connection is refused: %u are open", TD_SERVE_VIEWERS);
        if (send(fd, &status, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            td_debug(serve, "it was gone already");
        close(fd);
    }
    pthread_mutex_unlock(&serve->lock);
}

static void *listen_thread(void *self)
{
    struct td_serve *serve = self;
    int64_t began_ms = td_mono_ms(), announce_ms = began_ms;
    while (!__atomic_load_n(&serve->stop_listening, __ATOMIC_ACQUIRE)) {
        struct pollfd ready = {serve->listener.fd, POLLIN, 0};
        int64_t now_ms = td_mono_ms();
        if (now_ms >= announce_ms) {
            td_listener_announce(&serve->listener, serve->program, serve->description.pid,
                                 (int)((now_ms - began_ms) / 1000));
            announce_ms = now_ms + ANNOUNCE_MS;
        }
        if (poll(&ready, 1, LOOK_MS) > 0)
            accept_viewer(serve);
        reap(serve);
    }
    td_listener_announce(&serve->listener, serve->program, serve->description.pid, -1);
    return NULL;
}

/* ---- the server ---- */

struct td_serve *td_serve_create(const struct td_trace *trace, const struct td_serve_options *options,
                                 struct td_err *err)
{
    struct td_serve *serve = calloc(1, sizeof *serve);
    if (!serve) {
        td_fail_no_memory(err, "for serving viewers");
        return NULL;
    }
    pthread_mutex_init(&serve->lock, NULL);
    serve->options = *options;
    if (!serve->options.end_ms)
        serve->options.end_ms = END_MS;
    if (!serve->options.stall_ms)
        serve->options.stall_ms = STALL_MS;
    serve->free_order = td_free_order_create(trace);
    serve->message_order = td_message_order_create(trace);
    serve->shared = (struct td_session_shared){.trace = trace,
                                               .free_order = serve->free_order,
                                               .message_order = serve->message_order,
                                               .options = &serve->options,
                                               .description = &serve->description,
                                               .complete = td_trace_is_finished(trace)};
    serve->listener.fd = -1;
    if (!serve->free_order || !serve->message_order)
        td_fail_no_memory(err, "for serving viewers");
    else if (td_listener_open(&serve->listener, options->where, err) == 0)
        return serve;
    td_serve_destroy(serve);
    return NULL;
}

void td_serve_describe(struct td_serve *serve, const struct td_serve_description *description)
{
    if (serve->has_thread)
        return;
    free(serve->program);
    free(serve->host_info);
    serve->description = *description;
    serve->program = description->program ? strdup(description->program) : NULL;
    serve->host_info = description->host_info ? strdup(description->host_info) : NULL;
    serve->description.program = serve->program;
    serve->description.host_info = serve->host_info;
    if (td_thread_create_small(&serve->thread, listen_thread, serve) != 0) {
        td_debug(serve, "cannot accept viewers: no thread");
        return;
    }
    serve->has_thread = true;
    td_debug(serve, "viewers may connect to %s", serve->listener.where);
}

struct td_serve_description td_serve_description_of(const struct td_trace *trace)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    bool has_sources = td_series_count(td_trace_table(trace, TD_TABLE_SOURCE)) != 0;
    struct td_serve_description d = {
        .program = info->program,
        .host_info = info->host_info,
        .pid = info->pid,
        .epoch_s = info->capture_time_s,
        .executable_time_s = info->executable_time_s ? info->executable_time_s : has_sources,
        .resolution_ns = info->resolution_ns > 0 ? (uint64_t)info->resolution_ns : 0,
        .delay_ns = info->delay_ns > 0 ? (uint64_t)info->delay_ns : 0,
        .sampling_period_ns = info->sampling_period_ns,
        .cpu_arch = info->cpu_arch,
        .cpu_id = info->cpu_id,
        .on_demand = info->on_demand,
        .frame_offset = info->frame_offset,
        .identify_samples = td_trace_lists(trace, TD_TABLE_SWITCH_SAMPLE) != 0,
    };
    memcpy(d.cpu_vendor, info->cpu_vendor, sizeof d.cpu_vendor);
    return d;
}

const char *td_serve_where(const struct td_serve *serve)
{
    return serve->listener.where;
}

struct td_serve_counts td_serve_get_counts(struct td_serve *serve)
{
    pthread_mutex_lock(&serve->lock);
    struct td_serve_counts counts = serve->counts;
    for (size_t i = 0; i < TD_SERVE_VIEWERS; i++) {
        bool welcomed =
            serve->slots[i].is_used && __atomic_load_n(&serve->slots[i].welcomed, __ATOMIC_ACQUIRE);
        counts.now += welcomed && !__atomic_load_n(&serve->slots[i].done, __ATOMIC_ACQUIRE);
        counts.served += welcomed;
    }
    pthread_mutex_unlock(&serve->lock);
    counts.late = td_trace_late_zones(serve->shared.trace);
    return counts;
}

static void stop_listening(struct td_serve *serve)
{
    __atomic_store_n(&serve->stop_listening, 1, __ATOMIC_RELEASE);
    if (serve->has_thread)
        pthread_join(serve->thread, NULL);
    serve->has_thread = false;
    td_listener_close(&serve->listener);
}

void td_serve_end(struct td_serve *serve)
{
    int64_t until_ms = td_mono_ms() + serve->options.end_ms;
    stop_listening(serve);
    __atomic_store_n(&serve->shared.complete, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&serve->shared.ending, 1, __ATOMIC_RELEASE);
    while (reap(serve) && td_mono_ms() < until_ms)
        poll(NULL, 0, END_LOOK_MS);
    __atomic_store_n(&serve->shared.stop, 1, __ATOMIC_RELEASE);
    while (reap(serve))
        poll(NULL, 0, END_LOOK_MS);
}

void td_serve_destroy(struct td_serve *serve)
{
    if (!serve)
        return;
    __atomic_store_n(&serve->shared.stop, 1, __ATOMIC_RELEASE);
    stop_listening(serve);
    while (reap(serve))
        poll(NULL, 0, END_LOOK_MS);
    td_free_order_destroy(serve->free_order);
    td_message_order_destroy(serve->message_order);
    free(serve->program);
    free(serve->host_info);
    pthread_mutex_destroy(&serve->lock);
    free(serve);
}
