/* tendril-watch: a client of Tracy for programs that have none. It observes a process, with those that it starts,
 * or the whole machine, and serves what it sees to one recorder, which starts it:
 *
 *   tendril-watch [--pid PID [--children] [--name NAME]] [--report FD]
 *
 * It writes one line to FD: "port N" when it listens and collects, or "error WHY" before it ends. It ends when the
 * process or the session has ended, or the recorder. Environment variables of the client (docs/client.md) apply. */
#include "host/base/debug_log.h"
#include "host/base/err.h"
#include "host/client/collect/collect.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/observed.h"
#include "host/client/platform/session_state.h"
#include "host/client/queue/names.h"
#include "host/client/session/session.h"
#include "host/client/watch/images.h"
#include "host/client/watch/processes.h"
#include "host/client/watch/rights.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS   100
#define LISTEN_MS 5000

/* The client starts when main() has told it what to observe. */
extern const int td_client_switch_TRACY_MANUAL_LIFETIME;
const int td_client_switch_TRACY_MANUAL_LIFETIME = 1;

struct watch {
    int pid; /* negative: the whole machine */
    bool children;
    const char *name; /* of the session's program, or its path; NULL: that of the process */
    int report;
};

static struct td_observed observed = {.watches = td_processes_is_watched,
                                      .address = td_processes_address,
                                      .news = td_processes_news,
                                      .thread_name = td_processes_thread_name,
                                      .process = td_processes_of,
                                      .open = td_images_open,
                                      .origin = td_images_origin};

/* Settings that would keep the client from serving its recorder. */
static void set_settings(void)
{
    static const char *const settings[][2] = {
        {"TRACY_ON_DEMAND", "0"},        {"TRACY_NO_EXIT", "0"},
        {"TRACY_SAVE_NO_SEND", "0"},     {"TRACY_ONLY_LOCALHOST", "1"},
        {"TRACY_NO_BROADCAST", "1"},     {"TRACY_NO_SYSTEM_TRACING", "0"},
        {"TRACY_NO_CRASH_HANDLER", "1"}, {"TRACY_NO_SAMPLING", "0"},
        {"TRACY_NO_SYS_TRACE", "0"},     {"TRACY_SAMPLING_PROFILER_MANUAL_START", "0"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
    unsetenv("TENDRIL_SAVE");
    unsetenv("TENDRIL_RUN_DIR");
}

/* Each event on each processor is a descriptor, and each file with code. */
static void raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

__attribute__((format(printf, 2, 3))) static void report_line(struct watch *watch, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vdprintf(watch->report, format, args);
    va_end(args);
}

static int fail(struct watch *watch, const char *why)
{
    report_line(watch, "error %s\n", why);
    return 1;
}

/* Waits for the client's port; 0: it has none. */
static int wait_for_port(void)
{
    for (int ms = 0; ms < LISTEN_MS && !td_session_port() && td_session_state() <= TD_CLIENT_LISTENING; ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return td_session_port();
}

static void name_program(const struct watch *watch)
{
    char name[64];
    const char *slash = watch->name ? strrchr(watch->name, '/') : NULL;
    if (watch->name)
        td_client_set_program_name(slash ? slash + 1 : watch->name);
    else if (watch->pid > 0 && td_processes_of((uint32_t)watch->pid, name, sizeof name))
        td_client_set_program_name(name);
    else
        td_client_set_program_name("system");
}

/* Until the process has ended, or the session. */
static void wait_for_end(const struct watch *watch, int process)
{
    struct pollfd ended = {.fd = process, .events = POLLIN};
    while (td_session_state() != TD_CLIENT_OVER) {
        if (poll(&ended, 1, LOOK_MS) > 0)
            break;
        if (process < 0 && watch->pid > 0 && kill(watch->pid, 0) != 0 && errno == ESRCH)
            break;
    }
}

static const char *why_unsampled(const struct td_perf_report *missing)
{
    for (unsigned i = 0; i < missing->count; i++)
        if (missing->missing[i].kinds & TD_PERF_BIT(SAMPLE))
            return missing->missing[i].why;
    return "no memory for samples";
}

static int observe(struct watch *watch)
{
    struct td_perf_report missing;
    const int process = watch->pid > 0 ? (int)syscall(SYS_pidfd_open, watch->pid, 0) : -1;
    if (process < 0 && watch->pid > 0 && errno == ESRCH)
        return fail(watch, "there is no such process");
    td_processes_look(watch->pid > 0 ? (uint32_t)watch->pid : 0, watch->children);
    if (watch->pid > 0)
        td_processes_set_main((uint32_t)watch->pid);
    name_program(watch);
    td_observe(&observed);
    ___tracy_startup_profiler();
    const bool samples = td_collect_samples(&missing);
    const int port = samples ? wait_for_port() : 0;
    for (unsigned i = 0; samples && i < missing.count; i++)
        if (missing.missing[i].denied)
            fprintf(stderr, "tendril: %s\n", missing.missing[i].why);
    if (!port)
        return fail(watch, samples ? "no port is free for the samples" : why_unsampled(&missing));
    if (!td_watch_rights_only_serve())
        td_debug(collect, "no filter of system calls: the kernel or this build has none");
    report_line(watch, "port %d\n", port);
    if (watch->report != STDOUT_FILENO)
        close(watch->report);
    wait_for_end(watch, process);
    ___tracy_shutdown_profiler();
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"pid", required_argument, NULL, 'p'},
                                            {"children", no_argument, NULL, 'c'},
                                            {"name", required_argument, NULL, 'n'},
                                            {"report", required_argument, NULL, 'r'},
                                            {0}};
    struct watch watch = {.pid = -1, .report = STDOUT_FILENO};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        if (option == 'p')
            watch.pid = atoi(optarg);
        else if (option == 'r')
            watch.report = atoi(optarg);
        else if (option == 'n')
            watch.name = optarg;
        else if (option == 'c')
            watch.children = true;
        else
            return 2;
    }
    if (optind < argc || watch.pid == 0 || watch.pid < -1) {
        fprintf(stderr, "usage: tendril-watch [--pid PID [--children] [--name NAME]] [--report FD]\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    if (!td_watch_rights_keep_observing())
        td_debug(collect, "keeps all capabilities: the kernel refuses to give them up");
    set_settings();
    raise_limit();
    observed.pid = watch.pid;
    observed.children = watch.children;
    observed.since = (uint64_t)time(NULL);
    return observe(&watch);
}
