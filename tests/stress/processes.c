/* A program that treats its process badly. Usage: stress_processes MODE [LIBRARY]. test_processes.c counts
 * the markers of each mode. */
#include "tendril/locks.h"
#include "tests/client/forked.h"
#include "tests/stress/plugin.h"
#include "tracy/TracyC.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIFE_S 200 /* ends a program that hangs */

static atomic_int over, begun;
static atomic_uint rounds; /* of mark_on() */

static void mark(int count)
{
    for (int i = 0; i < count; i++) {
        TracyCZoneN(zone, "counted", 1);
        TracyCZoneEnd(zone);
    }
}

static void *mark_many(void *count)
{
    mark((int)(intptr_t)count);
    return NULL;
}

static void *mark_on(void *nothing)
{
    TracyCMessageL("begins"); /* with what a first marker needs */
    atomic_fetch_add(&begun, 1);
    while (!atomic_load(&over)) {
        TracyCZoneN(zone, "on and on", 1);
        TracyCAlloc(&zone, 1);
        TracyCFree(&zone);
        TracyCZoneEnd(zone);
        atomic_fetch_add(&rounds, 1);
        usleep(20);
    }
    return NULL;
}

/* Waits until a whole round has been marked. */
static void wait_for_a_round(void)
{
    for (unsigned before = atomic_load(&rounds); atomic_load(&rounds) - before < 5;)
        usleep(1000);
}

static void in_threads(int count, void *(*body)(void *), intptr_t argument)
{
    static pthread_t threads[1100];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 18);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], &small, body, (void *)argument) != 0)
            abort();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* ---- fork ---- */

/* Waits until all threads have started: a lock that the sanitizer holds for a starting thread would stay
 * locked in a child. */
static void settle(int threads)
{
#if defined(__SANITIZE_ADDRESS__)
    while (atomic_load(&begun) < threads || !td_client_port())
        usleep(1000);
#endif
}

static pid_t fork_one(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        is_child = 1;
        alarm(LIFE_S);
    }
    return pid;
}

static void on_signal(int number)
{
    TracyCZoneN(zone, "in a handler", 1);
    TracyCMessageL("signal");
    TracyCAlloc(&zone, 1);
    TracyCFree(&zone);
    TracyCZoneEnd(zone);
}

static void start_signals(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 100000}, {0, 100000}};
    timer_t timer;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0)
        abort();
}

/* Calls the functions that have their own locks. */
static void use_all_locks(void)
{
    td_mutex locked;
    char name[32];
    td_client_parameter_register(NULL, NULL);
    td_client_source_register(NULL, NULL);
    td_client_set_program_name("forking");
    td_client_thread_name(td_client_thread_id(), name, sizeof name);
    td_mutex_init(&locked, NULL);
    td_mutex_destroy(&locked);
}

static void *use_all_locks_on(void *nothing)
{
    atomic_fetch_add(&begun, 1);
    while (!atomic_load(&over))
        use_all_locks();
    return NULL;
}

/* In a separate thread, since this lock is held only briefly. */
static void *register_on(void *nothing)
{
    atomic_fetch_add(&begun, 1);
    while (!atomic_load(&over))
        td_client_parameter_register(NULL, NULL);
    return NULL;
}

/* forks: children of a program whose threads and handlers mark and set all the time. */
static void *fork_children(void *nothing)
{
    settle(5);
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork_one();
        if (pid == 0) {
            mark(10);
            TracyCFrameMark;
            use_all_locks();
            if (i % 2)
                exit(0);
            _exit(0);
        }
        int status;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (status)
            exit(9);
        mark(100);
    }
    return NULL;
}

static void forks(void)
{
    static void *(*const what[])(void *) = {mark_on,          mark_on,     mark_on,
                                            use_all_locks_on, register_on, fork_children};
    pthread_t threads[6];
    start_signals();
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, what[i], NULL);
    pthread_join(threads[5], NULL);
    atomic_store(&over, 1);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
}

/* child: a forked child with its own session, at the port in $CHILD_PORT. */
static void child(void)
{
    mark(10);
    settle(0);
    pid_t pid = fork_one();
    if (pid == 0) {
        setenv("TRACY_PORT", getenv("CHILD_PORT"), 1);
        ___tracy_startup_profiler();
        if (!td_client_wait_connected(20000))
            _exit(1);
        mark(25);
        exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    mark(10);
    exit(WEXITSTATUS(status));
}

/* ---- libraries ---- */

/* plugins: a library with markers is loaded and unloaded during the recording. */
static void plugins(const char *path)
{
    for (int i = 0; i < 20; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        void (*plugin)(int, int) = NULL;
        if (library)
            *(void **)&plugin = dlsym(library, "plugin_mark");
        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            exit(1);
        }
        plugin(100, i % 2 ? 8 : 0);
        dlclose(library);
    }
}

