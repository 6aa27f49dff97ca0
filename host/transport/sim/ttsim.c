#include "host/transport/sim/ttsim.h"
#include "host/base/debug_log.h"
#include "host/base/process.h"
#include "host/transport/link.h"
#include "host/transport/link/stream.h"
#include "host/transport/sim/socket_all.h"
#include "proto/sim/ttsim.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000 }; /* for a process that has hung up to end */

struct ttsim {
    struct td_transport base;
    struct td_transport_ops ops;
    struct td_transport *probe; /* the process, once the board's windows are known */
    char path[400];
    pid_t pid;
    int fd, messages; /* the socket, until the probe has it; what the library prints */
    struct td_ttsim_chips chips;
    struct td_err why; /* the library's reason, once it has ended */
};

/* The last line that was printed. */
static void last_line(const struct ttsim *s, char *to, size_t room)
{
    char text[4096], *line = NULL;
    struct stat st = {0};
    fstat(s->messages, &st);
    const off_t from = st.st_size < (off_t)sizeof text ? 0 : st.st_size - (off_t)sizeof text + 1;
    const ssize_t n = pread(s->messages, text, sizeof text - 1, from);
    text[n > 0 ? n : 0] = 0;
    for (char *rest = text, *next; (next = strsep(&rest, "\n"));)
        if (*next)
            line = next;
    snprintf(to, room, "%.300s", line ? line : "it gave no reason");
}

/* Waits for the process, which has hung up or does not answer. False: it had to be killed. */
static bool end_process(struct ttsim *s, int *status)
{
    pid_t pid = 0;
    for (int waited = 0; s->pid > 0 && pid == 0 && waited < PATIENCE_MS; waited++) {
        pid = waitpid(s->pid, status, WNOHANG);
        if (pid == 0)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (s->pid > 0 && pid == 0) {
        kill(s->pid, SIGKILL);
        waitpid(s->pid, NULL, 0);
    }
    const bool by_itself = pid != 0 || s->pid == 0;
    s->pid = 0;
    return by_itself;
}

static int ended(struct ttsim *s, struct td_err *err)
{
    char line[320];
    int status = 0;
    if (s->why.code == 0) {
        if (!end_process(s, &status))
            snprintf(line, sizeof line, "it did not answer any more");
        else if (WIFSIGNALED(status))
            snprintf(line, sizeof line, "it was killed by signal %d", WTERMSIG(status));
        else
            last_line(s, line, sizeof line);
        td_fail(&s->why, TD_E_GONE,
                s->chips.chips ? "the simulator of %s has ended: %s"
                               : "the simulator of '%s' does not start: %s",
                s->path, line);
        td_debug(sim, "%s", s->why.text);
    }
    return td_fail(err, TD_E_GONE, "%s", s->why.text);
}

/* What a call of the probe returned; if the process is gone, the library's reason. */
static int answer(struct ttsim *s, int rc, const struct td_err *why, struct td_err *err)
{
    if (rc == TD_E_GONE)
        return ended(s, err);
    return rc < 0 ? td_fail(err, rc, "%s", why->text) : rc;
}

static int is_up(struct ttsim *s, struct td_err *err)
{
    if (s->why.code)
        return td_fail(err, TD_E_GONE, "%s", s->why.text);
    if (s->probe)
        return TD_OK;
    return td_fail(err, TD_E_USAGE, "the windows of %s are unknown: name its board with -b", s->path);
}

static int ttsim_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                      struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    int rc = is_up(s, err);
    return rc ? rc : answer(s, s->probe->ops->read(s->probe, at, address, to, bytes, &why), &why, err);
}

static int ttsim_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                       size_t bytes, struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    int rc = is_up(s, err);
    return rc ? rc : answer(s, s->probe->ops->write(s->probe, at, address, from, bytes, &why), &why, err);
}

static int ttsim_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                       struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    int rc = is_up(s, err);
    return rc ? rc : answer(s, s->probe->ops->clock(s->probe, at, sample, &why), &why, err);
}

static int ttsim_alive(struct td_transport *t, struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    int rc = is_up(s, err);
    return rc ? rc : answer(s, s->probe->ops->alive(s->probe, &why), &why, err);
}

static int ttsim_wait(struct td_transport *t, int timeout_ms, struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    int rc = is_up(s, err);
    return rc ? rc : answer(s, s->probe->ops->wait(s->probe, timeout_ms, &why), &why, err);
}

