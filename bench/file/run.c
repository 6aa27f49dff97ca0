#include "bench/file/run.h"
#include "bench/report.h"

#include <ctype.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Everything that comes, so that the program does not wait; the first of it is kept. */
static void drain(int fd, char *text, size_t room)
{
    char more[65536];
    size_t have = 0;
    ssize_t n;
    while ((n = read(fd, more, sizeof more)) > 0) {
        size_t take = (size_t)n < room - 1 - have ? (size_t)n : room - 1 - have;
        memcpy(text + have, more, take);
        have += take;
    }
    text[have] = 0;
}

static pid_t start(const char *const *argv, int output)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ))
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

struct run run_program(const char *const *argv)
{
    struct run run = {.seconds = -1};
    struct rusage usage;
    char text[1024];
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return run;
    double before = wall_seconds();
    pid_t pid = start(argv, ends[1]);
    close(ends[1]);
    if (pid > 0) {
        drain(ends[0], text, sizeof text);
        if (wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) && !WEXITSTATUS(status)) {
            run.seconds = wall_seconds() - before;
            run.peak_bytes = (double)usage.ru_maxrss * 1024;
            const char *digit = text;
            while (*digit && !isdigit((unsigned char)*digit))
                digit++;
            run.number = strtoull(digit, NULL, 10);
        }
    }
    close(ends[0]);
    return run;
}

void run_keep(struct run *best, struct run run)
{
    if (best->seconds <= 0 || run.seconds < 0) {
        *best = run;
        return;
    }
    best->seconds = run.seconds < best->seconds ? run.seconds : best->seconds;
    best->peak_bytes = run.peak_bytes < best->peak_bytes ? run.peak_bytes : best->peak_bytes;
    best->number = run.number;
}

double file_bytes(const char *path)
{
    struct stat s;
    return stat(path, &s) < 0 ? -1 : (double)s.st_size;
}
