/* Start and end of the client, and the names that it gives to the program and its threads. */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/client.h"
#include "host/client/include/tendril/client.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct thread_name {
    struct thread_name *next;
    uint32_t thread;
    int32_t group_hint;
    char text[];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread_name *names;
static char program[64];
static int64_t begin_ticks;
static uint64_t epoch;
static atomic_int started, forked;

int td_client_option(const char *name, int otherwise)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    long value = strtol(text, &end, 10);
    return *end || value < 0 || value > 1000000000 ? otherwise : (int)value;
}

static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    atomic_store(&forked, 1);
    td_queue_forked();
    td_session_forked();
}

static void start(void)
{
    td_clock_init();
    begin_ticks = (int64_t)td_host_ticks();
    epoch = (uint64_t)time(NULL);
    pthread_atfork(NULL, NULL, in_child);
    if (td_session_start() != 0) {
        td_queue_mute();
        return;
    }
    if (!td_client_option("TENDRIL_NO_CRASH_HANDLER", 0))
        td_crash_install();
    atomic_store(&started, 1);
}

void td_client_start(void)
{
    pthread_once(&once, start);
}

int td_client_wait_connected(int ms)
{
    td_client_start();
    int64_t end = td_mono_ns() + (int64_t)ms * 1000000;
    while (td_session_state() < TD_CLIENT_CONNECTED && td_mono_ns() < end)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return td_session_state() == TD_CLIENT_CONNECTED;
}

/* The program is linked against the client because it has markers: start before main. */
__attribute__((constructor)) static void at_start(void)
{
    td_client_start();
    int wait_ms = td_client_option("TENDRIL_WAIT_CONNECT_MS", 0);
    if (wait_ms)
        td_client_wait_connected(wait_ms);
}

/* Runs behind main's return, exit handlers and static objects' destructors, which may still have markers. */
__attribute__((destructor(101))) static void at_end(void)
{
    ___tracy_shutdown_profiler();
}

void ___tracy_startup_profiler(void)
{
    td_client_start();
}

void ___tracy_shutdown_profiler(void)
{
    if (atomic_load(&forked) || !atomic_exchange(&started, 0))
        return;
    td_session_end();
    td_queue_mute();
}

int ___tracy_profiler_started(void)
{
    return atomic_load(&started);
}

int ___tracy_connected(void)
{
    return td_session_state() == TD_CLIENT_CONNECTED;
}

int td_client_port(void)
{
    return td_session_port();
}

int64_t td_client_begin_ticks(void)
{
    return begin_ticks;
}

uint64_t td_client_epoch(void)
{
    return epoch;
}

void td_client_set_program_name(const char *name)
{
    pthread_mutex_lock(&lock);
    snprintf(program, sizeof program, "%s", name);
    pthread_mutex_unlock(&lock);
}

void td_client_program_name(char *name, size_t room)
{
    pthread_mutex_lock(&lock);
    snprintf(name, room, "%s", program[0] ? program : program_invocation_short_name);
    pthread_mutex_unlock(&lock);
}

static struct thread_name *find(uint32_t thread)
{
    struct thread_name *name = names;
    while (name && name->thread != thread)
        name = name->next;
    return name;
}

/* Puts a name in front of older ones of the same id: the youngest counts. */
static void remember(uint32_t thread, const char *text, int32_t group_hint)
{
    size_t bytes = strlen(text) + 1;
    struct thread_name *name = malloc(sizeof *name + bytes);
    if (!name)
        return;
    name->thread = thread;
    name->group_hint = group_hint;
    memcpy(name->text, text, bytes);
    pthread_mutex_lock(&lock);
    name->next = names;
    names = name;
    pthread_mutex_unlock(&lock);
}

void td_client_set_thread_name(const char *name, int32_t group_hint)
{
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    char short_name[16];
    snprintf(short_name, sizeof short_name, "%s", name);
    if (thread != (uint32_t)getpid())
        pthread_setname_np(pthread_self(), short_name);
    remember(thread, name, group_hint);
}

void ___tracy_set_thread_name(const char *name)
{
    td_client_set_thread_name(name, 0);
}

/* The system's name of a thread of this process; 0 if it has ended. */
static int system_name(uint32_t thread, char *name, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, name, room - 1);
    close(fd);
    if (n <= 0)
        return 0;
    name[n - (name[n - 1] == '\n')] = 0;
    return 1;
}

void td_client_thread_ends(uint32_t thread)
{
    pthread_mutex_lock(&lock);
    int known = find(thread) != NULL;
    pthread_mutex_unlock(&lock);
    char name[32];
    if (!known && thread && system_name(thread, name, sizeof name))
        remember(thread, name, 0);
}

int32_t td_client_thread_name(uint32_t thread, char *name, size_t room)
{
    int32_t hint = 0;
    pthread_mutex_lock(&lock);
    const struct thread_name *known = find(thread);
    if (thread == (uint32_t)getpid())
        snprintf(name, room, "Main thread");
    else if (known)
        snprintf(name, room, "%s", known->text);
    if (known)
        hint = known->group_hint;
    pthread_mutex_unlock(&lock);
    if (!known && thread != (uint32_t)getpid() && !system_name(thread, name, room))
        snprintf(name, room, "%u", thread);
    return hint;
}
