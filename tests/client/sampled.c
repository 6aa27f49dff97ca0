/* Spends known shares of its processor time in known functions, waits for a lock in a known place, and counts its
 * own switches. Says what it did on standard output. */
#include <tracy/TracyC.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static int64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline __attribute__((always_inline)) void inlined_work(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        sink = sink * 7 + i;
}

#define WORK(name, turns)                                                                                    \
    static __attribute__((noinline)) int64_t name(void)                                                      \
    {                                                                                                        \
        const int64_t begin = thread_ns();                                                                   \
        inlined_work(turns);                                                                                 \
        return thread_ns() - begin;                                                                          \
    }
WORK(spends_much, 650000)
WORK(spends_some, 220000)
WORK(spends_little, 130000)

static void shares(int ms)
{
    int64_t much = 0, some = 0, little = 0;
    while (much + some + little < ms * INT64_C(1000000)) {
        much += spends_much();
        some += spends_some();
        little += spends_little();
    }
    printf("spends_much %lld\nspends_some %lld\nspends_little %lld\n", (long long)much, (long long)some,
           (long long)little);
}

/* ---- the lock ---- */

static pthread_mutex_t planted_lock = PTHREAD_MUTEX_INITIALIZER;

/* The C library has no frame pointers: the kernel misses its direct caller. */
static __attribute__((noinline)) void lock_and_unlock(void)
{
    pthread_mutex_lock(&planted_lock);
    pthread_mutex_unlock(&planted_lock);
    sink = 1;
}

static __attribute__((noinline)) void waits_for_the_planted_lock(void)
{
    lock_and_unlock();
    sink = 2;
}

static void *wait_for_lock(void *nothing)
{
    printf("waiter %ld\n", syscall(SYS_gettid));
    for (int i = 0; i < 20; i++) {
        waits_for_the_planted_lock();
        nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    return nothing;
}

static void hold_lock(void)
{
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_lock, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&planted_lock);
        nanosleep(&(struct timespec){0, 3000000}, NULL);
        pthread_mutex_unlock(&planted_lock);
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    pthread_join(waiter, NULL);
}

/* ---- switches ---- */

static void run_on(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* How often this thread gave its processor up, by the kernel's count. */
static long voluntary_switches(void)
{
    char path[64], line[256];
    long count = -1;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "voluntary_ctxt_switches:", 24))
            count = strtol(line + 24, NULL, 10);
    if (f)
        fclose(f);
    return count;
}

static void *sleep_often(void *nothing)
{
    run_on(sched_getcpu());
    for (int i = 0; i < 300; i++)
        nanosleep(&(struct timespec){0, 200000}, NULL);
    const long sleeps = voluntary_switches();
    TracyCMessageL("has slept"); /* it may sleep again at its end */
    printf("sleeper %ld\nsleeps %ld\n", syscall(SYS_gettid), sleeps);
    return nothing;
}

/* ---- threads that wait for each other ---- */

#define WORK_NS 3000000 /* of a turn, on a processor */
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn; /* 0: of the main thread, 1: of the worker */

static void wait_for_turn(int whose)
{
    pthread_mutex_lock(&turn_lock);
    while (turn != whose)
        pthread_cond_wait(&turn_changed, &turn_lock);
    pthread_mutex_unlock(&turn_lock);
}

/* The other thread is woken when the lock is free, so that it waits once. */
static void give_turn(int to)
{
    pthread_mutex_lock(&turn_lock);
    turn = to;
    pthread_mutex_unlock(&turn_lock);
    pthread_cond_signal(&turn_changed);
}

static int64_t work_a_turn(void)
{
    const int64_t begin = thread_ns();
    while (thread_ns() - begin < WORK_NS)
        inlined_work(1000);
    return thread_ns() - begin;
}

static void *take_turns(void *count)
{
    int64_t worked_ns = 0;
    for (int i = 0; i < *(const int *)count; i++) {
        wait_for_turn(1);
        worked_ns += work_a_turn();
        give_turn(0);
    }
    printf("worker %ld\nworked %lld\n", syscall(SYS_gettid), (long long)worked_ns);
    return NULL;
}

/* The main thread waits while the worker works, again and again. */
static void answer_in_turns(int count)
{
    pthread_t worker;
    pthread_create(&worker, NULL, take_turns, &count);
    for (int i = 0; i < count; i++) {
        work_a_turn();
        give_turn(1);
        wait_for_turn(0);
    }
    pthread_join(worker, NULL);
    printf("main %ld\n", syscall(SYS_gettid));
}

/* ---- threads and descriptors ---- */

#define AT_ONCE 300
#define SOME    50 /* that follow each other without waiting */
static pthread_barrier_t all_are_there, all_may_end;

static void *end_at_once(void *nothing)
{
    TracyCZoneN(zone, "short thread", 1);
    TracyCZoneEnd(zone);
    return nothing;
}

static void *wait_for_all(void *nothing)
{
    end_at_once(nothing);
    pthread_barrier_wait(&all_are_there);
    pthread_barrier_wait(&all_may_end);
    return nothing;
}

static void start_at_once(pthread_t threads[AT_ONCE])
{
    pthread_barrier_init(&all_are_there, NULL, AT_ONCE + 1);
    pthread_barrier_init(&all_may_end, NULL, AT_ONCE + 1);
    for (int i = 0; i < AT_ONCE; i++)
        if (pthread_create(&threads[i], NULL, wait_for_all, NULL) != 0)
            exit(1);
    pthread_barrier_wait(&all_are_there);
}

static void end_all(const pthread_t threads[AT_ONCE])
{
    pthread_barrier_wait(&all_may_end);
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
}

