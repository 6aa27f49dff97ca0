/* Only the resolver's thread uses the program's malloc() and the loader. If it hangs there (a crashed
 * thread may hold their locks), the session's thread answers from symbol tables, with plain_files. */
#include "host/client/symbols/resolver.h"
#include "host/base/clock.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/queue.h"
#include "host/client/symbols/code_files.h"
#include "host/client/symbols/loader.h"

#include <stdbool.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#define QUEUE_MAX      16384 /* questions, and addresses that may be asked about */
#define KEPT_MAX       16384 /* answers to addresses that were sent and not asked about yet */
#define LATE_MS        10000 /* for one address */
#define HURRY_MS       6000  /* the same at the program's end, which waits */
#define STUCK_MS       1000  /* the same for a thread that makes no progress: it may wait for this very end */
#define END_WAIT_MS    3000  /* for the thread's end */
#define UNLOAD_WAIT_MS 500   /* the same when the client is unloaded; then it is fetched from the loader */
#define GONE_WAIT_MS   30000 /* for its end after that: its code is about to be unmapped */

struct code_lookup {
    struct code_lookup *next;
    enum td_code_question question;
    int ahead; /* not asked yet: the answer is kept */
    uint64_t address;
    const struct td_code_map *map;
    struct td_code *code;
};
struct code_lookup_queue {
    struct code_lookup *first, **last;
    unsigned count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pthread_t thread;
    pthread_cond_t work;
    int running, stop, close_files;
    uintptr_t life; /* number of the current thread: an earlier one may have hung and come back */
    struct code_lookup_queue to_do, done;
    struct code_lookup *now;   /* the thread's current question; NULL: none, or answered without it */
    int64_t busy_ms;           /* since when it works on it; 0: it waits */
    int late;                  /* the thread was given up on for this address */
    int64_t used_ns, moved_ms; /* its processor time, and when that last grew */
    unsigned pending;          /* questions without an answer */
    struct td_code **kept;     /* an open table of 2 * KEPT_MAX places */
    unsigned kept_count;
} resolver = {.work = PTHREAD_COND_INITIALIZER};
static struct td_code_files plain_files; /* the session's thread's; the resolver has its own */

static atomic_int unloads; /* td_resolver_unloads() */

static __thread sigjmp_buf *rescue __attribute__((tls_model("initial-exec")));

/* ---- queues; all under the lock ---- */

static void push_lookup(struct code_lookup_queue *queue, struct code_lookup *job)
{
    if (!queue->last)
        queue->last = &queue->first;
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
    queue->count++;
}

static struct code_lookup *pop_lookup(struct code_lookup_queue *queue)
{
    struct code_lookup *job = queue->first;
    if (!job)
        return NULL;
    queue->first = job->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->count--;
    return job;
}

static void drop_lookup(struct code_lookup *job)
{
    td_pool_free(job->code);
    td_pool_free(job);
}

