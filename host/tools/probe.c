/* tendril probe: serves a board of this machine to a host at the other end of a socket, a serial line or USB,
 * with the probe engine of host/probe. */
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/probe/serve.h"
#include "host/tools/commands.h"
#include "host/transport/link/functionfs.h"
#include "host/transport/link/serial.h"
#include "host/transport/link/socket.h"
#include "host/transport/link/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    REFUSED = 4,  /* refused connections that stay open, so that their hosts can read the answer */
    POLL_MS = 100 /* between checks for signals and, with a pty, for its other end */
};

/* Where hosts connect. */
struct door {
    int fd;         /* a listening socket, or the master of a pty */
    char path[200]; /* removed at the end; "": none */
    int refused[REFUSED];
    int next;
};

/* Answers a second host's connection with an error message of the probe protocol. */
static void refuse_host(void *self)
{
    struct door *door = self;
    static const char text[] = "this probe has a host already";
    uint8_t message[sizeof(struct td_probe_head) + sizeof text - 1];
    const struct td_probe_head head = {TD_PROBE_HELLO | TD_PROBE_ANSWER, 0, TD_E_USAGE, 0, sizeof text - 1};
    int fd = td_socket_accept(door->fd);
    if (fd < 0)
        return;
    struct td_link *link = td_stream_link(dup(fd), "second host", 0, NULL);
    memcpy(message, &head, sizeof head);
    memcpy(message + sizeof head, text, sizeof text - 1);
    if (link) {
        link->ops->send(link, message, sizeof message, NULL);
        link->ops->close(link);
    }
    shutdown(fd, SHUT_WR);
    /* Closing a socket that has unread bytes can discard the answer, so it is closed at a later refusal. */
    if (door->refused[door->next] >= 0)
        close(door->refused[door->next]);
    door->refused[door->next] = fd;
    door->next = (door->next + 1) % REFUSED;
}

static int serve_sockets(struct td_probe_server *server, struct door *door, struct td_err *err)
{
    int rc = 0;
    while (rc == 0 && !*td_interrupt_count()) {
        struct pollfd p = {door->fd, POLLIN, 0};
        poll(&p, 1, POLL_MS);
        int fd = td_socket_accept(door->fd);
        if (fd < 0)
            continue;
        struct td_link *link = td_stream_link(fd, "the host's connection", 0, err);
        if (!link)
            return err->code;
        struct td_err why = {0};
        rc = td_probe_server_run(server, link, td_interrupt_count(), door->fd, refuse_host, door, &why);
        link->ops->close(link);
        /* An error of one host's connection does not end the probe. A board that is gone does. */
        rc = rc == TD_E_GONE ? td_fail(err, rc, "%s", why.text) : 0;
    }
    return rc;
}

static int serve_pty(struct td_probe_server *server, struct door *door, struct td_err *err)
{
    int rc = 0;
    while (rc == 0 && !*td_interrupt_count()) {
        struct pollfd p = {door->fd, POLLIN, 0};
        /* Until a process opens the other end, poll() reports a hang-up. */
        if (poll(&p, 1, POLL_MS) == 1 && p.revents & POLLHUP) {
            nanosleep(&(struct timespec){0, 20000000}, NULL);
            continue;
        }
        struct td_link *link = td_stream_link(dup(door->fd), "the pty", 0, err);
        if (!link)
            return err->code;
        struct td_err why = {0};
        rc = td_probe_server_run(server, link, td_interrupt_count(), -1, NULL, NULL, &why);
        link->ops->close(link);
        rc = rc == TD_E_GONE ? td_fail(err, rc, "%s", why.text) : 0;
    }
    return rc;
}

static int serve_line(struct td_probe_server *server, const char *where, struct td_err *err)
{
    struct td_link *link = td_serial_link(where, 0, err);
    if (!link)
        return err->code;
    int rc = td_probe_server_run(server, link, td_interrupt_count(), -1, NULL, NULL, err);
    link->ops->close(link);
    return rc;
}

static void announce_probe(const char *board, const char *kind, const char *where)
{
    printf("probe of %s at %s%s\n", TD_PLAIN(board), kind, TD_PLAIN(where));
    fflush(stdout);
}

/* A USB gadget: its link stays open while hosts connect and disconnect. */
static int serve_gadget(struct td_probe_server *server, const char *board, const char *directory,
                        struct td_err *err)
{
    struct td_link *link = td_functionfs_open(directory, err);
    int rc = link ? 0 : err->code;
    if (link)
        announce_probe(board, "usb:ffs=", directory);
    while (rc == 0 && !*td_interrupt_count())
        rc = td_probe_server_run(server, link, td_interrupt_count(), -1, NULL, NULL, err);
    if (link)
        link->ops->close(link);
    return rc;
}

/* The symbolic link was left by a probe that was killed: it leads nowhere, or to this probe's own pty. */
static bool is_left_over(const char *name, const char *own)
{
    char to[200];
    ssize_t n = readlink(name, to, sizeof to - 1);
    if (n < 0)
        return false;
    to[n] = 0;
    return access(name, F_OK) != 0 || strcmp(to, own) == 0;
}

