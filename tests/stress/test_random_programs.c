/* Random programs (random_program.c) under recorders of all kinds: every time, name, text and parent in the trace is what
 * was marked, or its misuse is reported. Usage: test_stress_random_programs [FIRST COUNT]: seeds; without arguments a
 * few. */
#include "host/agent/client/client_source.h"
#include "host/agent/client/saved_session.h"
#include "host/base/clock.h"
#include "host/file/file.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include "tests/stress/random_program.h"
#include "tests/stress/trace_checks.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEW 60

static struct random_log *shared;

static int port_for_client(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0)
        abort();
    close(fd);
    return ntohs(at.sin_port);
}

static pid_t start_program(unsigned seed, enum random_how how, int port, const char *save)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    char text[16];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(text, sizeof text, "%d", port);
    setenv("TRACY_PORT", text, 1);
    setenv("TRACY_NO_SYSTEM_TRACING", "1", 1);
    setenv("TRACY_NO_SAMPLING", "1", 1);
    setenv("TRACY_NO_CODE_TRANSFER", "1", 1);
    setenv("TRACY_NO_BROADCAST", "1", 1);
    if (how == RANDOM_SAVED)
        setenv("TENDRIL_SAVE", save, 1);
    if (how == RANDOM_LATE)
        setenv("TRACY_NO_EXIT", "1", 1);
    if (how == RANDOM_TWICE)
        setenv("TRACY_ON_DEMAND", "1", 1);
    random_program_run(shared, seed, how);
    _exit(4);
}

/* ---- recordings ---- */

struct recording {
    struct td_dict *dict;
    struct td_hub *hub;
    struct td_trace *trace;
    struct td_err err;
};

static void begin_recording(struct recording *r)
{
    *r = (struct recording){.dict = td_dict_create()};
    r->hub = td_hub_create(r->dict);
    r->trace = td_trace_create(r->dict);
    if (!r->trace || td_hub_add_sink(r->hub, td_trace_sink(r->trace)) != 0)
        abort();
}

static void end_recording(struct recording *r)
{
    td_trace_destroy(r->trace);
    td_hub_destroy(r->hub);
}

static int read_saved(struct recording *r, const char *path)
{
    static uint8_t bytes[1 << 22];
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    unlink(path);
    struct td_saved_session *session = td_saved_session_create(r->hub);
    int rc = td_saved_session_feed(session, bytes, count, &r->err);
    rc = rc ? rc : td_saved_session_close(session, &r->err);
    td_saved_session_destroy(session);
    return rc;
}

/* Records until the session is over or, with `phase`, until the program waits for that phase. */
static int record(struct recording *r, int port, int phase)
{
    struct td_client_source_config config = {
        .port = port, .connect_ms = 20000, .protocol = 82, .hub = r->hub, .own_clock = 1};
    struct td_client_source *source = td_client_source_create(&config, &r->err);
    if (!source)
        return -1;
    bool asked = false;
    int going;
    while ((going = td_client_source_pump(source, &r->err)) == 1) {
        if (td_client_source_get_state(source) == TD_SOURCE_STREAM && !shared->phase)
            __atomic_store_n(&shared->phase, 1, __ATOMIC_RELEASE);
        if (phase && !asked && __atomic_load_n(&shared->phase, __ATOMIC_ACQUIRE) >= phase) {
            td_client_source_ask_end(source);
            asked = true;
        }
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        int ms = td_client_source_wait_ms(source);
        poll(&fd, 1, ms < 0 || ms > 5 ? 5 : ms);
    }
    td_client_source_destroy(source);
    return going;
}

/* The second recorder of a program on demand; the program continues once it is connected. */
static int record_again(struct recording *r, int port)
{
    struct td_client_source_config config = {
        .port = port, .connect_ms = 20000, .protocol = 82, .hub = r->hub, .own_clock = 1};
    struct td_client_source *source = td_client_source_create(&config, &r->err);
    int going = source ? 1 : -1;
    while (going == 1 && (going = td_client_source_pump(source, &r->err)) == 1) {
        if (td_client_source_get_state(source) == TD_SOURCE_STREAM)
            __atomic_store_n(&shared->phase, 3, __ATOMIC_RELEASE);
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        int ms = td_client_source_wait_ms(source);
        poll(&fd, 1, ms < 0 || ms > 5 ? 5 : ms);
    }
    td_client_source_destroy(source);
    return going;
}

/* The trace as it is recorded, and as it is read from its file. */
static bool check_recording(struct recording *r, bool is_part)
{
    struct td_err err = {0};
    struct td_trace *read = NULL;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/tendril-random-%d.tracy", (int)getpid());
    if (td_trace_finish(r->trace, &err) < 0 || !check_trace(r->trace, shared, is_part))
        return false;
    bool ok = td_file_write(r->trace, path, NULL, &err) == 0 && td_file_read(path, &read, &err) == 0;
    unlink(path);
    if (!ok)
        printf("  %s\n", err.text);
    ok = ok && check_trace(read, shared, is_part);
    td_trace_destroy(read);
    return ok;
}

static bool run_seed(unsigned seed)
{
    const enum random_how how = seed % 5 < 3 ? RANDOM_SAVED : (enum random_how)(1 + seed / 5 % 4);
    char save[64];
    struct recording r, again;
    int status, rc = 0;
    memset(shared, 0, sizeof *shared);
    snprintf(save, sizeof save, "/dev/shm/tendril-random-%d", (int)getpid());
    const int port = how == RANDOM_SAVED ? 1 : port_for_client();
    begin_recording(&r);
    begin_recording(&again);
    pid_t pid = start_program(seed, how, port, save);
    if (how != RANDOM_SAVED)
        rc = record(&r, port, how == RANDOM_TWICE ? 2 : 0);
    if (rc == 0 && how == RANDOM_TWICE)
        rc = record_again(&again, port);
    if (waitpid(pid, &status, 0) != pid)
        abort();
    if (how == RANDOM_SAVED)
        rc = read_saved(&r, save);
    const bool killed = how == RANDOM_KILLED, part = how == RANDOM_TWICE || killed;
    bool ok = killed || (rc == 0 && status == 0);
    if (!ok)
        printf("session ended with %d (%s), program with %x\n", rc, r.err.text, (unsigned)status);
    ok = ok && check_recording(&r, part) && (how != RANDOM_TWICE || check_recording(&again, part));
    if (!ok)
        printf("seed %u failed (recorder %d)\n", seed, (int)how);
    end_recording(&r);
    end_recording(&again);
    return ok;
}

int main(int argc, char **argv)
{
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1,
                   count = argc > 2 ? (unsigned)atoi(argv[2]) : FEW;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    td_clock_init();
    unsigned failed = 0;
    for (unsigned seed = first; seed < first + count && failed < 10; seed++)
        failed += !run_seed(seed);
    printf("%u programs, %u failed\n", count, failed);
    return failed != 0;
}
