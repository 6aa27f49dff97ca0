/* Connections to programs. At each address one program after the other can listen; each connection is a
 * session with one process, and has a client source of its own. */
#include "host/agent/client/client_clock.h"
#include "host/agent/listening.h"
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/base/grow.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RETRY_NS INT64_C(100000000) /* after a program that has ended, before the next one is looked for */

static void close_port(struct recorder_client *c)
{
    if (c->port_fd >= 0)
        close(c->port_fd);
    c->port_fd = -1;
}

int td_recorder_add_client(struct recorder *r, enum recorder_client_role role,
                           struct td_recorder_client_options at, int port_fd, struct td_err *err)
{
    if (td_grow(&r->clients, &r->client_capacity, r->client_count + 1, sizeof *r->clients)) {
        if (port_fd >= 0)
            close(port_fd);
        return td_fail_no_memory(err, "for collecting a program's events");
    }
    r->clients[r->client_count++] = (struct recorder_client){.role = role, .at = at, .port_fd = port_fd};
    return 0;
}

/* A process may end before it is connected to, and another program's may take its port. One that has taken the
 * connection may not listen any more. */
bool td_recorder_is_child_at(void *recorder, int port)
{
    const struct recorder *r = recorder;
    unsigned char listener;
    td_listening_ports(r->program.pid, port, 1, &listener);
    return listener != TD_LISTENER_OTHER;
}

static int begin_session(struct recorder *r, struct recorder_client *c, struct td_err *err)
{
    c->journal = calloc(1, sizeof *c->journal); /* stays where it is when the list of clients grows */
    if (!c->journal)
        return td_fail_no_memory(err, "for collecting a program's events");
    struct td_client_source_config config = {.host = c->at.host,
                                             .port = c->at.port,
                                             .connect_ms = INT_MAX,
                                             .hub = r->collection.hub,
                                             .trace = r->virtual_clock ? NULL : r->collection.trace,
                                             .spaces = r->spaces,
                                             .sources = !r->options->no_sources,
                                             .t0_ticks = r->t0,
                                             .ns_per_tick = r->ns_per_tick};
    if (r->options->source_rules)
        config.source_rules = *r->options->source_rules;
    if (c->is_scanned)
        config.is_meant = td_recorder_is_child_at;
    config.meant_self = r;
    config.tap = td_client_journal_init(c->journal, r->collection.options.journal);
    c->source = td_client_source_create(&config, err);
    if (c->source)
        return 0;
    free(c->journal);
    c->journal = NULL;
    return err ? err->code : TD_E_NOMEM;
}

/* What the line about trouble calls a program. */
static const char *name_client(const struct recorder_client *c, char *to, size_t bytes)
{
    if (c->source && td_client_space_label(td_client_source_space(c->source))[0] &&
        c->role != RECORDER_PROGRAM)
        snprintf(to, bytes, "%.100s's", td_client_space_label(td_client_source_space(c->source)));
    else if (c->role == RECORDER_PROGRAM)
        snprintf(to, bytes, "the program's own");
    else
        snprintf(to, bytes, "the program's at %.100s:%d", c->at.host ? c->at.host : "127.0.0.1", c->at.port);
    return to;
}

/* Keeps a line about the process for the notes. If there is no memory, only the line is missing. */
static void note_process(struct recorder *r, const struct recorder_client *c)
{
    const double error_ns = td_client_source_clock_error_ns(c->source);
    char *line;
    if (error_ns > r->result->client_error_ns)
        r->result->client_error_ns = error_ns;
    if (td_grow(&r->processes, &r->process_capacity, r->process_count + 1, sizeof *r->processes) != 0 ||
        asprintf(&line, "%s: %.0f ns", td_client_space_label(td_client_source_space(c->source)), error_ns) <
            0)
        return;
    r->processes[r->process_count++] = line;
    if (r->collection.options.journal)
        td_client_journal_put_process(c->journal, error_ns, line);
}

/* Copies counts and the client's description of its process to result and trace. The trace has room for the
 * description of one process: that of the first one. */
static void take_welcome(struct recorder *r, const struct recorder_client *c)
{
    const struct td_wire_welcome *w = td_client_source_welcome(c->source);
    struct td_client_counts counts = td_client_source_counts(c->source);
    struct td_trace_info *info = td_trace_edit_info(r->collection.trace);
    char name[160];
    td_collection_settle(&r->collection);
    r->result->host_zones += counts.zones;
    r->result->host_messages += counts.messages;
    if (counts.unnamed)
        td_recorder_trouble(r, "%llu of %s events have no name: it did not answer before its end",
                            (unsigned long long)counts.unnamed, name_client(c, name, sizeof name));
    r->result->sessions += w->pid != 0;
    if (w->pid)
        note_process(r, c);
    if (!w->pid || info->pid)
        return;
    snprintf(r->first_process, sizeof r->first_process, "%s", w->programName);
    td_client_describe(w, info);
}

static void report_early_end(struct recorder *r, const struct recorder_client *c, const struct td_err *why)
{
    td_recorder_trouble(r, "%s%s", c->role == RECORDER_PROGRAM ? "the program's own zones end early: " : "",
                        why->text);
}

