/* How late events reach a viewer of a recording: this program marks messages, `tendril capture --serve` collects them,
 * and a viewer in another thread, which speaks the protocol of a stock release, notes when each one arrives.
 * serve_latency_ms is what 95 of 100 messages do not exceed: the worst one depends on what else the machine does.
 * Usage: serve [--json] [--quick] */
#include "bench/report.h"
#include "host/base/clock.h"
#include "host/base/compare.h"
#include "host/base/free_port.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"
#include "tracy/TracyC.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES_MAX 400
#define PAUSE_US     7300 /* between messages; no multiple of the server's steps */
#define LIMIT_MS     100
#define WAIT_MS      10000
#define PREFIX       "latency "
#define OWN_PORT     "BENCH_SERVE_PORT"

struct viewer {
    const struct td_wire_release *release;
    int port, fd;
    pthread_t thread;
    int ready;                        /* atomic: welcomed */
    int64_t arrived_ns[MESSAGES_MAX]; /* atomic; 0: not yet */
    char text[64];
};

extern char **environ;

/* ---- the viewer ---- */

static int dial(int port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int64_t until_ms = td_mono_ms() + WAIT_MS; td_mono_ms() < until_ms; usleep(20000)) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

static int read_all(int fd, uint8_t *to, size_t bytes)
{
    while (bytes) {
        ssize_t n = read(fd, to, bytes);
        if (n <= 0)
            return -1;
        to += n;
        bytes -= (size_t)n;
    }
    return 0;
}

static void take_item(struct viewer *v, const struct td_wire_view *item)
{
    if (item->item == TD_ITEM_SingleStringData) {
        size_t bytes = item->bytes < sizeof v->text ? item->bytes : sizeof v->text - 1;
        memcpy(v->text, item->data, bytes);
        v->text[bytes] = 0;
    } else if (item->item == TD_ITEM_Message && !strncmp(v->text, PREFIX, strlen(PREFIX))) {
        unsigned long number = strtoul(v->text + strlen(PREFIX), NULL, 10);
        if (number < MESSAGES_MAX)
            __atomic_store_n(&v->arrived_ns[number], td_mono_ns(), __ATOMIC_RELEASE);
    }
}

static void take_frames(struct viewer *v, struct td_unpacker *unpacker)
{
    const uint8_t *frame;
    struct td_err err = {0};
    int bytes;
    while ((bytes = td_unpacker_next(unpacker, &frame, &err)) > 0) {
        struct td_wire_view item;
        size_t at = 0;
        while (td_wire_next(v->release, frame, (size_t)bytes, &at, &item, &err) == 1)
            take_item(v, &item);
    }
}

static void *view(void *self)
{
    struct viewer *v = self;
    uint8_t hello[TD_WIRE_HELLO_BYTES], welcome[2048];
    struct td_unpacker *unpacker = td_unpacker_create();
    v->fd = dial(v->port);
    td_wire_put_hello(hello, v->release->protocol);
    if (!unpacker || v->fd < 0 || write(v->fd, hello, sizeof hello) != sizeof hello ||
        read_all(v->fd, welcome, 1 + v->release->welcome_bytes) < 0)
        return NULL;
    __atomic_store_n(&v->ready, 1, __ATOMIC_RELEASE);
    for (;;) {
        uint8_t *at;
        size_t room = td_unpacker_room(unpacker, &at);
        ssize_t n = read(v->fd, at, room);
        if (n <= 0)
            break;
        td_unpacker_fed(unpacker, (size_t)n);
        take_frames(v, unpacker);
    }
    td_unpacker_destroy(unpacker);
    return NULL;
}

/* ---- the recorder ---- */