/* ---- threads ---- */

static pthread_barrier_t barrier;

static void *mark_together(void *count)
{
    pthread_barrier_wait(&barrier);
    mark((int)(intptr_t)count);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *mark_and_be_cancelled(void *nothing)
{
    mark(50);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return NULL;
}

static void *mark_and_exit(void *nothing)
{
    mark(50);
    pthread_exit(NULL);
}

/* thousand: 1000 threads at once, then many short-lived ones, which end in three ways. */
static void thousand(void)
{
    pthread_barrier_init(&barrier, NULL, 1000);
    in_threads(1000, mark_together, 100);
    for (int i = 0; i < 10; i++) {
        in_threads(100, mark_many, 50);
        in_threads(100, mark_and_exit, 0);
        in_threads(100, mark_and_be_cancelled, 0);
    }
}

static TracyCLockCtx lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *use_lock(void *nothing)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 10; i++) {
        TracyCLockBeforeLock(lock);
        pthread_mutex_lock(&mutex);
        TracyCLockAfterLock(lock);
        TracyCLockMark(lock);
        TracyCLockAfterUnlock(lock);
        pthread_mutex_unlock(&mutex);
    }
    mark(10);
    pthread_barrier_wait(&barrier);
    return NULL;
}

/* crowd: 200 threads use one lock; a trace has room for 64. */
static void crowd(void)
{
    TracyCLockAnnounce(lock);
    TracyCLockCustomName(lock, "crowded", 7);
    pthread_barrier_init(&barrier, NULL, 200);
    in_threads(200, use_lock, 0);
    TracyCLockTerminate(lock);
}

/* ---- ends ---- */

static void *end_from_here(void *how)
{
    mark(100);
    if (how)
        quick_exit(0);
    exit(0);
}

/* A thread ends the program while others mark. */
static void end_from_thread(int how)
{
    pthread_t threads[4];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, mark_on, NULL);
    wait_for_a_round();
    pthread_create(&threads[3], NULL, end_from_here, (void *)(intptr_t)how);
    pause();
}

/* ---- starts ---- */

static int entries(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

/* The least number in many readings: a joined thread may still be listed for a moment. */
static int least_entries(const char *folder, int enough, int looks)
{
    int least = entries(folder);
    for (int i = 0; i < looks && least > enough; i++) {
        usleep(1000);
        int now = entries(folder);
        least = now < least ? now : least;
    }
    return least;
}

/* lifetimes: the client is started and ended again and again while threads mark. */
static void lifetimes(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, mark_on, NULL);
    int files = 0, tasks = 0;
    for (int i = 0; i < 100; i++) {
        ___tracy_startup_profiler();
        mark(100);
        ___tracy_shutdown_profiler();
        mark(1);
        if (i == 10) {
            files = entries("/proc/self/fd");
            tasks = least_entries("/proc/self/task", 0, 300);
        }
    }
    if (entries("/proc/self/fd") != files || least_entries("/proc/self/task", tasks, 20000) != tasks)
        exit(5);
    atomic_store(&over, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* lives: the client runs twice, each time recorded. Markers between the runs belong to no session. */
static void lives(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, mark_on, NULL);
    for (int i = 0; i < 2; i++) {
        ___tracy_startup_profiler();
        mark(50);
        if (!td_client_wait_connected(20000))
            exit(6);
        mark(50);
        wait_for_a_round();
        ___tracy_shutdown_profiler();
        mark(1000);
    }
    atomic_store(&over, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* together: the first markers of eight threads at once (TRACY_DELAYED_INIT). */
static void together(void)
{
    pthread_barrier_init(&barrier, NULL, 8);
    in_threads(8, mark_together, 1000);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    alarm(LIFE_S);
    if (!strcmp(mode, "forks"))
        forks();
    else if (!strcmp(mode, "child"))
        child();
    else if (!strcmp(mode, "plugins") && argc > 2)
        plugins(argv[2]);
    else if (!strcmp(mode, "thousand"))
        thousand();
    else if (!strcmp(mode, "crowd"))
        crowd();
    else if (!strcmp(mode, "exit"))
        end_from_thread(0);
    else if (!strcmp(mode, "quick_exit"))
        end_from_thread(1);
    else if (!strcmp(mode, "lifetimes"))
        lifetimes();
    else if (!strcmp(mode, "lives"))
        lives();
    else if (!strcmp(mode, "together"))
        together();
    else
        return 2;
    return 0;
}
