#include "tests/stress/random_program.h"
#include "tracy/TracyC.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 3

static struct random_log *log;
static unsigned state;
static struct ___tracy_source_location_data place[RANDOM_ZONES];
static char name[RANDOM_ZONES][8];
static TracyCZoneCtx context[RANDOM_ZONES];
static const char *const fiber_name[RANDOM_FIBERS] = {"fiber 0", "fiber 1", "fiber 2", "fiber 3"};

/* Open zones of a track, in the order of their begins. */
static struct {
    int open[RANDOM_ZONES], count;
} track[RANDOM_TRACKS];
static int has_fibers, fiber_taken[RANDOM_FIBERS], next_thread = RANDOM_FIBERS;
static int gpu_open[RANDOM_GPU], gpu_depth;

struct thread {
    pthread_t self;
    int turn, over, track, fiber; /* fiber: -1: none */
    int is_stale;                 /* others have marked since its last marker that has a time */
};
static struct thread threads[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int chance(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)below);
}

/* With TD_RANDOM_SHOW set: what is done, to find out why a seed fails. */
static void show(const struct thread *t, const char *what, int zone)
{
    if (getenv("TD_RANDOM_SHOW"))
        fprintf(stderr, "%.9f thread %d fiber %d: %s z%d%s\n",
                (double)(int64_t)(td_client_ticks() - (uint64_t)log->begin_ticks) * log->tick_ns / 1e9,
                t->track, t->fiber, what, zone, zone >= 0 && log->zone[zone].checked ? " (C)" : "");
}

static int64_t now(void)
{
    return (int64_t)td_client_ticks();
}

static int current_track(const struct thread *t)
{
    return t->fiber >= 0 ? t->fiber : t->track;
}

static int innermost(int of)
{
    return track[of].count ? track[of].open[track[of].count - 1] : -1;
}

/* ---- zones ---- */

static void begin_zone(struct thread *t)
{
    const int i = log->zones;
    if (i == RANDOM_ZONES)
        return;
    struct random_zone *zone = &log->zone[i];
    const int of = current_track(t), how = chance(4);
    *zone = (struct random_zone){.parent = innermost(of), .track = of, .checked = how != 0};
    snprintf(name[i], sizeof name[i], "z%d", i);
    place[i] = (struct ___tracy_source_location_data){name[i], "f", "random.c", (uint32_t)i + 1, 0};
    zone->begin[0] = now();
    log->zones = i + 1;
    if (how == 0) {
        context[i].id = td_client_zone_begin(&place[i]);
        context[i].active = 1;
    } else if (how == 1) {
        context[i] = ___tracy_emit_zone_begin(&place[i], 1);
    } else if (how == 2) {
        uint64_t made =
            ___tracy_alloc_srcloc_name((uint32_t)i + 1, "random.c", 8, "f", 1, name[i], strlen(name[i]), 0);
        context[i] = ___tracy_emit_zone_begin_alloc(made, 1);
    } else {
        context[i] = tendril_c_zone_(&place[i], 0, 1);
    }
    zone->begin[1] = now();
    track[of].open[track[of].count++] = i;
    show(t, "begin", i);
}

/* A zone to act on: mostly the innermost one, sometimes any. */
static int choose_zone(const struct thread *t)
{
    const int of = current_track(t), luck = chance(20);
    if (!log->zones)
        return -1;
    if (luck == 0)
        return chance(log->zones);
    if (luck < 4 && track[of].count)
        return track[of].open[chance(track[of].count)];
    return innermost(of);
}

static void note_fault(const struct random_zone *zone, enum random_fault kind)
{
    if (zone->checked)
        log->faults[kind]++;
    else if (zone->has_ended)
        log->unmatched++;
    else if (kind == RANDOM_END)
        log->faults[kind]++;
}

static void end_zone(struct thread *t)
{
    const int i = choose_zone(t), of = current_track(t);
    if (i < 0)
        return;
    struct random_zone *zone = &log->zone[i];
    show(t, "end", i);
    if (innermost(of) != i)
        note_fault(zone, RANDOM_END);
    int64_t before = now();
    if (!zone->has_ended)
        zone->end[0] = before;
    if (!zone->checked)
        td_client_zone_end(context[i].id);
    else if (chance(2))
        TracyCZoneEnd(context[i]) else ___tracy_emit_zone_end(context[i]);
    if (zone->has_ended)
        return;
    zone->end[1] = now();
    zone->has_ended = 1;
    int at = 0;
    while (track[zone->track].open[at] != i)
        at++;
    memmove(&track[zone->track].open[at], &track[zone->track].open[at + 1],
            sizeof(int) * (size_t)(--track[zone->track].count - at));
}

static void describe_zone(struct thread *t)
{
    static int next = 1000;
    const int i = choose_zone(t), number = ++next, kind = RANDOM_TEXT + chance(4);
    if (i < 0)
        return;
    struct random_zone *zone = &log->zone[i];
    static const char *const kinds[RANDOM_FAULTS] = {"end", "text", "name", "color", "value"};
    show(t, kinds[kind], i);
    const int is_text = kind == RANDOM_TEXT || kind == RANDOM_VALUE;
    if (is_text && zone->text_count == RANDOM_TEXTS)
        return;
    if (t->is_stale) { /* texts and so on have no times, which are all that orders them with what others do */
        log->messages++;
        TracyCMessageL("message");
    }
    if (innermost(current_track(t)) != i && (zone->checked || zone->has_ended))
        note_fault(zone, (enum random_fault)kind);
    if (!zone->has_ended && is_text)
        zone->texts[zone->text_count++] = kind == RANDOM_TEXT ? number : -number;
    else if (!zone->has_ended)
        *(kind == RANDOM_NAME ? &zone->name : &zone->color) = number;
    char text[16];
    const int bytes = snprintf(text, sizeof text, "%d", number);
    switch (kind) {
    case RANDOM_TEXT:
        if (zone->checked)
            ___tracy_emit_zone_text(context[i], text, (size_t)bytes);
        else
            td_client_zone_text(context[i].id, text, (size_t)bytes);
        break;
    case RANDOM_NAME:
        if (zone->checked)
            ___tracy_emit_zone_name_fmt(context[i], "%d", number);
        else
            td_client_zone_name(context[i].id, text, (size_t)bytes);
        break;
    default: {
        const unsigned what = kind == RANDOM_COLOR ? TD_CLIENT_ZONE_COLOR : TD_CLIENT_ZONE_VALUE;
        td_client_zone_word(context[i].id, what | (zone->checked ? TD_CLIENT_CHECKED : 0), (uint64_t)number);
    }
    }
}

