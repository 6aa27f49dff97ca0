#include "tests/client/run_marked.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The socket stays open: no other process gets the port. A listener that reuses addresses, as clients do, can
 * have it. */
int free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0)
        abort();
    return ntohs(at.sin_port);
}

int dial_client(int port, int ms)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int64_t until = td_mono_ms() + ms; td_mono_ms() < until; poll(NULL, 0, 5)) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
            return fd;
        close(fd);
    }
    fprintf(stderr, "no process listens on port %d\n", port);
    abort();
}

pid_t start_marked(const char *mode, int port, int *stdin_fd, const char *const *environment)
{
    return start_program("client_marked", mode, port, stdin_fd, environment);
}

pid_t start_program(const char *program, const char *mode, int port, int *stdin_fd,
                    const char *const *environment)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        char text[16], path[sizeof TD_BINARY_DIR + 64];
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no process running */
        snprintf(text, sizeof text, "%d", port);
        snprintf(path, sizeof path, TD_BINARY_DIR "/tests/%s", program);
        setenv("TRACY_PORT", text, 1);
        for (; environment && *environment; environment++)
            putenv((char *)(uintptr_t)*environment);
        dup2(ends[0], 0);
        execl(path, program, mode, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (stdin_fd)
        *stdin_fd = ends[1];
    else
        close(ends[1]);
    return pid;
}

pid_t start_denied(const char *calls, const char *mode, int port, int *stdin_fd)
{
    char denied[256];
    snprintf(denied, sizeof denied, "TD_DENIED=%s", calls);
    const char *const environment[] = {"LD_PRELOAD=" TD_BINARY_DIR "/tests/client_denied.so", denied,
                                       "ASAN_OPTIONS=verify_asan_link_order=0", NULL};
    return start_marked(mode, port, stdin_fd, environment);
}

int wait_marked(pid_t pid, int ms)
{
    int status;
    for (int64_t until = td_mono_ms() + ms; td_mono_ms() < until; poll(NULL, 0, 5))
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return -1;
}

int collect(struct td_hub *hub, int port, struct td_client_counts *counts, struct td_err *err)
{
    return collect_watched(hub, port, NULL, NULL, counts, err);
}

int collect_watched(struct td_hub *hub, int port, void (*look)(void *self, struct td_client_counts counts),
                    void *self, struct td_client_counts *counts, struct td_err *err)
{
    td_clock_init();
    struct td_client_source_config config = {.port = port,
                                             .connect_ms = 60000,
                                             .protocol = 69, /* values come as numbers, as yet */
                                             .hub = hub,
                                             .own_clock = 1};
    struct td_client_source *source = td_client_source_create(&config, err);
    if (!source)
        return err->code;
    int going;
    while ((going = td_client_source_pump(source, err)) == 1) {
        if (look)
            look(self, td_client_source_counts(source));
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        poll(&fd, 1, td_client_source_wait_ms(source));
    }
    *counts = td_client_source_counts(source);
    td_client_source_destroy(source);
    return going;
}

int run_marked(const char *mode, struct td_hub *hub, struct td_client_counts *counts, int *status,
               struct td_err *err)
{
    static const char *const environment[] = {"TENDRIL_WAIT_CONNECT_MS=60000", NULL};
    int port = free_port();
    pid_t pid = start_marked(mode, port, NULL, environment);
    int going = collect(hub, port, counts, err);
    *status = wait_marked(pid, 60000);
    return going;
}
