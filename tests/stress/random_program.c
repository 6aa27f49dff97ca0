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
static int fiber_taken[RANDOM_FIBERS], next_thread = RANDOM_FIBERS;

/* GPU contexts: 3 has one order for all threads, 9 one for each. */
static const uint16_t gpu_context[RANDOM_CONTEXTS] = {3, 9};
static struct {
    int open[RANDOM_GPU], count;
} gpu_stack[1 + RANDOM_TRACKS];
static int gpu_late[2 * RANDOM_GPU],
    gpu_late_count; /* times that are not sent yet: 2 * zone, 1 more for its end */
static struct ___tracy_source_location_data gpu_place[RANDOM_GPU];
static char gpu_name[RANDOM_GPU][16];

enum turn { TURN_NONE, TURN_ACT, TURN_LEAVE_FIBER };
struct thread {
    pthread_t self;
    int turn, over, track, fiber; /* fiber: -1: none */
    int is_stale;                 /* others have marked since its last marker that orders its texts */
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

static void put_message(struct thread *t)
{
    log->messages++;
    TracyCMessageL("message");
    t->is_stale = 0;
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
    t->is_stale = 0;
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
    t->is_stale = 0;
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
    if (t->is_stale) /* texts and so on have no times, which are all that orders them with what others do */
        put_message(t);
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

static void leave_fiber(struct thread *t)
{
    fiber_taken[t->fiber] = 0;
    show(t, "leave", -1);
    t->fiber = -1;
    t->is_stale = 0;
    TracyCFiberLeave;
}

static void switch_fiber(struct thread *t)
{
    if (t->fiber >= 0) {
        leave_fiber(t);
        return;
    }
    const int fiber = chance(RANDOM_FIBERS);
    if (fiber_taken[fiber])
        return;
    fiber_taken[fiber] = 1;
    t->fiber = fiber;
    t->is_stale = 0;
    show(t, "enter", -1);
    TracyCFiberEnter(fiber_name[fiber])
}

/* Sends one of the times that are not sent yet; a zone's begin before its end. */
static void send_gpu_time(void)
{
    int at = chance(gpu_late_count), which = gpu_late[at], zone = which / 2, is_end = which % 2;
    if (is_end && !log->gpu_zone[zone].has_time[0]) {
        is_end = 0;
        for (at = 0; gpu_late[at] != 2 * zone; at++)
            ;
    }
    memmove(&gpu_late[at], &gpu_late[at + 1], sizeof(int) * (size_t)(--gpu_late_count - at));
    ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){log->gpu_zone[zone].time[is_end],
                                                           (uint16_t)(2 * zone + is_end),
                                                           gpu_context[log->gpu_zone[zone].context]});
    log->gpu_zone[zone].has_time[is_end] = 1;
}

static void begin_gpu_zone(const struct thread *t, int context)
{
    const int i = log->gpu++, stack = context ? 1 + t->track : 0;
    struct random_gpu *zone = &log->gpu_zone[i];
    snprintf(gpu_name[i], sizeof gpu_name[i], "g%d", i);
    gpu_place[i] = (struct ___tracy_source_location_data){gpu_name[i], "f", "random.c", (uint32_t)i + 1, 0};
    zone->context = context;
    zone->time[0] = 1000 * (i + chance(20));
    gpu_stack[stack].open[gpu_stack[stack].count++] = i;
    gpu_late[gpu_late_count++] = 2 * i;
    ___tracy_emit_gpu_zone_begin((struct ___tracy_gpu_zone_begin_data){
        (uintptr_t)&gpu_place[i], (uint16_t)(2 * i), gpu_context[context]});
}