/* Those whose target contains `what`. The client keeps a few files open of which it needs symbols; events, sockets
 * and pipes are what it could leak for each thread. */
static int open_descriptors(const char *what)
{
    char path[64], target[4096];
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        const ssize_t bytes = readlink(path, target, sizeof target - 1);
        target[bytes > 0 ? bytes : 0] = 0;
        count += bytes > 0 && strstr(target, what) != NULL;
    }
    return count;
}

/* The events that a child still has. */
static int events_in_fork(void)
{
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
            pthread_join(thread, NULL);
        _exit(open_descriptors("perf_event") > 100 ? 100 : open_descriptors("perf_event"));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void many_threads(int count)
{
    static const char *const kinds[] = {"anon_inode:", "socket:", "pipe:", "/"};
    pthread_t threads[AT_ONCE];
    int before[4], in_forks = 0;
    for (int k = 0; k < 4; k++)
        before[k] = open_descriptors(kinds[k]);
    for (int begun = 0; begun < count;) {
        int some = 0;
        for (; some < SOME && begun < count; some++, begun++)
            if (pthread_create(&threads[some], NULL, end_at_once, NULL) != 0)
                exit(1);
        while (some)
            pthread_join(threads[--some], NULL);
    }
    start_at_once(threads);
    for (int i = 0; i < 20; i++)
        in_forks |= events_in_fork();
    end_all(threads);
    int more = 0;
    for (int k = 0; k < 3; k++)
        more += open_descriptors(kinds[k]) - before[k];
    printf("descriptors %d\nin_forks %d\nfiles %d\nat_once %d\n", more, in_forks,
           open_descriptors(kinds[3]) - before[3], AT_ONCE);
}

/* How many files the program can still open once all its threads are sampled. */
static void few_descriptors(void)
{
    pthread_t threads[AT_ONCE];
    int fds[1024], count = 0;
    start_at_once(threads);
    printf("began %d\n", TracyCBeginSamplingProfiling());
    while (count < 1024 && (fds[count] = dup(STDOUT_FILENO)) >= 0)
        count++;
    printf("left %d\n", count);
    while (count)
        close(fds[--count]);
    end_all(threads);
}

/* ---- losses ---- */

/* Two processes that answer each other: each answer is a switch. */
static void answer_each_other(int times)
{
    int there[2], back[2];
    char byte = 0;
    if (pipe(there) != 0 || pipe(back) != 0)
        _exit(1);
    const pid_t other = fork();
    if (other < 0)
        _exit(1);
    for (int i = 0; i < times; i++)
        if (other ? write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1
                  : read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
            _exit(1);
    if (!other)
        _exit(0);
    waitpid(other, NULL, 0);
}

/* This process, and so its client, is stopped while the machine switches more often than a ring has room for. */
static void be_stopped(int times)
{
    const int cpu = sched_getcpu();
    const pid_t child = fork();
    run_on(cpu);
    if (!child) {
        kill(getppid(), SIGSTOP);
        answer_each_other(times);
        kill(getppid(), SIGCONT);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    /* The kernel reports losses of a ring with the next record in it. */
    for (int i = 0; i < 40; i++)
        nanosleep(&(struct timespec){0, 5000000}, NULL);
}

/* ---- code that is made at run time ---- */

/* A function that counts down, of which perf-PID.map has a line, as compilers write it. */
static void run_made_code(int ms, bool named)
{
#ifdef __x86_64__
    static const unsigned char code[] = {0x89, 0xf8, 0x83, 0xe8, 0x01, 0x75, 0xfb, 0xc3};
#else /* AArch64: subs w0, w0, #1; b.ne; ret */
    static const uint32_t code[] = {0x71000400, 0x54ffffe1, 0xd65f03c0};
#endif
    char path[64];
    unsigned char *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *map = named ? fopen(path, "w") : NULL;
    if (page == MAP_FAILED || (named && !map))
        exit(1);
    memcpy(page + 64, code, sizeof code);
    __builtin___clear_cache((char *)page, (char *)page + 4096);
    void (*const made)(int) = (void (*)(int))(uintptr_t)(page + 64);
    if (map) {
        fprintf(map, "%llx %zx Lmade;::at run time(int)\n", (unsigned long long)(uintptr_t)(page + 64),
                sizeof code);
        fclose(map);
    }
    for (const int64_t until = thread_ns() + ms * INT64_C(1000000); thread_ns() < until;)
        made(100000);
    if (map)
        unlink(path);
}

int main(int argc, char **argv)
{
    pthread_t sleeper;
    const char *what = argc > 1 ? argv[1] : "all";
    const int count = argc > 2 ? atoi(argv[2]) : 300;
    TracyCZoneN(zone, "the program", 1);
    if (!strcmp(what, "manual"))
        printf("began %d\n", TracyCBeginSamplingProfiling());
    if (!strcmp(what, "threads")) {
        many_threads(count);
    } else if (!strcmp(what, "turns")) {
        answer_in_turns(count);
    } else if (!strcmp(what, "few")) {
        few_descriptors();
    } else if (!strcmp(what, "jit") || !strcmp(what, "nameless")) {
        run_made_code(count, what[0] == 'j');
    } else if (!strcmp(what, "stopped")) {
        be_stopped(count);
    } else {
        shares(count);
        hold_lock();
        pthread_create(&sleeper, NULL, sleep_often, NULL);
        pthread_join(sleeper, NULL);
    }
    if (!strcmp(what, "manual")) {
        TracyCEndSamplingProfiling();
    }
    TracyCZoneEnd(zone);
    return 0;
}
