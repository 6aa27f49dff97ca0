#include "host/agent/recorder_internal.h"
#include "host/device/image/zone_rules.h"
#include "host/base/clock.h"
#include "host/base/free_port.h"
#include "host/base/grow.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CONNECT_WAIT_MS "3000" /* how long the program's client waits for the recorder at its start */

/* Variables to add to the program's environment. */
struct env {
    char **strings;
    size_t count, capacity;
    bool failed;
};

static void __attribute__((format(printf, 2, 3))) add_env(struct env *env, const char *format, ...)
{
    va_list args;
    char *line;
    va_start(args, format);
    const int length = vasprintf(&line, format, args);
    va_end(args);
    if (length < 0 || td_grow(&env->strings, &env->capacity, env->count + 2, sizeof *env->strings)) {
        if (length >= 0)
            free(line);
        env->failed = true;
        return;
    }
    env->strings[env->count++] = line;
    env->strings[env->count] = NULL;
}

static void free_env(struct env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free(env->strings[i]);
    free(env->strings);
}

/* TENDRIL_BOARD and its like for the first board, TENDRIL_BOARD_1 for the second. */
static void add_board_env(struct env *env, const struct recorder_board *b)
{
    char name[40] = "TENDRIL_BOARD";
    if (b->number)
        snprintf(name, sizeof name, "TENDRIL_BOARD_%u", b->number);
    add_env(env, "%s=%s", name, b->where);
    if (!b->description || b->server)
        return;
    /* The board does not describe itself to the program either. */
    add_env(env, "%s_NAME=%s", name, b->options->board ? b->options->board : "");
    add_env(env, "%s_GRID=%s", name, b->options->grid ? b->options->grid : "");
}

/* A program with a client would sample itself, too. */
static void add_sampling_env(struct env *env)
{
    static const char *const names[] = {"TRACY_NO_SAMPLING", "TRACY_NO_CONTEXT_SWITCH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!getenv(names[i]))
            add_env(env, "%s=1", names[i]);
}

/* Waits until the watch's events arrive. It is the last client of the list. */
static int connect_watch(struct recorder *r, struct td_err *err)
{
    const int64_t until_ms = td_mono_ms() + TD_RECORDER_GRACE_MS;
    const size_t number = r->client_count;
    int rc = td_recorder_add_client(r, RECORDER_CHILD,
                                    (struct td_recorder_client_options){.port = r->watch.port}, -1, err);
    while (rc == 0 && td_mono_ms() < until_ms) {
        rc = td_recorder_pump_clients(r, err);
        const struct td_client_source *source = r->clients[number].source;
        if (!source || td_client_source_get_state(source) >= TD_SOURCE_STREAM)
            break;
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        poll(&fd, 1, 5);
    }
    return rc;
}

/* Samples the program, which waits. Without rights the recording has no samples. */
static int sample_program(struct recorder *r, struct td_err *err)
{
    struct td_err why = {0};
    const struct td_watch_options options = {.pid = r->program.pid,
                                             .children = true,
                                             .hz = r->options->sample_hz > 0 ? r->options->sample_hz : 0,
                                             .name =
                                                 "samples"}; /* its label next to the program's own zones */
    if (!r->options->sample_hz)
        return 0;
    if (td_watch_start(&r->watch, &options, &why) == 0)
        return connect_watch(r, err);
    snprintf(r->result->unsampled, sizeof r->result->unsampled, "%s", why.text);
    return 0;
}

int td_recorder_start_program(struct recorder *r, struct td_err *err)
{
    struct env env = {0};
    for (size_t i = 0; i < r->board_count; i++)
        add_board_env(&env, &r->boards[i]);
    add_env(&env, "TENDRIL_RUN_DIR=%s", r->folder.path);
    if (r->options->zone_rules)
        add_env(&env, TD_ZONE_RULES_VARIABLE "=%s", r->options->zone_rules);
    const bool collected = !r->virtual_clock && !r->options->boards_only;
    if (collected && !r->options->any_children)
        add_env(&env, "TRACY_PORT=%d", r->clients[0].at.port);
    if (collected) {
        add_env(&env, "TRACY_ONLY_LOCALHOST=1");
        /* While the recorder waits for the program's board, it does not connect. */
        if (!r->options->ready.is_ready)
            add_env(&env, "TENDRIL_WAIT_CONNECT_MS=" CONNECT_WAIT_MS);
    }
    if (r->options->sample_hz)
        add_sampling_env(&env);
    int rc = env.failed
                 ? td_fail_no_memory(err, NULL)
                 : td_child_hold(&r->program, r->options->program, (const char *const *)env.strings, 0, err);
    free_env(&env);
    rc = rc ? rc : sample_program(r, err);
    return rc ? rc : td_child_release(&r->program, r->options->program[0], err);
}

int td_recorder_start_client(struct recorder *r, struct td_err *err)
{
    int fd = -1;
    if (r->virtual_clock || r->options->any_children)
        return 0;
    const int port = td_free_port(&fd);
    if (!port)
        return td_fail_errno(err, "cannot get a free TCP port on this machine");
    return td_recorder_add_client(r, RECORDER_PROGRAM, (struct td_recorder_client_options){.port = port}, fd,
                                  err);
}

/* The first Ctrl-C is passed on to the program; after the second it is killed. Without a program, it ends the
 * loop. */
void td_recorder_heed_interrupt(struct recorder *r)
{
    int wanted = *r->options->interrupted;
    if (!wanted || (r->options->program && !r->program.pid))
        return;
    if (!r->asked_to_stop) {
        r->asked_to_stop = 1;
        if (r->program.pid)
            kill(r->program.pid, SIGINT);
        r->deadline_ns = td_mono_ns() + (int64_t)TD_RECORDER_GRACE_MS * 1000000;
    } else if (wanted > 1) {
        r->deadline_ns = 0;
    }
}
