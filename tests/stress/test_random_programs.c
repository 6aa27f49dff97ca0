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
#include <fcntl.h>
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

static struct random_log *shared; /* two */

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
    if (how == RANDOM_LATE || how == RANDOM_TENDRIL)
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
static int record_session(struct recording *r, int port, int phase)
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
static bool check_recording(struct recording *r, const struct random_log *log, const struct random_log *since,
                            enum check_how how)
{
    struct td_err err = {0};
    struct td_trace *read = NULL;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/tendril-random-%d.tracy", (int)getpid());
    if (td_trace_finish(r->trace, &err) < 0 || !check_trace(r->trace, log, since, how))
        return false;
    bool ok = td_file_write(r->trace, path, NULL, &err) == 0 && td_file_read(path, &read, &err) == 0;
    unlink(path);
    if (!ok)
        printf("  %s\n", err.text);
    ok = ok && check_trace(read, log, since, how);
    td_trace_destroy(read);
    return ok;
}

static void wait_for_steps(int steps)
{
    for (int i = 0; __atomic_load_n(&shared->steps, __ATOMIC_ACQUIRE) < steps && !shared->done && i < 20000;
         i++)
        poll(NULL, 0, 1);
}

static bool run_recorded(unsigned seed, enum random_how how)
{
    char save[64];
    struct recording r, again;
    int status, rc = 0;
    snprintf(save, sizeof save, "/dev/shm/tendril-random-%d", (int)getpid());
    const int port = how == RANDOM_SAVED ? 1 : port_for_client();
    begin_recording(&r);
    begin_recording(&again);
    pid_t pid = start_program(seed, how, port, save);
    if (how == RANDOM_LATE)
        wait_for_steps((int)(seed % 97));
    if (how != RANDOM_SAVED)
        rc = record_session(&r, port, how == RANDOM_TWICE ? 2 : 0);
    if (rc == 0 && how == RANDOM_TWICE)
        rc = record_again(&again, port);
    if (waitpid(pid, &status, 0) != pid)
        abort();
    if (how == RANDOM_SAVED)
        rc = read_saved(&r, save);
    const bool killed = how == RANDOM_KILLED, twice = how == RANDOM_TWICE;
    bool ok = killed || (rc == 0 && status == 0);
    if (!ok)
        printf("session ended with %d (%s), program with %x\n", rc, r.err.text, (unsigned)status);
    ok = ok && check_recording(&r, &shared[twice], NULL, killed ? CHECK_PART : CHECK_ALL) &&
         (!twice || check_recording(&again, &shared[0], &shared[1], CHECK_ALL));
    end_recording(&r);
    end_recording(&again);
    return ok;
}

/* ---- recorded by the command ---- */

/* Starts `tendril` with these words (NULL: the last); what it prints goes to a file. */
static pid_t start_tendril(const char *out, const char *const *words)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    const char *build = getenv("TD_BINARY_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/bin/tendril", build ? build : TD_BINARY_DIR);
    int fd = open(out, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
        _exit(5);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(path, (char *const *)words);
    _exit(6);
}

static void print_file(const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        printf("  tendril: %s", line);
    if (file)
        fclose(file);
}

static bool check_file(const char *path, enum check_how how)
{
    struct td_err err = {0};
    struct td_trace *read = NULL;
    if (td_file_read(path, &read, &err) != 0)
        printf("  %s\n", err.text);
    bool ok = read && check_trace(read, shared, NULL, how);
    td_trace_destroy(read);
    return ok;
}

/* The program is in the middle and the recorder has had time for all, or for a part, of what it sent. */
static enum check_how wait_for_crash(unsigned seed)
{
    const bool all = seed % 4 == 0;
    for (int i = 0; __atomic_load_n(&shared->phase, __ATOMIC_ACQUIRE) < 2 && i < 20000; i++)
        poll(NULL, 0, 1);
    poll(NULL, 0, all ? 1500 : (int)(seed % 199)); /* a journal is written once a second */
    return all ? CHECK_BEGINS : CHECK_PART;
}

static bool run_command(unsigned seed, enum random_how how)
{
    char trace[64], out[64], journal[80], address[32];
    snprintf(trace, sizeof trace, "/dev/shm/tendril-random-%d.tracy", (int)getpid());
    snprintf(journal, sizeof journal, "%s.journal", trace);
    snprintf(out, sizeof out, "/dev/shm/tendril-random-%d.out", (int)getpid());
    const int port = port_for_client();
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    pid_t pid = start_program(seed, how, port, NULL);
    int status, recorded;
    if (how == RANDOM_TENDRIL)
        wait_for_steps((int)(seed % 97));
    const char *const record[] = {"tendril", "record", "-q", "-b", "none", "-a", address, "-o", trace, NULL},
                      *const capture[] = {"tendril", "capture", "-q", "-p", strchr(address, ':') + 1,
                                          "-o",      trace,     NULL},
                      *const recover[] = {"tendril", "recover", "-q", trace, NULL};
    pid_t recorder = start_tendril(out, how == RANDOM_CRASHED ? capture : record);
    enum check_how checked = CHECK_ALL;
    if (how == RANDOM_CRASHED) {
        checked = wait_for_crash(seed);
        kill(recorder, SIGKILL);
        kill(pid, SIGKILL);
    }
    if (waitpid(recorder, &recorded, 0) != recorder || waitpid(pid, &status, 0) != pid)
        abort();
    bool ok = how == RANDOM_CRASHED || (status == 0 && recorded == 0);
    if (how == RANDOM_CRASHED && access(journal, F_OK) == 0) {
        recorder = start_tendril(out, recover);
        ok = waitpid(recorder, &recorded, 0) == recorder && (recorded == 0 || checked == CHECK_PART);
    }
    if (!ok)
        printf("tendril ended with %x, program with %x\n", (unsigned)recorded, (unsigned)status);
    ok = ok && ((access(trace, F_OK) != 0 && checked == CHECK_PART) || check_file(trace, checked));
    if (!ok)
        print_file(out);
    unlink(out);
    unlink(trace);
    unlink(journal);
    return ok;
}

static bool run_seed(unsigned seed)
{
    const enum random_how how =
        seed % 5 < 3 ? RANDOM_SAVED : (enum random_how)(1 + seed / 5 % (RANDOM_HOWS - 1));
    memset(shared, 0, 2 * sizeof *shared);
    const bool ok = how < RANDOM_TENDRIL ? run_recorded(seed, how) : run_command(seed, how);
    if (!ok)
        printf("seed %u failed (recorder %d)\n", seed, (int)how);
    return ok;
}

int main(int argc, char **argv)
{
    const unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1,
                   count = argc > 2 ? (unsigned)atoi(argv[2]) : FEW;
    setvbuf(stdout, NULL, _IOLBF, 0);
    shared = mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    td_clock_init();
    unsigned failed = 0;
    for (unsigned seed = first; seed < first + count && failed < 10; seed++)
        failed += !run_seed(seed);
    printf("%u programs, %u failed\n", count, failed);
    return failed != 0;
}
