#include "bench/client/side.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The socket stays open until the process ends: so no other process is given the port, while a listener that
 * reuses addresses, as clients do, can bind it. */
static int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0)
        return -1;
    return ntohs(at.sin_port);
}

/* In the child. Stock's client neither samples nor traces the kernel: ours does not, either. */
static void run_marks(const char *program, int port, const char *const *environment, int in, int out)
{
    char text[16];
    snprintf(text, sizeof text, "%d", port);
    setenv("TRACY_PORT", text, 1);
    setenv("TRACY_ONLY_LOCALHOST", "1", 1);
    setenv("TRACY_ONLY_IPV4", "1", 1);
    setenv("TRACY_NO_SYS_TRACE", "1", 1);
    for (; environment && *environment; environment++)
        putenv((char *)(uintptr_t)*environment);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, 0);
    dup2(out, 1);
    execl(program, program, (char *)NULL);
    _exit(127);
}

int side_start(struct side *side, const char *program, const char *const *environment)
{
    int in[2], out[2];
    *side = (struct side){.port = free_port()};
    if (side->port < 0 || pipe2(in, O_CLOEXEC) != 0)
        return -1;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return -1;
    }
    side->marks = fork();
    if (side->marks == 0)
        run_marks(program, side->port, environment, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    side->to = fdopen(in[1], "w");
    side->from = fdopen(out[0], "r");
    if (side->marks > 0 && side->to && side->from)
        return 0;
    side_end(side);
    return -1;
}

int side_record(struct side *side, const char *capture, const char *verb, const char *trace)
{
    char port[16];
    const char *argv[12] = {capture}, **arg = argv + 1;
    snprintf(port, sizeof port, "%d", side->port);
    if (verb)
        *arg++ = verb;
    const char *const rest[] = {"-a", "127.0.0.1", "-p", port, "-f", "-o", trace};
    memcpy(arg, rest, sizeof rest);
    side->capture = fork();
    if (side->capture == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(nowhere, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execv(capture, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    return side->capture > 0 && side_mark(side, "wait", 0, 0) >= 0 ? 0 : -1;
}

double side_mark(struct side *side, const char *kind, unsigned count, unsigned threads)
{
    char line[64];
    if (fprintf(side->to, "%s %u %u\n", kind, count, threads) < 0 || fflush(side->to) != 0 ||
        !fgets(line, sizeof line, side->from))
        return -1;
    return strtod(line, NULL);
}

double side_resident_bytes(const struct side *side)
{
    char path[64];
    unsigned long all, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)side->marks);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lu %lu", &all, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

double side_cpu_ns(const struct side *side)
{
    clockid_t clock;
    struct timespec t = {0};
    if (clock_getcpuclockid(side->marks, &clock) == 0)
        clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void end_process(pid_t *pid)
{
    if (*pid > 0) {
        kill(*pid, SIGKILL);
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    *pid = 0;
}

void side_end(struct side *side)
{
    end_process(&side->capture);
    end_process(&side->marks);
    if (side->to)
        fclose(side->to);
    if (side->from)
        fclose(side->from);
    side->to = side->from = NULL;
}
