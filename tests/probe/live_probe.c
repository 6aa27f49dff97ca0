#include "tests/probe/live_probe.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

void live_probe_start(struct live_probe *p, const char *bar, const char *serve)
{
    int ends[2];
    char line[400] = "";
    assert_int_equal(pipe(ends), 0);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl(TD_BINARY_DIR "/bin/tendril", "tendril", "probe", "--board", bar, "--serve", serve,
              (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    p->out = ends[0];
    /* "probe of BOARD at WHERE" */
    for (size_t n = 0; n < sizeof line - 1 && !strchr(line, '\n'); n++)
        if (read(p->out, line + n, 1) != 1)
            fail_msg("tendril probe ended early: %s", line);
    const char *at = strstr(line, " at ");
    assert_non_null(at);
    snprintf(p->where, sizeof p->where, "%.*s", (int)strcspn(at + 4, "\n"), at + 4);
}

int live_probe_stop(struct live_probe *p, int with_signal)
{
    int status = 0;
    if (p->pid) {
        kill(p->pid, with_signal);
        waitpid(p->pid, &status, 0);
        close(p->out);
    }
    p->pid = 0;
    return status;
}

static unsigned draw(unsigned *seed, unsigned below)
{
    return (unsigned)rand_r(seed) % below;
}

/* Copies the bytes that can be read, with damage. Returns 0 when that end has closed the connection. */
static int carry(struct bad_way *way, int from, int to, unsigned *seed)
{
    uint8_t in[4096], out[2 * sizeof in];
    size_t n = 0;
    ssize_t got = read(from, in, sizeof in);
    if (got <= 0)
        return 0;
    for (ssize_t i = 0; i < got; i++) {
        out[n++] = in[i];
        if (draw(seed, 1000000) >= way->per_million)
            continue;
        way->damaged++;
        switch (draw(seed, 3)) {
        case 0:
            out[n - 1] ^= (uint8_t)(1u << draw(seed, 8));
            break;
        case 1:
            n--;
            break;
        default:
            out[n] = out[n - 1];
            n++;
        }
    }
    for (size_t done = 0; done < n;) {
        ssize_t w = send(to, out + done, n - done, MSG_NOSIGNAL);
        if (w <= 0)
            return 0;
        done += (size_t)w;
    }
    return 1;
}

static void carry_both(struct bad_way *way, int a, int b)
{
    unsigned seed = 7;
    struct pollfd p[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    int on = 1;
    while (on && !__atomic_load_n(&way->stop, __ATOMIC_SEQ_CST)) {
        if (poll(p, 2, 50) <= 0)
            continue;
        if (p[0].revents)
            on = carry(way, a, b, &seed);
        if (on && p[1].revents)
            on = carry(way, b, a, &seed);
    }
}

static int connect_unix(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static void *run_way(void *self)
{
    struct bad_way *way = self;
    while (!__atomic_load_n(&way->stop, __ATOMIC_SEQ_CST)) {
        struct pollfd p = {way->listening, POLLIN, 0};
        if (poll(&p, 1, 50) <= 0)
            continue;
        int a = accept(way->listening, NULL, NULL), b = connect_unix(way->to);
        if (a >= 0 && b >= 0)
            carry_both(way, a, b);
        if (a >= 0)
            close(a);
        if (b >= 0)
            close(b);
    }
    return NULL;
}

void bad_way_start(struct bad_way *way, const char *unix_where, unsigned per_million)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memset(way, 0, sizeof *way);
    way->per_million = per_million;
    snprintf(way->to, sizeof way->to, "%s", unix_where + strlen("unix:"));
    snprintf(at.sun_path, sizeof at.sun_path, "%.90s.bad", way->to);
    snprintf(way->where, sizeof way->where, "unix:%s", at.sun_path);
    way->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(at.sun_path);
    assert_int_equal(bind(way->listening, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(way->listening, 1), 0);
    assert_int_equal(pthread_create(&way->thread, NULL, run_way, way), 0);
}

void bad_way_stop(struct bad_way *way)
{
    __atomic_store_n(&way->stop, 1, __ATOMIC_SEQ_CST);
    pthread_join(way->thread, NULL);
    close(way->listening);
    unlink(way->where + strlen("unix:"));
}
