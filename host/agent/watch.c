#include "host/agent/watch.h"
#include "host/base/clock.h"
#include "host/base/free_port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REPORT_MS  30000 /* it reads the mappings of all processes first */
#define LINE_BYTES 512

/* Reads the watch's line, which ends with the end of its side of the pipe. */
static int read_report(int fd, char *line, size_t room)
{
    const int64_t until_ms = td_mono_ms() + REPORT_MS;
    size_t have = 0;
    for (;;) {
        struct pollfd wait = {fd, POLLIN, 0};
        const int64_t left_ms = until_ms - td_mono_ms();
        if (left_ms <= 0)
            return TD_E_TIMEOUT;
        if (poll(&wait, 1, (int)left_ms) <= 0)
            continue; /* a signal, or the time is over */
        const ssize_t n = read(fd, line + have, room - 1 - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        have += (size_t)n;
        line[have] = 0;
        if (strchr(line, '\n') || have == room - 1)
            break;
    }
    line[have] = 0;
    line[strcspn(line, "\n")] = 0;
    return have ? 0 : TD_E_GONE;
}

static int start_child(struct td_watch *watch, const struct td_watch_options *options, int report, int port,
                       struct td_err *err)
{
    char path[4096], pid[16], fd[16], hz[40], at[32];
    snprintf(pid, sizeof pid, "%d", options->pid);
    snprintf(fd, sizeof fd, "%d", report);
    snprintf(hz, sizeof hz, "TRACY_SAMPLING_HZ=%ld", options->hz);
    snprintf(at, sizeof at, "TRACY_PORT=%d", port);
    td_child_find("tendril-watch", path, sizeof path);
    char *argv[10] = {path, (char *)"--report", fd};
    size_t count = 3;
    if (options->pid) {
        argv[count++] = (char *)"--pid";
        argv[count++] = pid;
    }
    if (options->pid && options->children)
        argv[count++] = (char *)"--children";
    if (options->name) {
        argv[count++] = (char *)"--name";
        argv[count++] = (char *)options->name;
    }
    const char *const env[] = {at, options->hz ? hz : NULL, NULL};
    return td_child_start(&watch->child, argv, env, 1, err);
}

int td_watch_start(struct td_watch *watch, const struct td_watch_options *options, struct td_err *err)
{
    int report[2], port_fd = -1;
    char line[LINE_BYTES] = "";
    *watch = (struct td_watch){0};
    const int port = td_free_port(&port_fd);
    if (!port)
        return td_fail_errno(err, "cannot get a free TCP port on this machine");
    if (pipe2(report, O_CLOEXEC) < 0) {
        close(port_fd);
        return td_fail_errno(err, "cannot start tendril-watch");
    }
    (void)fcntl(report[1], F_SETFD, 0); /* the watch inherits it */
    int rc = start_child(watch, options, report[1], port, err);
    close(report[1]);
    rc = rc ? rc : read_report(report[0], line, sizeof line);
    close(report[0]);
    close(port_fd);
    if (watch->child.pid && rc == 0 && sscanf(line, "port %d", &watch->port) == 1)
        return 0;
    const bool began = watch->child.pid || watch->child.ended;
    td_watch_stop(watch, 0);
    if (!began)
        return rc;
    return td_fail(err, TD_E_IO, "%s",
                   rc == TD_E_TIMEOUT            ? "tendril-watch does not answer: the machine is too busy"
                   : !strncmp(line, "error ", 6) ? line + 6
                                                 : "tendril-watch ended without a word");
}

void td_watch_stop(struct td_watch *watch, int ms)
{
    for (; ms > 0 && td_child_is_running(&watch->child); ms -= 5)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    td_child_stop(&watch->child, 1000);
}