/* Makes a pty whose other end is raw, and closed. `other` gets the path of that end; if `name` is not empty,
 * it is made a symbolic link to the end, and `other` gets it. */
static int open_pty(struct door *door, const char *name, char *other, size_t other_bytes, struct td_err *err)
{
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || grantpt(fd) || unlockpt(fd) || ptsname_r(fd, other, other_bytes)) {
        if (fd >= 0)
            close(fd);
        return td_fail_errno(err, "cannot make a pty");
    }
    door->fd = fd;
    int end = open(other, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (end < 0 || td_serial_raw(end))
        td_fail_errno(err, "cannot set up the pty %s", other);
    if (end >= 0)
        close(end);
    if (err->code || !*name)
        return err->code;
    if (is_left_over(name, other))
        unlink(name);
    if (symlink(other, name))
        return td_fail_errno(err, "cannot link %s to the pty", name);
    snprintf(door->path, sizeof door->path, "%s", name);
    snprintf(other, other_bytes, "%s", name);
    return 0;
}

static int open_door_and_serve(struct td_probe_server *server, struct door *door, const char *board,
                               const char *where, struct td_err *err)
{
    char text[300];
    int port = 0;
    if (strncmp(where, "unix:", 5) == 0) {
        if ((door->fd = td_unix_listen(where + 5, err)) < 0)
            return door->fd;
        snprintf(door->path, sizeof door->path, "%s", where + 5);
        announce_probe(board, where, "");
        return serve_sockets(server, door, err);
    }
    if (strncmp(where, "tcp:", 4) == 0) {
        if ((door->fd = td_tcp_listen(where + 4, &port, err)) < 0)
            return door->fd;
        const char *colon = strrchr(where + 4, ':');
        snprintf(text, sizeof text, "%.*s:%d", colon ? (int)(colon - where - 4) : 9,
                 colon ? where + 4 : "127.0.0.1", port);
        announce_probe(board, "tcp:", text);
        return serve_sockets(server, door, err);
    }
    if (strcmp(where, "pty") == 0 || strncmp(where, "pty:", 4) == 0) {
        int rc = open_pty(door, where[3] ? where + 4 : "", text, sizeof text, err);
        if (rc)
            return rc;
        announce_probe(board, "serial:", text);
        return serve_pty(server, door, err);
    }
    if (strncmp(where, "serial:", 7) == 0) {
        announce_probe(board, where, "");
        return serve_line(server, where + 7, err);
    }
    if (strncmp(where, "usb:ffs=", 8) == 0)
        return serve_gadget(server, board, where + 8, err);
    return td_fail(err, TD_E_USAGE,
                   "--serve %s: it must be unix:PATH, tcp:[HOST:]PORT, serial:DEVICE[,BAUD], pty[:LINK] or "
                   "usb:ffs=DIRECTORY",
                   where);
}

static int run_probe(struct td_transport *t, const char *board, const char *serve, struct td_err *err)
{
    struct door door = {.fd = -1, .refused = {-1, -1, -1, -1}};
    struct td_probe_server *server = td_probe_server_create(t, board, err);
    if (!server)
        return err->code;
    int rc = open_door_and_serve(server, &door, board, serve, err);
    td_probe_server_destroy(server);
    if (door.fd >= 0)
        close(door.fd);
    for (int i = 0; i < REFUSED; i++)
        if (door.refused[i] >= 0)
            close(door.refused[i]);
    if (door.path[0])
        unlink(door.path);
    return rc;
}

const char td_summary_probe[] =
    "Reaches a board of this machine for a host elsewhere: socket, serial line or USB.";

int td_cmd_probe(int argc, char **argv, struct td_err *err)
{
    const char *board = NULL, *serve = NULL;
    long wait_ms = 0;
    const struct td_option options[] = {
        {'b', "board", TD_OPT_STRING, &board, "WHERE", "the board: PATH of a simulated one, pci:BDF ...", 0,
         0, 0},
        {'s', "serve", TD_OPT_STRING, &serve, "WHERE",
         "unix:PATH, tcp:[HOST:]PORT, serial:DEVICE[,BAUD], pty[:LINK] or usb:ffs=DIRECTORY", 0, 0, 0},
        {0, "wait", TD_OPT_INT, &wait_ms, "MS", "wait for the board to appear, for at most MS milliseconds",
         0, 0, 3600000},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril probe",
        .usage = "--board WHERE --serve WHERE",
        .summary = td_summary_probe,
        .options = options,
        .min_args = 0,
        .max_args = 0,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (!board || !serve)
        return td_fail(err, TD_E_USAGE,
                       "--board and --serve are needed: which board, and where hosts connect");
    td_interrupt_catch();
    struct td_transport *t = td_transport_open(board, (int)wait_ms, err);
    if (!t)
        return err->code;
    int rc = run_probe(t, board, serve, err);
    td_transport_close(t);
    return rc < 0 ? rc : 0;
}
