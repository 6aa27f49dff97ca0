/* The host's accesses through windows (proto/sim/window.h): they travel, so they take time, are done in
 * pieces, and overtake each other where the windows' order lets them. This thread is the way that they take.
 *
 * The rules: writes of one window are done in their order. A read of a window with strict order comes after
 * that window's writes. Nothing else is promised: a read of a window with relaxed order, or anything in
 * another window, may come first (--noc-order relaxed). Words are never torn. */
#include "boards/tensix_sim/sim.h"
#include "host/base/clock.h"
#include "host/transport/card/window.h"
#include "proto/sim/window.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_WAITING = 64,   /* writes on their way */
    PAUSES = 4,         /* in one access */
    SPIN_NS = 30000,    /* after a request: how long to spin for the next, */
    YIELD_NS = 2000000, /* then, offering the processor to others, before sleeping */
    SPINS_PER_LOOK = 64
};

/* A place of a tile. */
struct window_place {
    struct tile *tile;
    uint8_t *memory;  /* or NULL: registers from .. */
    uint64_t address; /* .. here on */
};

struct write {
    uint32_t window, bytes;
    struct window_place to;
    int64_t due_ns;
    uint8_t *data;
};

struct way {
    struct sim *sim;
    struct td_sim_windows *shared;
    struct window_rules rules;
    uint64_t random;
    struct write waiting[MAX_WAITING]; /* in the order in which they came */
    unsigned count;
};

static const struct td_window_kind sim_kind = {.bytes = TD_SIM_WINDOW_BYTES,
                                               .count = TD_SIM_MAX_WINDOWS,
                                               .register_bytes = 4 * TD_SIM_REGISTER_WORDS,
                                               .shift = {TD_SIM_REGISTER_SHIFTS}};

static uint32_t dice(struct way *w, uint32_t sides)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((w->random >> 33) % sides);
}

static void linger(struct way *w)
{
    if (!w->rules.delay_ns)
        return;
    int64_t until = td_mono_ns() + dice(w, (uint32_t)w->rules.delay_ns + 1);
    while (td_mono_ns() < until)
        td_cpu_relax();
}