static pid_t start_capture(int from, int serve, const char *trace)
{
    char from_text[16], serve_text[16];
    pid_t pid;
    snprintf(from_text, sizeof from_text, "%d", from);
    snprintf(serve_text, sizeof serve_text, "%d", serve);
    char *arguments[] = {TD_BINARY_DIR "/bin/tendril",
                         "capture",
                         "-f",
                         "-q",
                         "-o",
                         (char *)trace,
                         "-p",
                         from_text,
                         "--serve",
                         serve_text,
                         "--no-sources",
                         NULL};
    return posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) == 0 ? pid : -1;
}

TD_COMPARE_NUMBERS(compare, double)

/* Marks the messages and waits until the viewer has them. Returns their number. */
static int mark(struct viewer *v, int count, double *late_ms)
{
    int64_t marked_ns[MESSAGES_MAX];
    for (int i = 0; i < count; i++) {
        char text[32];
        int n = snprintf(text, sizeof text, PREFIX "%d", i);
        marked_ns[i] = td_mono_ns();
        TracyCMessage(text, (size_t)n);
        usleep(PAUSE_US);
    }
    int arrived = 0;
    for (int i = 0; i < count; i++) {
        int64_t ns = 0;
        for (int64_t until_ms = td_mono_ms() + WAIT_MS; !ns && td_mono_ms() < until_ms; usleep(1000))
            ns = __atomic_load_n(&v->arrived_ns[i], __ATOMIC_ACQUIRE);
        if (!ns)
            break;
        late_ms[arrived++] = (double)(ns - marked_ns[i]) / 1e6;
    }
    return arrived;
}

static void measure(struct report *r, struct viewer *v, int count)
{
    static double late_ms[MESSAGES_MAX];
    for (int64_t until_ms = td_mono_ms() + WAIT_MS; td_mono_ms() < until_ms; usleep(1000))
        if (__atomic_load_n(&v->ready, __ATOMIC_ACQUIRE))
            break;
    int arrived = mark(v, count, late_ms);
    if (arrived < count) {
        report_failure(r, "messages that were marked", "the viewer did not get all of them");
        return;
    }
    qsort(late_ms, (size_t)count, sizeof *late_ms, compare);
    report(r, "serve_latency_median_ms", "ms", late_ms[count / 2], NAN, NAN);
    report_most(r, "serve_latency_ms", "ms", late_ms[count * 95 / 100], NAN, LIMIT_MS);
    report(r, "serve_latency_worst_ms", "ms", late_ms[count - 1], NAN, NAN);
}

int main(int argc, char **argv)
{
    static struct viewer v;
    struct report r = {.program = "serve"};
    char trace[] = "/tmp/bench_serve_XXXXXX", port[16];
    const char *own_port = getenv(OWN_PORT);
    int kept, count = MESSAGES_MAX, from = own_port ? atoi(own_port) : td_free_port(&kept);
    if (!own_port && from) { /* the client reads its settings when the program starts, which closes `kept` */
        snprintf(port, sizeof port, "%d", from);
        setenv("TRACY_PORT", port, 1);
        setenv(OWN_PORT, port, 1);
        execv("/proc/self/exe", argv);
        return 1;
    }
    int file = mkstemp(trace);
    for (int i = 1; i < argc; i++) {
        r.json |= !strcmp(argv[i], "--json");
        count = !strcmp(argv[i], "--quick") ? 50 : count;
    }
    v.release = &td_wire_82;
    v.port = td_free_port(&kept);
    signal(SIGPIPE, SIG_IGN);
    if (from <= 0 || !v.port || file < 0)
        return 1;
    TracyCMessageL("the client listens");
    report_head(&r);
    pid_t capture = start_capture(from, v.port, trace);
    if (capture < 0 || pthread_create(&v.thread, NULL, view, &v) != 0)
        return 1;
    measure(&r, &v, count);
    shutdown(v.fd, SHUT_RDWR);
    pthread_join(v.thread, NULL);
    kill(capture, SIGINT);
    waitpid(capture, NULL, 0);
    close(file);
    unlink(trace);
    return r.failed;
}
