/* What tendril-watch can still do after it has given up its rights. Each case is in a child, because rights do not come
 * back. */
#include "host/client/watch/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* A line of /proc/self/status, as a number of that base; 0: the kernel does not print it. */
static uint64_t status_line(const char *key, int base)
{
    char line[256];
    uint64_t value = 0;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            value = strtoull(line + strlen(key), NULL, base);
    if (f)
        fclose(f);
    return value;
}

/* The exit code of a child that runs it. */
static int in_child(int (*run)(void))
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(run());
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define WANT(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "wrong: %s\n", #condition);                                                      \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static int keeps_observing(void)
{
    const uint64_t observing = UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_PTRACE |
                               UINT64_C(1) << CAP_CHECKPOINT_RESTORE | UINT64_C(1) << CAP_DAC_READ_SEARCH |
                               UINT64_C(1) << CAP_SYSLOG | UINT64_C(1) << CAP_IPC_LOCK;
    const uint64_t before = status_line("CapPrm:", 16);
    WANT(td_watch_rights_keep_observing());
    WANT(status_line("NoNewPrivs:", 10) == 1);
    WANT(status_line("CapPrm:", 16) == (before & observing));
    WANT(status_line("CapEff:", 16) == (before & observing));
    WANT(status_line("CapInh:", 16) == 0);
    return 0;
}

static void *nothing(void *arg)
{
    return arg;
}

static bool refused(long rc)
{
    return rc < 0 && errno == EPERM;
}

#define NO_FILTER 77

static int serves_only(void)
{
    char *words[] = {"/bin/true", NULL}, byte = 0;
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event};
    struct iovec own = {&byte, 1};
    pthread_t thread;
    if (!td_watch_rights_only_serve())
        return NO_FILTER;
    WANT(refused(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0)));
    WANT(refused(socket(AF_INET, SOCK_STREAM, 0)));
    WANT(refused(open("/dev/null", O_WRONLY)));
    WANT(refused(open("/tmp", O_TMPFILE | O_RDWR, 0600)));
    WANT(refused(open("/tmp/tendril-no-such-file", O_CREAT | O_RDONLY, 0600)));
    WANT(refused(unlink("/tmp/tendril-no-such-file")));
    WANT(refused(execv(words[0], words)));
    WANT(refused(fork()));
    WANT(refused(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)));
    WANT(refused(process_vm_writev(getppid(), &own, 1, &own, 1, 0)));
    WANT(refused(kill(getppid(), SIGTERM)));
    WANT(kill(getppid(), 0) == 0);
    WANT(process_vm_readv(getpid(), &own, 1, &own, 1, 0) == 1);
    WANT(open("/proc/self/maps", O_RDONLY) >= 0);
    WANT(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
    void *big = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    WANT(big != MAP_FAILED && munmap(big, 1 << 20) == 0);
    return 0;
}

static atomic_int filtered, tried;

static void *tries_later(void *arg)
{
    while (!atomic_load(&filtered))
        usleep(1000);
    atomic_store(&tried, refused(socket(AF_INET, SOCK_STREAM, 0)) ? 1 : 2);
    return arg;
}

static int binds_threads_that_run(void)
{
    pthread_t thread;
    WANT(pthread_create(&thread, NULL, tries_later, NULL) == 0);
    const bool has_filter = td_watch_rights_only_serve();
    atomic_store(&filtered, 1);
    WANT(pthread_join(thread, NULL) == 0);
    WANT(!has_filter || atomic_load(&tried) == 1);
    return has_filter ? 0 : NO_FILTER;
}

static void keeps_only_capabilities_to_observe(void **state)
{
    (void)state;
    assert_int_equal(in_child(keeps_observing), 0);
}

static void check_filter(int code)
{
    if (code == NO_FILTER) {
        print_message("skipped: the kernel or this build has no filters of system calls\n");
        skip();
    }
    assert_int_equal(code, 0);
}

static void writes_starts_and_changes_nothing(void **state)
{
    (void)state;
    check_filter(in_child(serves_only));
}

static void binds_all_its_threads(void **state)
{
    (void)state;
    check_filter(in_child(binds_threads_that_run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_only_capabilities_to_observe),
        cmocka_unit_test(writes_starts_and_changes_nothing),
        cmocka_unit_test(binds_all_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
