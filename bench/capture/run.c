#include "bench/capture/run.h"
#include "bench/report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SECONDS 240 /* for a run of the recorder or the program */

/* The socket stays open: so no other process is given the port, while a listener that reuses addresses, as
 * clients do, can bind it. */
static int take_port(int *fd)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int yes = 1;
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0 || setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(*fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(*fd, (struct sockaddr *)&at, &bytes) != 0)
        return -1;
    return ntohs(at.sin_port);
}

/* In the child. A child that hangs ends by the alarm. */
static void run_program(const char *const *argv, int out)
{
    int nowhere = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(MOST_SECONDS);
    dup2(nowhere, 0);
    dup2(out < 0 ? nowhere : out, 1);
    dup2(nowhere, 2);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* Starts the program and returns when its zones wait. */
static pid_t start_marks(const struct plan *plan, const char *marks, int port)
{
    char zones[24], threads[12], port_text[12], line[16] = "";
    int out[2];
    const char *const argv[] = {marks, zones, threads, plan->shape, NULL};
    snprintf(zones, sizeof zones, "%lu", plan->zones);
    snprintf(threads, sizeof threads, "%u", plan->threads);
    snprintf(port_text, sizeof port_text, "%d", port);
    if (pipe2(out, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TRACY_PORT", port_text, 1);
        setenv("TRACY_ONLY_LOCALHOST", "1", 1);
        setenv("TRACY_ONLY_IPV4", "1", 1);
        setenv("TRACY_NO_SYS_TRACE", "1", 1);
        setenv("TRACY_NO_EXIT", "1", 1);
        run_program(argv, out[1]);
    }
    close(out[1]);
    FILE *from = fdopen(out[0], "r");
    if (!from || !fgets(line, sizeof line, from) || strcmp(line, "ready\n")) {
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
        pid = -1;
    }
    if (from)
        fclose(from);
    return pid;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Waits for the process; its resources, if wanted. False: it failed. */
static int is_done_well(pid_t pid, struct rusage *used)
{
    int status;
    struct rusage own;
    while (wait4(pid, &status, 0, used ? used : &own) < 0)
        if (errno != EINTR)
            return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *run_capture(const struct plan *plan, const char *marks, const char *capture, const char *verb,
                        const char *trace, struct cost *cost)
{
    char port_text[12];
    const char *argv[12] = {capture}, **arg = argv + 1;
    int fd, port = take_port(&fd);
    pid_t program = port < 0 ? -1 : start_marks(plan, marks, port);
    if (program < 0) {
        close(fd);
        return "the marked program failed";
    }
    snprintf(port_text, sizeof port_text, "%d", port);
    if (verb)
        *arg++ = verb;
    const char *const rest[] = {"-a", "127.0.0.1", "-p", port_text, "-f", "-o", trace};
    memcpy(arg, rest, sizeof rest);
    struct rusage used;
    struct stat file;
    double began = wall_seconds();
    pid_t recorder = fork();
    if (recorder == 0)
        run_program(argv, -1);
    int ok = recorder > 0 && is_done_well(recorder, &used);
    double wall = wall_seconds() - began;
    if (!ok)
        kill(program, SIGKILL);
    ok = is_done_well(program, NULL) && ok && stat(trace, &file) == 0;
    close(fd);
    if (!ok)
        return "the capture failed";
    *cost = (struct cost){.cpu_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                          .user_seconds = seconds_of(used.ru_utime),
                          .wall_seconds = wall,
                          .peak_bytes = (double)used.ru_maxrss * 1024,
                          .file_bytes = (double)file.st_size};
    return NULL;
}
