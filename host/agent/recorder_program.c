#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/wire/hello.h"

#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_WAIT_MS "3000" /* how long the program's client waits for the recorder at its start */

/* A free TCP port, 0 if there is none. While *fd is open, the system gives the port to no other process; the
 * program's client can use it, because it reuses addresses. */
static int reserve_port(int *fd)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int yes = 1;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return 0;
    if (setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(*fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(*fd, (struct sockaddr *)&at, &bytes) == 0)
        return ntohs(at.sin_port);
    close(*fd);
    return 0;
}

int td_recorder_start_program(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    char where[340], run[300], port[32], name[4200], grid[80];
    snprintf(where, sizeof where, "TENDRIL_BOARD=%s", r->where);
    snprintf(run, sizeof run, "TENDRIL_RUN_DIR=%s", r->folder.path);
    snprintf(port, sizeof port, "TRACY_PORT=%d", r->port);
    snprintf(name, sizeof name, "TENDRIL_BOARD_NAME=%s", o->board ? o->board : "");
    snprintf(grid, sizeof grid, "TENDRIL_BOARD_GRID=%s", o->grid ? o->grid : "");
    const char *env[8] = {where, run};
    int n = 2;
    if (r->description && !r->server) { /* the board does not describe itself to the program either */
        env[n++] = name;
        env[n++] = grid;
    }
    if (r->client) {
        env[n++] = port;
        env[n++] = "TRACY_ONLY_LOCALHOST=1";
        env[n++] = "TENDRIL_WAIT_CONNECT_MS=" CONNECT_WAIT_MS;
    }
    return td_child_start(&r->program, r->options->program, env, 0, err);
}

int td_recorder_start_client(struct recorder *r, struct td_err *err)
{
    if (r->virtual_clock)
        return 0;
    r->port = reserve_port(&r->port_fd);
    if (!r->port)
        return td_fail_errno(err, "cannot get a free TCP port on this machine");
    struct td_client_source_config config = {.port = r->port,
                                             .connect_ms = INT_MAX,
                                             .hub = r->collection.hub,
                                             .t0_ticks = r->t0,
                                             .ns_per_tick = r->ns_per_tick};
    r->client = td_client_source_create(&config, err);
    if (r->client)
        return 0;
    close(r->port_fd);
    return err ? err->code : TD_E_NOMEM;
}

/* Copies counts and the client's description of its process to result and trace. */
static void take_welcome(struct recorder *r)
{
    const struct td_wire_welcome *w = td_client_source_welcome(r->client);
    struct td_client_counts counts = td_client_source_counts(r->client);
    struct td_trace_info *info = td_trace_edit_info(r->collection.trace);
    r->result->host_zones = counts.zones;
    r->result->host_messages = counts.messages;
    if (counts.unnamed)
        td_recorder_trouble(r,
                            "%llu of the program's own events have no name: it did not answer before its end",
                            (unsigned long long)counts.unnamed);
    if (!w->pid)
        return;
    info->pid = w->pid;
    info->executable_time_s = w->exectime;
    info->timer_mul = w->timerMul;
    info->cpu_arch = w->cpuArch;
    info->cpu_id = w->cpuId;
    memcpy(info->cpu_vendor, w->cpuManufacturer, sizeof info->cpu_vendor);
    td_trace_set_string(&info->host_info, w->hostInfo);
}

void td_recorder_end_client(struct recorder *r)
{
    if (!r->client)
        return;
    struct td_err why = {0};
    if (td_client_source_end_now(r->client, &why) < 0)
        td_recorder_trouble(r, "the program's own zones end early: %s", why.text);
    take_welcome(r);
    td_client_source_destroy(r->client);
    close(r->port_fd);
    r->client = NULL;
}

void td_recorder_stop_client(struct recorder *r)
{
    struct td_err why = {0};
    if (!r->client)
        return;
    td_client_source_ask_end(r->client);
    if (r->collection.memory.state != TD_MEMORY_OVER)
        return;
    if (td_client_source_end_now(r->client, &why) < 0)
        td_recorder_trouble(r, "the program's own zones end early: %s", why.text);
    td_recorder_end_client(r);
}

int td_recorder_pump_client(struct recorder *r, struct td_err *err)
{
    if (!r->client)
        return 0;
    struct td_err why = {0};
    int rc = td_client_source_pump(r->client, &why);
    if (rc > 0)
        return 0;
    int connected = td_client_source_get_state(r->client) != TD_SOURCE_CONNECTING && rc != TD_E_TIMEOUT;
    td_recorder_end_client(r);
    if (rc == TD_E_NOMEM)
        return td_fail(err, rc, "%s", why.text);
    /* If the program has ended, its exit says more than the lost connection; but bytes that make no sense are
     * always reported. */
    if (rc < 0 && connected && (rc == TD_E_FORMAT || td_child_is_running(&r->program)))
        td_recorder_trouble(r, "the program's own zones end early: %s", why.text);
    return 0;
}

/* The first Ctrl-C is passed on to the program; after the second it is killed. */
void td_recorder_heed_interrupt(struct recorder *r)
{
    int wanted = *r->options->interrupted;
    if (!wanted || !r->program.pid)
        return;
    if (!r->asked_to_stop) {
        r->asked_to_stop = 1;
        kill(r->program.pid, SIGINT);
        r->deadline_ns = td_mono_ns() + (int64_t)TD_RECORDER_GRACE_MS * 1000000;
    } else if (wanted > 1) {
        r->deadline_ns = 0;
    }
}