static void end_session(struct recorder *r, struct recorder_client *c)
{
    struct td_err why = {0};
    if (!c->source)
        return;
    if (td_client_source_end_now(c->source, &why) < 0)
        report_early_end(r, c, &why);
    take_welcome(r, c);
    c->sessions += td_client_source_welcome(c->source)->pid != 0;
    td_client_source_destroy(c->source);
    free(c->journal);
    c->source = NULL;
    c->journal = NULL;
    c->retry_ns = r->stopping || c->role == RECORDER_CHILD ? INT64_MAX : td_mono_ns() + RETRY_NS;
}

void td_recorder_end_clients(struct recorder *r)
{
    r->stopping = 1;
    for (size_t i = 0; i < r->client_count; i++) {
        end_session(r, &r->clients[i]);
        close_port(&r->clients[i]);
    }
}

static void ask_end(struct recorder_client *c)
{
    if (c->source)
        td_client_source_ask_end(c->source);
}

void td_recorder_stop_clients(struct recorder *r, bool at_once)
{
    const bool is_over = r->collection.memory.state == TD_MEMORY_OVER;
    r->stopping = 1;
    for (size_t i = 0; i < r->client_count; i++) {
        ask_end(&r->clients[i]);
        /* Names of what is there need little memory. */
        if (is_over && r->clients[i].source)
            td_client_source_take_answers(r->clients[i].source);
    }
    if (at_once)
        td_recorder_end_clients(r);
}

/* A session has ended with `rc`. Reports that if something is missing. */
static void judge_end(struct recorder *r, struct recorder_client *c, int rc, const struct td_err *why)
{
    const bool is_connected =
        td_client_source_get_state(c->source) != TD_SOURCE_CONNECTING && rc != TD_E_TIMEOUT;
    const bool has_events = td_client_source_welcome(c->source)->pid != 0;
    end_session(r, c);
    if (rc == TD_E_FORMAT || rc == TD_E_VERSION)
        c->retry_ns = INT64_MAX; /* the same program may still listen there */
    if (rc >= 0 || !is_connected)
        return;
    /* A process that is about to end may still take a connection after its session. */
    if (c->sessions && !has_events && rc == TD_E_GONE)
        return;
    /* If the program has ended, its exit says more than the lost connection; but bytes that make no sense are
     * always reported. A program that others have started may end when it likes. */
    if (rc == TD_E_FORMAT || (c->role == RECORDER_PROGRAM && td_child_is_running(&r->program)) ||
        (c->role == RECORDER_GIVEN && !has_events))
        report_early_end(r, c, why);
}

static int pump_client(struct recorder *r, struct recorder_client *c, struct td_err *err)
{
    struct td_err why = {0};
    int rc = 0;
    if (!c->source && (r->stopping || td_mono_ns() < c->retry_ns))
        return 0;
    if (!c->source && (rc = begin_session(r, c, &why)) < 0) {
        c->retry_ns = INT64_MAX;
        if (rc == TD_E_NOMEM)
            return td_fail(err, rc, "%s", why.text);
        td_recorder_trouble(r, "%s", why.text);
        return 0;
    }
    rc = td_client_source_pump(c->source, &why);
    if (rc > 0)
        return 0;
    judge_end(r, c, rc, &why);
    return rc == TD_E_NOMEM ? td_fail(err, rc, "%s", why.text) : 0;
}

int td_recorder_pump_clients(struct recorder *r, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->client_count; i++)
        rc = pump_client(r, &r->clients[i], err);
    return rc;
}

/* The session is worth waiting for at the end: it sends what the program had marked. */
static bool has_rest(const struct recorder *r, const struct recorder_client *c, int64_t until_ns)
{
    if (!c->source || td_client_source_get_state(c->source) == TD_SOURCE_CONNECTING)
        return false;
    return c->role == RECORDER_PROGRAM ? td_mono_ns() < until_ns : *r->options->interrupted < 2;
}

int td_recorder_drain_clients(struct recorder *r, struct td_err *err)
{
    const int64_t until_ns = td_mono_ns() + TD_RECORDER_GRACE_MS * INT64_C(1000000);
    int rc = 0;
    r->stopping = 1;
    for (size_t i = 0; i < r->client_count; i++)
        if (r->clients[i].role != RECORDER_PROGRAM)
            ask_end(&r->clients[i]);
    for (size_t i = 0; i < r->client_count; i++)
        while (rc == 0 && has_rest(r, &r->clients[i], until_ns)) {
            struct pollfd fd = {td_client_source_fd(r->clients[i].source),
                                td_client_source_events(r->clients[i].source), 0};
            poll(&fd, 1, 10);
            rc = td_recorder_pump_clients(r, err);
        }
    return rc;
}

bool td_recorder_expects_clients(const struct recorder *r)
{
    bool is_missing = false, is_here = false;
    for (size_t i = 0; i < r->client_count; i++) {
        const struct recorder_client *c = &r->clients[i];
        const bool is_over = !c->source && c->retry_ns == INT64_MAX;
        is_missing |= !c->sessions && !is_over;
        is_here |= c->source && td_client_source_get_state(c->source) != TD_SOURCE_CONNECTING;
    }
    return is_missing || is_here;
}