static int ttsim_control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                         struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    int rc = is_up(s, err);
    return rc ? rc : answer(s, s->probe->ops->control(s->probe, what, value, out, &why), &why, err);
}

static struct td_gather *ttsim_gather(struct td_transport *t)
{
    struct ttsim *s = (struct ttsim *)t;
    return s->probe ? s->probe->ops->gather(s->probe) : NULL;
}

static void ttsim_identity(struct td_transport *t, struct td_identity *identity)
{
    const struct td_ttsim_chips *chips = &((const struct ttsim *)t)->chips;
    *identity = (struct td_identity){chips->vendor, chips->device, chips->chips, 1};
}

/* From now on the process is a probe. */
static int ttsim_setup(struct td_transport *t, const struct td_transport_setup *setup, struct td_err *err)
{
    struct ttsim *s = (struct ttsim *)t;
    struct td_err why = {0};
    struct td_ttsim_setup to = {setup->clock_low, setup->clock_live_high, (uint32_t)setup->kind_count,
                                sizeof *setup->kinds};
    if (s->probe)
        return TD_OK;
    if (td_send_all(s->fd, &to, sizeof to, 1) ||
        td_send_all(s->fd, setup->kinds, setup->kind_count * sizeof *setup->kinds, 0))
        return ended(s, err);
    struct td_link *link = td_stream_link(s->fd, s->path, 0, err);
    s->fd = -1;
    if (!link)
        return TD_E_NOMEM;
    link->lossy = 0; /* nor may it lead to a UART */
    s->probe = td_remote_open(link, "ttsim", &why);
    return s->probe ? TD_OK : answer(s, why.code ? why.code : TD_E_IO, &why, err);
}

static void ttsim_close(struct td_transport *t)
{
    struct ttsim *s = (struct ttsim *)t;
    td_transport_close(s->probe);
    if (s->fd >= 0)
        close(s->fd);
    if (s->pid > 0)
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    if (s->messages >= 0)
        close(s->messages);
    free(s);
}

static const struct td_transport_ops ttsim_ops = {.name = "ttsim",
                                                  .read = ttsim_read,
                                                  .write = ttsim_write,
                                                  .clock = ttsim_clock,
                                                  .alive = ttsim_alive,
                                                  .wait = ttsim_wait,
                                                  .control = ttsim_control,
                                                  .gather = ttsim_gather,
                                                  .identity = ttsim_identity,
                                                  .setup = ttsim_setup,
                                                  .close = ttsim_close};

/* Starts the process with one end of the socket. What it prints goes into memory, so it never waits for a reader. */
static int start(struct ttsim *s, struct td_err *err)
{
    extern char **environ;
    char folder[4096], program[4200], at[sizeof s->path + 8];
    int ends[2];
    enum { THEIRS = 3 };
    posix_spawn_file_actions_t actions;
    s->messages = memfd_create("ttsim messages", MFD_CLOEXEC);
    if (s->messages < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return td_fail_errno(err, "no socket for the simulator of %s", s->path);
    s->fd = ends[0];
    snprintf(program, sizeof program, "%s/ttsim_board",
             td_process_folder(folder, sizeof folder) ? folder : "");
    snprintf(at, sizeof at, "ttsim:%s", s->path);
    char number[] = "3", name_at[] = "--at", name_host[] = "--host";
    char *argv[] = {program, name_at, at, name_host, number, NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, s->messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, s->messages, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], THEIRS);
    const int failed = posix_spawnp(&s->pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        s->pid = 0;
        errno = failed;
        return td_fail_errno(err, "cannot start %s", program);
    }
    return TD_OK;
}

struct td_transport *td_ttsim_open(const char *library, int wait_ms, struct td_err *err)
{
    (void)wait_ms;
    struct ttsim *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    s->fd = s->messages = -1;
    s->ops = ttsim_ops;
    s->base = (struct td_transport){.ops = &s->ops, .exclusive = 1, .asks = 1, .cleans_up = 1};
    snprintf(s->path, sizeof s->path, "%s", library);
    int rc = start(s, err);
    if (rc == 0 && td_receive_all(s->fd, &s->chips, sizeof s->chips))
        rc = ended(s, err);
    if (rc) {
        ttsim_close(&s->base);
        return NULL;
    }
    td_debug(sim, "%s: %u chips, %04x:%04x", s->path, s->chips.chips, s->chips.vendor, s->chips.device);
    return &s->base;
}