/* GPU zones end in the order of a stack, as in stock's interface; the GPU's times are in any order. */
static void mark_gpu(const struct thread *t)
{
    const int context = chance(RANDOM_CONTEXTS), stack = context ? 1 + t->track : 0, what = chance(3);
    if (what == 0 && gpu_late_count) {
        send_gpu_time();
    } else if (what == 1 && gpu_stack[stack].count) {
        const int i = gpu_stack[stack].open[--gpu_stack[stack].count];
        ___tracy_emit_gpu_zone_end(
            (struct ___tracy_gpu_zone_end_data){(uint16_t)(2 * i + 1), gpu_context[context]});
        log->gpu_zone[i].time[1] = log->gpu_zone[i].time[0] + 1000 * chance(20);
        gpu_late[gpu_late_count++] = 2 * i + 1;
    } else if (log->gpu < RANDOM_GPU) {
        begin_gpu_zone(t, context);
    }
}

static void make_gpu_contexts(void)
{
    ___tracy_emit_gpu_new_context((struct ___tracy_gpu_new_context_data){
        .gpuTime = 0, .period = 1, .context = gpu_context[0], .type = 2});
    td_client_gpu_new_context(&(struct td_client_gpu_context){
        .cpu_time = now(), .period = 1, .context = gpu_context[1], .type = 2});
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
    else if (what < 91)
        switch_fiber(t);
    else if (what < 98)
        mark_gpu(t);
    else
        put_message(t);
    __atomic_fetch_add(&log->steps, 1, __ATOMIC_RELEASE);
    for (struct thread *other = threads; other < threads + THREADS; other++)
        other->is_stale |= other != t;
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
        if (t->turn == TURN_ACT)
            act(t);
        else if (t->fiber >= 0)
            leave_fiber(t);
        t->turn = TURN_NONE;
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

static void take_turn(struct thread *t, enum turn turn)
{
    pthread_mutex_lock(&mutex);
    t->turn = turn;
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

/* On demand, markers count from then on. */
static void wait_for_session(void)
{
    for (int i = 0; !___tracy_connected() && i < 20000; i++)
        poll(NULL, 0, 1);
}

/* In the middle of the program. */
static void pause_for(enum random_how how, struct random_log *middle)
{
    if (how == RANDOM_KILLED)
        raise(SIGKILL);
    if (how != RANDOM_TWICE && how != RANDOM_CRASHED)
        return;
    for (int i = 0; i < THREADS && how == RANDOM_TWICE; i++) /* which fiber it is in is not sent again */
        take_turn(&threads[i], TURN_LEAVE_FIBER);
    memcpy(middle, log, sizeof *log);
    __atomic_store_n(&log->phase, 2, __ATOMIC_RELEASE);
    wait_for_phase(3);
    wait_for_session();
}

/* Where the recorder has to be there first. */
static void wait_for_recorder(enum random_how how)
{
    if (how == RANDOM_RECORDED || how == RANDOM_KILLED || how == RANDOM_TWICE)
        wait_for_phase(1);
    if (how == RANDOM_TWICE || how == RANDOM_CRASHED)
        wait_for_session();
}

void random_program_run(struct random_log shared[2], unsigned seed, enum random_how how)
{
    log = shared;
    state = seed * 2654435761u + 1;
    ___tracy_startup_profiler();
    log->tick_ns = td_client_tick_ns();
    log->begin_ticks = td_client_begin_ticks();
    wait_for_recorder(how);
    make_gpu_contexts();
    for (int i = 0; i < THREADS; i++)
        start_thread(&threads[i]);
    const int steps = 20 + chance(400), second = chance(steps);
    for (int i = 0; i < steps; i++) {
        if (i == second)
            pause_for(how, &shared[1]);
        struct thread *t = &threads[chance(THREADS)];
        take_turn(t, TURN_ACT);
        if (chance(80) == 0 && t->fiber < 0 && next_thread < RANDOM_TRACKS) {
            end_thread(t);
            start_thread(t);
        }
        if (how == RANDOM_RECORDED && chance(40) == 0)
            poll(NULL, 0, 1);
    }
    for (int i = 0; i < THREADS; i++)
        end_thread(&threads[i]);
    while (gpu_late_count)
        send_gpu_time();
    log->done = 1;
    ___tracy_shutdown_profiler();
    _exit(0);
}