static struct td_code **kept_place(uint64_t address, const struct td_code_map *map)
{
    size_t i = (size_t)((address + (uintptr_t)map) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % (2 * KEPT_MAX);
    while (resolver.kept[i] && (resolver.kept[i]->address != address || resolver.kept[i]->map != map))
        i = (i + 1) % (2 * KEPT_MAX);
    return &resolver.kept[i];
}

static const struct td_code *find_kept(uint64_t address, const struct td_code_map *map)
{
    return resolver.kept ? *kept_place(address, map) : NULL;
}

static void keep_code(struct td_code *code)
{
    if (!resolver.kept && (resolver.kept = td_pool_alloc(2 * KEPT_MAX * sizeof *resolver.kept)))
        memset(resolver.kept, 0, 2 * KEPT_MAX * sizeof *resolver.kept);
    struct td_code **place = resolver.kept && code ? kept_place(code->address, code->map) : NULL;
    if (!place || *place || resolver.kept_count == KEPT_MAX) {
        td_pool_free(code);
        return;
    }
    *place = code;
    resolver.kept_count++;
}

/* ---- the thread ---- */

void td_resolver_rescue(void)
{
    if (rescue)
        siglongjmp(*rescue, 1);
}

/* All signals but those after which td_resolver_rescue() is called. */
static void most_signals(sigset_t *most)
{
    sigfillset(most);
    sigdelset(most, SIGSEGV);
    sigdelset(most, SIGBUS);
}

static struct td_code *look_up(struct td_code_files *files, const struct code_lookup *job)
{
    sigjmp_buf out;
    if (sigsetjmp(out, 0) != 0) { /* keeping the mask would be a system call for each look-up */
        sigset_t most;
        most_signals(&most);
        pthread_sigmask(SIG_SETMASK, &most, NULL);
        rescue = NULL;
        td_code_files_spoil(files);
        return td_code_find(files, job->question, job->address, job->map);
    }
    rescue = &out;
    struct td_code *code = td_code_find(files, job->question, job->address, job->map);
    rescue = NULL;
    return code;
}

/* Without the lock. */
static void work_on(struct td_code_files *files, struct code_lookup *job, uintptr_t life)
{
    struct td_code *code = look_up(files, job);
    pthread_mutex_lock(&lock);
    job->code = code;
    if (resolver.life != life) {
        drop_lookup(job);
        pthread_mutex_unlock(&lock);
        return;
    }
    resolver.busy_ms = 0;
    resolver.late = 0;
    if (!resolver.now) { /* answered without the thread, or forgotten */
        drop_lookup(job);
    } else if (job->ahead) {
        keep_code(code);
        td_pool_free(job);
    } else {
        push_lookup(&resolver.done, job);
    }
    resolver.now = NULL;
    pthread_mutex_unlock(&lock);
}

static void *resolver_main(void *which)
{
    struct td_code_files files = {.debug = 1};
    uintptr_t life = (uintptr_t)which;
    td_queue_mute_thread();
    td_signals_stay_blocked();
    pthread_setname_np(pthread_self(), "tendril symbols");
    pthread_mutex_lock(&lock);
    while (!resolver.stop && resolver.life == life) {
        struct code_lookup *job = resolver.close_files ? NULL : pop_lookup(&resolver.to_do);
        if (!job && !resolver.close_files) {
            pthread_cond_wait(&resolver.work, &lock);
            continue;
        }
        resolver.now = job;
        resolver.busy_ms = td_mono_ms();
        int closing = resolver.close_files;
        resolver.close_files = 0;
        pthread_mutex_unlock(&lock);
        if (closing)
            td_code_files_close(&files);
        else
            work_on(&files, job, life);
        pthread_mutex_lock(&lock);
        if (resolver.life == life)
            resolver.busy_ms = 0;
    }
    pthread_mutex_unlock(&lock);
    td_code_files_close(&files);
    return NULL;
}

static void start_locked(void)
{
    if (resolver.running)
        return;
    sigset_t most, before;
    most_signals(&most);
    resolver.stop = resolver.late = 0;
    resolver.busy_ms = 0;
    resolver.life++;
    pthread_sigmask(SIG_SETMASK, &most, &before);
    resolver.running = pthread_create(&resolver.thread, NULL, resolver_main, (void *)resolver.life) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the session ---- */

static void post_lookup(enum td_code_question question, uint64_t address, const struct td_code_map *map,
                        int ahead)
{
    struct code_lookup *job = td_pool_alloc(sizeof *job);
    if (!job)
        return; /* the peer gets no answer */
    *job = (struct code_lookup){.question = question, .address = address, .map = map, .ahead = ahead};
    resolver.pending += !ahead;
    push_lookup(&resolver.to_do, job);
    start_locked();
    pthread_cond_signal(&resolver.work);
}

void td_resolver_saw(uint64_t address, const struct td_code_map *map)
{
    pthread_mutex_lock(&lock);
    if (map && resolver.to_do.count < QUEUE_MAX && resolver.kept_count < KEPT_MAX && !find_kept(address, map))
        post_lookup(TD_CODE_FRAME, address, map, 1);
    pthread_mutex_unlock(&lock);
}

bool td_resolver_has_room(void)
{
    pthread_mutex_lock(&lock);
    int room = resolver.pending < QUEUE_MAX;
    pthread_mutex_unlock(&lock);
    return room;
}

void td_resolver_ask(enum td_code_question question, uint64_t address, const struct td_code_map *map)
{
    pthread_mutex_lock(&lock);
    post_lookup(question, address, map, 0);
    pthread_mutex_unlock(&lock);
}

unsigned td_resolver_pending(void)
{
    pthread_mutex_lock(&lock);
    unsigned pending = resolver.pending;
    pthread_mutex_unlock(&lock);
    return pending;
}

/* Whether the thread made progress lately. Reading debug information uses processor time; waiting for a
 * lock that is never released uses none. */
static bool is_progressing(int64_t now)
{
    clockid_t clock;
    struct timespec used;
    if (pthread_getcpuclockid(resolver.thread, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    const int64_t used_ns = used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
    if (used_ns != resolver.used_ns)
        resolver.moved_ms = now;
    resolver.used_ns = used_ns;
    return now - resolver.moved_ms <= STUCK_MS;
}

static bool is_late(int hurry)
{
    if (!resolver.running || resolver.late || !resolver.busy_ms)
        return 0;
    const int64_t now = td_mono_ms(), ms = now - resolver.busy_ms;
    return ms > (hurry ? HURRY_MS : LATE_MS) || (hurry && ms > STUCK_MS && !is_progressing(now));
}

/* A question that the thread does not answer in time, its current one included; NULL: there is none. */
static struct code_lookup *take_late(int hurry)
{
    if (is_late(hurry)) {
        resolver.late = 1;
        struct code_lookup *now = resolver.now,
                           *copied = now && !now->ahead ? td_pool_alloc(sizeof *copied) : NULL;
        resolver.now = NULL;
        if (copied) {
            *copied = *now;
            return copied;
        }
    }
    struct code_lookup *job = NULL;
    while ((resolver.late || !resolver.running) && (job = pop_lookup(&resolver.to_do)) && job->ahead)
        drop_lookup(job);
    return job;
}

bool td_resolver_next(enum td_code_question *question, struct td_code **code, int hurry)
{
    pthread_mutex_lock(&lock);
    struct code_lookup *job = pop_lookup(&resolver.done);
    if (!job && resolver.pending)
        job = take_late(hurry || atomic_load(&unloads));
    if (job)
        resolver.pending--;
    pthread_mutex_unlock(&lock);
    if (!job)
        return 0;
    *question = job->question;
    *code = job->code ? job->code : td_code_find(&plain_files, job->question, job->address, job->map);
    td_pool_free(job);
    return 1;
}

static void drop_lookups(struct code_lookup_queue *queue)
{
    struct code_lookup *job;
    while ((job = pop_lookup(queue)))
        drop_lookup(job);
}

void td_resolver_forget(void)
{
    pthread_mutex_lock(&lock);
    drop_lookups(&resolver.to_do);
    drop_lookups(&resolver.done);
    resolver.now = NULL;
    resolver.pending = 0;
    resolver.close_files = resolver.running;
    pthread_cond_signal(&resolver.work);
    pthread_mutex_unlock(&lock);
    td_code_files_close(&plain_files);
}

/* ---- the end ---- */

bool td_resolver_is_in_program(void)
{
    extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
    return (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff == getauxval(AT_PHDR);
}

void td_resolver_unloads(void)
{
    atomic_store(&unloads, !td_resolver_is_in_program());
}

static bool has_joined(long ms)
{
    struct timespec until = td_deadline(CLOCK_REALTIME, ms * INT64_C(1000000));
    return pthread_timedjoin_np(resolver.thread, NULL, &until) == 0;
}

static void out_of_loader(int signal_number)
{
    td_resolver_rescue();
}

/* The thread that unloads this library holds the loader's lock until we return, and the resolver's thread
 * waits for that lock. A signal gets it out, and td_loader_close() keeps it out. */
static void fetch_from_loader(void)
{
    struct sigaction action = {.sa_handler = out_of_loader}, before;
    int was_inside = td_loader_close();
    sigaction(SIGBUS, &action, &before);
    if (was_inside)
        pthread_kill(resolver.thread, SIGBUS);
    if (!has_joined(GONE_WAIT_MS))
        pthread_detach(resolver.thread);
    sigaction(SIGBUS, &before, NULL);
}

static void join_thread(int late)
{
    if (atomic_load(&unloads)) {
        if (!has_joined(UNLOAD_WAIT_MS))
            fetch_from_loader();
    } else if (late || !has_joined(END_WAIT_MS)) { /* if late, the session has waited already */
        pthread_detach(resolver.thread);
    }
}

void td_resolver_end(void)
{
    pthread_mutex_lock(&lock);
    int running = resolver.running, late = resolver.late;
    resolver.stop = 1;
    resolver.running = 0;
    pthread_cond_signal(&resolver.work);
    pthread_mutex_unlock(&lock);
    if (running)
        join_thread(late);
    td_resolver_forget();
    for (size_t i = 0; resolver.kept && i < 2 * (size_t)KEPT_MAX; i++)
        td_pool_free(resolver.kept[i]);
    td_pool_free(resolver.kept);
    resolver.kept = NULL;
    resolver.kept_count = 0;
}

void td_resolver_forked(void)
{
    /* The child lacks the thread, which may have held the lock. */
    pthread_mutex_init(&lock, NULL);
    memset(&resolver, 0, sizeof resolver);
    pthread_cond_init(&resolver.work, NULL);
    memset(&plain_files, 0, sizeof plain_files);
}