/* ---- other markers ---- */

static void switch_fiber(struct thread *t)
{
    if (t->fiber >= 0) {
        fiber_taken[t->fiber] = 0;
        show(t, "leave", -1);
        t->fiber = -1;
        TracyCFiberLeave return;
    }
    const int fiber = chance(RANDOM_FIBERS);
    if (fiber_taken[fiber])
        return;
    fiber_taken[fiber] = 1;
    t->fiber = fiber;
    show(t, "enter", -1);
    TracyCFiberEnter(fiber_name[fiber])
}

/* Zones of one GPU context, nested; their times are 1000 ns apart. */
static void mark_gpu(void)
{
    static int64_t time;
    static const struct ___tracy_source_location_data gpu_place = {"gpu", "f", "random.c", 1, 0};
    if (gpu_depth && (chance(2) || log->gpu == RANDOM_GPU)) {
        const int i = gpu_open[--gpu_depth];
        ___tracy_emit_gpu_zone_end((struct ___tracy_gpu_zone_end_data){(uint16_t)(2 * i + 1), 3});
        log->gpu_zone[i].time[1] = time += 1000;
        ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){time, (uint16_t)(2 * i + 1), 3});
        log->gpu_zone[i].has_ended = 1;
    } else if (log->gpu < RANDOM_GPU) {
        const int i = log->gpu++;
        gpu_open[gpu_depth++] = i;
        log->gpu_zone[i].time[0] = time += 1000;
        ___tracy_emit_gpu_zone_begin(
            (struct ___tracy_gpu_zone_begin_data){(uintptr_t)&gpu_place, (uint16_t)(2 * i), 3});
        ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){time, (uint16_t)(2 * i), 3});
    }
}

static void act(struct thread *t)
{
    const int what = chance(100);
    if (what < 38)
        begin_zone(t);
    else if (what < 68)
        end_zone(t);
    else if (what < 84)
        describe_zone(t);
    else if (what < 92 && has_fibers)
        switch_fiber(t);
    else if (what < 97)
        mark_gpu();
    else {
        log->messages++;
        TracyCMessageL("message");
    }
    log->steps++;
    for (struct thread *other = threads; other < threads + THREADS; other++)
        other->is_stale = other != t;
}

/* ---- threads ---- */

static void *thread_main(void *self)
{
    struct thread *t = self;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (!t->turn && !t->over)
            pthread_cond_wait(&changed, &mutex);
        if (t->over)
            break;
        act(t);
        t->turn = 0;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void start_thread(struct thread *t)
{
    *t = (struct thread){.track = next_thread++, .fiber = -1};
    if (pthread_create(&t->self, NULL, thread_main, t) != 0)
        _exit(3);
}

static void end_thread(struct thread *t)
{
    pthread_mutex_lock(&mutex);
    t->over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(t->self, NULL);
}

static void take_turn(struct thread *t)
{
    pthread_mutex_lock(&mutex);
    t->turn = 1;
    pthread_cond_broadcast(&changed);
    while (t->turn)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void wait_for_phase(int phase)
{
    for (int i = 0; __atomic_load_n(&log->phase, __ATOMIC_ACQUIRE) < phase && i < 20000; i++)
        poll(NULL, 0, 1);
}

void random_program_run(struct random_log *shared, unsigned seed, enum random_how how)
{
    log = shared;
    state = seed * 2654435761u + 1;
    has_fibers = how != RANDOM_TWICE; /* a thread may be in one when the second recorder comes */
    ___tracy_startup_profiler();
    log->tick_ns = td_client_tick_ns();
    log->begin_ticks = td_client_begin_ticks();
    if (how == RANDOM_RECORDED || how == RANDOM_KILLED || how == RANDOM_TWICE)
        wait_for_phase(1);
    ___tracy_emit_gpu_new_context(
        (struct ___tracy_gpu_new_context_data){.gpuTime = 0, .period = 1, .context = 3, .type = 2});
    for (int i = 0; i < THREADS; i++)
        start_thread(&threads[i]);
    const int steps = 20 + chance(400), second = chance(steps);
    for (int i = 0; i < steps; i++) {
        if (i == second && how == RANDOM_TWICE) {
            __atomic_store_n(&log->phase, 2, __ATOMIC_RELEASE);
            wait_for_phase(3);
        }
        if (i == second && how == RANDOM_KILLED)
            raise(SIGKILL);
        struct thread *t = &threads[chance(THREADS)];
        take_turn(t);
        if (chance(80) == 0 && t->fiber < 0 && next_thread < RANDOM_TRACKS) {
            end_thread(t);
            start_thread(t);
        }
        if (how == RANDOM_RECORDED && chance(40) == 0)
            poll(NULL, 0, 1);
    }
    for (int i = 0; i < THREADS; i++)
        end_thread(&threads[i]);
    log->done = 1;
    ___tracy_shutdown_profiler();
    _exit(0);
}