/* Until the workers have looked at the resets; a card's cores are in reset when the write has arrived. */
static void ring(struct sim *sim)
{
    uint32_t bell = __atomic_add_fetch(&sim->bar->doorbell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &sim->bar->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    while ((int32_t)(__atomic_load_n(&sim->bar->doorbell_seen, __ATOMIC_SEQ_CST) - bell) < 0 &&
           !__atomic_load_n(&sim->stop, __ATOMIC_RELAXED))
        sched_yield();
}

/* One unit of an access, at most a word. */
static void do_unit(struct way *w, const struct window_place *p, uint32_t at, uint8_t *data, uint32_t bytes,
                    int is_write)
{
    uint32_t word = 0;
    if (p->memory && bytes == 4 && ((uintptr_t)(p->memory + at) & 3) == 0) {
        if (is_write) {
            memcpy(&word, data + at, 4);
            put_word(p->memory + at, word);
        } else {
            word = get_word(p->memory + at);
            memcpy(data + at, &word, 4);
        }
    } else if (p->memory) {
        memcpy(is_write ? p->memory + at : data + at, is_write ? data + at : p->memory + at, bytes);
    } else if (is_write && bytes == 4) {
        memcpy(&word, data + at, 4);
        if (tile_register_post(w->sim, p->tile, p->address + at, word) == 0 &&
            p->address + at != w->sim->board.debug_control)
            ring(w->sim);
    } else if (bytes == 4) {
        uint64_t now = clock_now(w->sim, p->tile->entry->chip);
        if (tile_register_read(w->sim, p->tile, p->address + at, now, &word))
            word = 0;
        memcpy(data + at, &word, 4);
    }
}

static uint32_t common(uint32_t a, uint32_t b)
{
    return b ? common(b, a % b) : a;
}

/* All of an access, in the order that the rules choose. */
static void do_access(struct way *w, const struct window_place *p, uint8_t *data, uint32_t bytes,
                      int is_write)
{
    /* Bytes up to the first whole word, words, bytes after them. */
    uint32_t head = (uint32_t)(-p->address & 3) < bytes ? (uint32_t)(-p->address & 3) : bytes;
    uint32_t words = (bytes - head) / 4, step = 1, at = 0, pause = UINT32_MAX;
    if (w->rules.tear && words > 1) {
        at = dice(w, words);
        do
            step = 1 + dice(w, words);
        while (common(step, words) != 1);
        pause = w->rules.delay_ns ? 1 + words / PAUSES : UINT32_MAX;
    }
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    if (head)
        do_unit(w, p, 0, data, head, is_write);
    for (uint32_t i = 0; i < words; i++, at = (at + step) % words) {
        do_unit(w, p, head + 4 * at, data, 4, is_write);
        if (w->rules.tear)
            __atomic_thread_fence(__ATOMIC_ACQ_REL); /* in this order, for all to see */
        if (i % pause == pause - 1)
            linger(w);
    }
    if (head + 4 * words < bytes)
        do_unit(w, p, head + 4 * words, data, bytes - head - 4 * words, is_write);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void finish_write(struct way *w, unsigned i)
{
    struct write done = w->waiting[i];
    w->count--;
    memmove(&w->waiting[i], &w->waiting[i + 1], (w->count - i) * sizeof done);
    do_access(w, &done.to, done.data, done.bytes, 1);
    free(done.data);
}

/* Writes of one window, or of all. */
static void finish_writes(struct way *w, uint32_t window)
{
    for (unsigned i = 0; i < w->count;)
        if (window == UINT32_MAX || w->waiting[i].window == window)
            finish_write(w, i);
        else
            i++;
}

/* Those that are due, in any order except within one window. */
static void finish_due(struct way *w, int64_t now_ns)
{
    for (unsigned tries = w->count; tries > 0 && w->count > 0; tries--) {
        unsigned i = dice(w, w->count), first = i;
        for (unsigned k = i; k-- > 0;)
            if (w->waiting[k].window == w->waiting[i].window)
                first = k;
        if (w->waiting[first].due_ns <= now_ns)
            finish_write(w, first);
    }
}

/* What the window shows there. */
static int find_place(const struct way *w, const struct td_sim_mailbox *box, struct window_place *p,
                      int *is_strict)
{
    struct td_window_target target;
    uint32_t words[TD_WINDOW_MAX_WORDS] = {0};
    if (box->window >= w->rules.count || box->bytes > TD_SIM_DATA_BYTES || box->bytes == 0 ||
        box->offset >= TD_SIM_WINDOW_BYTES || box->bytes > TD_SIM_WINDOW_BYTES - box->offset)
        return TD_E_USAGE;
    const struct td_sim_window *window = &w->shared->window[box->window];
    for (int i = 0; i < TD_SIM_REGISTER_WORDS; i++)
        words[i] = __atomic_load_n(&window->registers[i], __ATOMIC_RELAXED);
    td_window_decode(&sim_kind, words, &target);
    *is_strict = target.order == TD_WINDOW_STRICT;
    uint32_t chip = __atomic_load_n(&window->chip, __ATOMIC_ACQUIRE);
    if (chip >= w->sim->board.chips)
        return TD_E_NOTFOUND;
    struct tile *tile = sim_tile(w->sim, chip, target.tile.x, target.tile.y);
    if (!tile)
        return TD_E_NOTFOUND;
    const struct td_bar_tile *e = tile->entry;
    uint64_t address = target.address + box->offset;
    *p = (struct window_place){
        .tile = tile, .memory = tile_memory(tile, address, box->bytes), .address = address};
    if (!p->memory && (e->kind != TD_BAR_TENSIX || address < e->regs_base ||
                       address - e->regs_base >= PAGE_BYTES || address % 4 || box->bytes % 4))
        return TD_E_NOTFOUND;
    return 0;
}

static int take_write(struct way *w, const struct td_sim_mailbox *box, const struct window_place *p)
{
    uint8_t *data = malloc(box->bytes);
    if (!data)
        return TD_E_NOMEM;
    memcpy(data, box->data, box->bytes);
    if (w->count == MAX_WAITING)
        finish_write(w, 0);
    int64_t due = td_mono_ns() + (w->rules.delay_ns ? dice(w, (uint32_t)w->rules.delay_ns + 1) : 0);
    w->waiting[w->count++] = (struct write){box->window, box->bytes, *p, due, data};
    if (!w->rules.relaxed)
        finish_writes(w, UINT32_MAX);
    return 0;
}

static void serve(struct way *w, struct td_sim_mailbox *box, uint64_t request)
{
    struct window_place p;
    int is_strict = 0;
    int status = find_place(w, box, &p, &is_strict);
    if (status == 0 && box->what == TD_SIM_WRITE) {
        status = take_write(w, box, &p);
    } else if (status == 0) {
        if (is_strict)
            finish_writes(w, box->window);
        linger(w);
        do_access(w, &p, box->data, box->bytes, 0);
    }
    box->status = status;
    __atomic_store_n(&box->answer, request, __ATOMIC_RELEASE);
}

/* 1: something was asked for. */
static int serve_all(struct way *w)
{
    int any = 0;
    for (int i = 0; i < TD_SIM_MAILBOXES; i++) {
        struct td_sim_mailbox *box = &w->shared->mailbox[i];
        uint64_t request = __atomic_load_n(&box->request, __ATOMIC_ACQUIRE);
        if (request != __atomic_load_n(&box->answer, __ATOMIC_RELAXED)) {
            serve(w, box, request);
            any = 1;
        }
    }
    return any;
}

static void sleep_for_request(struct way *w, uint32_t bell)
{
    const struct timespec look_again = {0, 50000000};
    __atomic_store_n(&w->shared->asleep, 1, __ATOMIC_SEQ_CST);
    if (!serve_all(w))
        syscall(SYS_futex, &w->shared->bell, FUTEX_WAIT, bell, &look_again, NULL, 0);
    __atomic_store_n(&w->shared->asleep, 0, __ATOMIC_SEQ_CST);
}

void *window_service(void *argument)
{
    struct sim *sim = argument;
    struct way *w = calloc(1, sizeof *w);
    int64_t last_ns = td_mono_ns();
    if (!w)
        return NULL; /* the host's access times out */
    w->sim = sim;
    w->shared = (void *)(sim->map + sim->bar->windows_offset);
    w->rules = sim->windows;
    w->random = w->rules.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    while (!__atomic_load_n(&sim->stop, __ATOMIC_RELAXED)) {
        uint32_t bell = __atomic_load_n(&w->shared->bell, __ATOMIC_SEQ_CST);
        int any = 0;
        for (int i = 0; i < SPINS_PER_LOOK && !any; i++) {
            any = serve_all(w);
            td_cpu_relax();
        }
        int64_t now_ns = td_mono_ns();
        last_ns = any ? now_ns : last_ns;
        finish_due(w, now_ns);
        if (now_ns - last_ns > YIELD_NS && w->count == 0)
            sleep_for_request(w, bell);
        else if (now_ns - last_ns > SPIN_NS)
            sched_yield();
    }
    finish_writes(w, UINT32_MAX);
    free(w);
    return NULL;
}
