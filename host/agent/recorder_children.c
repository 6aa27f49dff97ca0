/* Processes that PROGRAM starts and that are clients themselves. The first one listens at the port that the
 * recorder has chosen; each other one listens where it finds a free port, and leaves a file with its number
 * in the run folder (host/client/session/register.h). With any_children, they choose from Tracy's ports, and
 * the recorder looks which processes listen there. */
#include "host/agent/listening.h"
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/wire/hello.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_NS INT64_C(10000000)
#define SCAN_NS INT64_C(50000000)
#define PREFIX  "client."

/* The port in the file; 0: there is none. Removes the file. */
static int take_port(int folder, const char *name)
{
    char text[16];
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t bytes = read(fd, text, sizeof text - 1);
    close(fd);
    unlinkat(folder, name, 0);
    if (bytes <= 0)
        return 0;
    text[bytes] = 0;
    const long port = strtol(text, NULL, 10);
    return port > 0 && port < 65536 ? (int)port : 0;
}

/* Forgets children that have ended. */
static void drop_ended(struct recorder *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->client_count; i++) {
        const struct recorder_client *c = &r->clients[i];
        if (c->role != RECORDER_CHILD || c->source || c->retry_ns != INT64_MAX)
            r->clients[kept++] = *c;
    }
    r->client_count = kept;
}

/* Adds processes that listen at one of Tracy's ports and are not collected yet. */
static int scan_ports(struct recorder *r, struct td_err *err)
{
    unsigned char ports[TD_WIRE_PORTS];
    int rc = 0;
    td_listening_ports(r->program.pid, TD_WIRE_PORT, TD_WIRE_PORTS, ports);
    for (int i = 0; rc == 0 && i < TD_WIRE_PORTS; i++) {
        bool is_known = false;
        for (size_t c = 0; c < r->client_count; c++)
            is_known |= r->clients[c].at.port == TD_WIRE_PORT + i && !r->clients[c].at.host;
        if (ports[i] != TD_LISTENER_OWN || is_known)
            continue;
        td_debug(client, "a process of the program listens at port %d", TD_WIRE_PORT + i);
        rc = td_recorder_add_client(r, RECORDER_CHILD,
                                    (struct td_recorder_client_options){.port = TD_WIRE_PORT + i}, -1, err);
        if (rc == 0)
            r->clients[r->client_count - 1].is_scanned = true;
    }
    return rc;
}

int td_recorder_look_for_children(struct recorder *r, struct td_err *err)
{
    const int64_t now = td_mono_ns();
    if (!r->program.pid || r->virtual_clock || r->stopping || now < r->next_look_ns)
        return 0;
    r->next_look_ns = now + LOOK_NS;
    DIR *dir = opendir(r->folder.path);
    int rc = 0;
    if (!dir)
        return 0;
    drop_ended(r);
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        const int port = take_port(dirfd(dir), e->d_name);
        td_debug(client, "%s registers port %d", e->d_name, port);
        if (port)
            rc = td_recorder_add_client(r, RECORDER_CHILD, (struct td_recorder_client_options){.port = port},
                                        -1, err);
    }
    closedir(dir);
    if (rc || !r->options->any_children || now < r->next_scan_ns)
        return rc;
    r->next_scan_ns = now + SCAN_NS;
    return scan_ports(r, err);
}
