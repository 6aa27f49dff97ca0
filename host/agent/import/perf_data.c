/* Imports perf.data, a recording of perf, by perf itself: its layout changes with perf's version, and what its addresses
 * mean is known where the programs are. */
#include "host/agent/import/perf_script.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE        65536
#define WAIT_MS      200  /* between questions whether to stop */
#define ERRORS_BYTES 4096 /* of what perf says about an error */
#define FIELDS       "+pid,+ip,+sym,+symoff,+dso"

extern char **environ;

/* A run of perf. */
struct perf_run {
    void *script; /* reads what is printed */
    const char *file;
    pid_t pid;
    int out, errors; /* pipes */
    char said[ERRORS_BYTES + 1];
    size_t said_bytes;
    bool has_printed;
    uint8_t piece[PIECE];
};

static bool begins_perf_data(const uint8_t *bytes, size_t count)
{
    return count >= 8 && (!memcmp(bytes, "PERFILE2", 8) || !memcmp(bytes, "2ELIFREP", 8));
}

static int fail_without_perf(const char *file, const char *why, struct td_err *err)
{
    return td_fail(
        err, TD_E_NOTFOUND,
        "%s: only perf can read this, and it cannot be run here (%s); where it was recorded, run: perf "
        "script --ns -F " FIELDS " -i perf.data > perf.txt, and import perf.txt",
        file, why);
}

/* The environment, but perf asks no server for debug information: what a file names is looked up on this machine. NULL:
 * no memory. */
static char **own_environment(void)
{
    static const char servers[] = "DEBUGINFOD_URLS=";
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **own = calloc(count + 1, sizeof *own);
    for (size_t i = 0; own && i < count; i++)
        if (strncmp(environ[i], servers, sizeof servers - 1) != 0)
            own[kept++] = environ[i];
    return own;
}

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* 0 or an errno. */
static int spawn_perf(const char *const *arguments, struct perf_run *run)
{
    posix_spawn_file_actions_t actions;
    int out[2] = {-1, -1}, errors[2] = {-1, -1};
    char **environment = own_environment();
    int failed = environment ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (failed) {
        free(environment);
        return failed;
    }
    failed = pipe2(out, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0 ? errno : 0;
    if (!failed) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
        failed = posix_spawnp(&run->pid, "perf", &actions, NULL, (char *const *)arguments, environment);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    if (!failed) {
        run->out = out[0];
        run->errors = errors[0];
        out[0] = errors[0] = -1;
    }
    close_pipe(out);
    close_pipe(errors);
    return failed;
}

/* Keeps the begin of what perf says; the rest is read, so that perf does not wait. False: it ended. */
static bool read_errors(struct perf_run *run)
{
    const size_t room = ERRORS_BYTES - run->said_bytes;
    const ssize_t n = room ? read(run->errors, run->said + run->said_bytes, room)
                           : read(run->errors, run->piece, sizeof run->piece);
    run->said_bytes += room && n > 0 ? (size_t)n : 0;
    return n > 0 || (n < 0 && errno == EINTR);
}

/* 1; 0: it ended; or an error. */
static int read_out(struct perf_run *run, struct td_err *err)
{
    const ssize_t n = read(run->out, run->piece, sizeof run->piece);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    run->has_printed = true;
    const int bad = td_perf_script_feed(run->script, run->piece, (size_t)n, err);
    return bad ? bad : 1;
}

static int read_run(struct perf_run *run, const struct td_progress *progress, struct td_err *err)
{
    int has_out = 1, has_errors = 1;
    while (has_out || has_errors) {
        struct pollfd polled[] = {{has_out ? run->out : -1, POLLIN, 0},
                                  {has_errors ? run->errors : -1, POLLIN, 0}};
        if (poll(polled, 2, WAIT_MS) < 0 && errno != EINTR)
            return td_fail(err, TD_E_IO, "cannot read what perf prints: %s", strerror(errno));
        if (progress->step && progress->step(progress->self, 0, 0))
            return td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
        if (has_errors && polled[1].revents)
            has_errors = read_errors(run);
        if (has_out && polled[0].revents)
            has_out = read_out(run, err);
        if (has_out < 0)
            return has_out;
    }
    return 0;
}

/* The last line that perf has said. */
static const char *last_line(struct perf_run *run)
{
    while (run->said_bytes && run->said[run->said_bytes - 1] <= ' ')
        run->said_bytes--;
    run->said[run->said_bytes] = 0;
    const char *newline = strrchr(run->said, '\n');
    return newline ? newline + 1 : run->said;
}

/* Ends perf, whose pipes are closed here. True: it had no error. */
static bool end_perf(struct perf_run *run)
{
    int status;
    close(run->out);
    close(run->errors);
    while (waitpid(run->pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* *ok: perf had no error. */
static int run_perf(struct perf_run *run, bool with_fields, const struct td_progress *progress, bool *ok,
                    struct td_err *err)
{
    const char *const arguments[] = {"perf",
                                     "script",
                                     "--ns",
                                     "--no-inline",
                                     "-i",
                                     run->file,
                                     with_fields ? "-F" : NULL,
                                     FIELDS,
                                     "--show-switch-events",
                                     "--show-lost-events",
                                     NULL};
    run->said_bytes = 0;
    const int failed = spawn_perf(arguments, run);
    if (failed)
        return fail_without_perf(run->file, strerror(failed), err);
    const int bad = read_run(run, progress, err);
    *ok = end_perf(run);
    return bad;
}

/* Where a recording has not all of the fields, perf refuses: then it prints those that it has. */
static int read_perf_data(void *self, const char *file, const struct td_progress *progress, bool *cut,
                          struct td_err *err)
{
    struct perf_run *run = calloc(1, sizeof *run);
    bool ok = false;
    if (!run)
        return td_fail_no_memory(err, "to read what perf prints");
    run->script = self;
    run->file = file;
    int bad = run_perf(run, true, progress, &ok, err);
    if (!bad && !ok && !run->has_printed)
        bad = run_perf(run, false, progress, &ok, err);
    if (!bad && !ok && !run->has_printed)
        bad = td_fail(err, TD_E_FORMAT, "perf cannot read it: %s", last_line(run));
    bool ends;
    bad = bad ? bad : td_perf_script_end(self, &ends, err);
    *cut = !ok;
    free(run);
    return bad;
}

/* Bytes without a file: from a pipe, or packed. */
static int feed_perf_data(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT,
                   "perf reads its recordings from files only; write this one to a file, unpacked");
}

const struct td_importer td_import_perf_data = {
    .name = "a recording of perf",
    .about = "It is a file perf.data, which perf itself reads; so it must be installed.",
    .begins = begins_perf_data,
    .create = td_perf_script_create,
    .destroy = td_perf_script_destroy,
    .read = read_perf_data,
    .feed = feed_perf_data,
    .end_file = td_perf_script_end,
    .counts = td_perf_script_counts,
};
