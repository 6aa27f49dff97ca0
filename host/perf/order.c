#include "host/perf/order.h"

#include <string.h>

#define PIECE_BYTES 65536
#define GAP         TD_PERF_KIND_COUNT /* the kind of a place where records are missing */

struct td_perf_piece {
    struct td_perf_piece *next;
    uint32_t used, taken;
    uint8_t data[PIECE_BYTES - 16];
};
/* A record in a piece; its addresses follow. */
struct held_record {
    int64_t time;
    uint32_t pid, tid;
    uint64_t what; /* ip, or the other fields of a kind */
    int8_t old_priority, new_priority;
    uint8_t state, kind, count;
};

void td_perf_order_init(struct td_perf_order *o, const struct td_perf_host *host, struct td_perf_line *lines,
                        unsigned count, size_t most_bytes)
{
    *o = (struct td_perf_order){.host = host, .lines = lines, .count = count, .most_bytes = most_bytes};
}

/* Forgets all records and what runs. */
static void drop_records(struct td_perf_order *o)
{
    for (unsigned i = 0; i < o->count; i++) {
        struct td_perf_line *line = &o->lines[i];
        for (struct td_perf_piece *piece = line->first, *next; piece; piece = next) {
            next = piece->next;
            o->host->give(piece);
        }
        line->first = line->last = NULL;
        line->any = false;
    }
    o->heap_count = o->mended_count = o->mended_at = 0;
    o->bytes = 0;
}

void td_perf_order_free(struct td_perf_order *o)
{
    drop_records(o);
    o->host->give(o->spare);
    o->spare = NULL;
}

/* ---- the heap of lines ---- */

static bool is_older(const struct td_perf_order *o, unsigned a, unsigned b)
{
    const int64_t x = o->lines[a].head_time, y = o->lines[b].head_time;
    return x != y ? x < y : a < b;
}

static void sift_line_up(struct td_perf_order *o, unsigned at)
{
    const uint16_t moved = o->heap[at];
    for (unsigned above; at && is_older(o, moved, o->heap[above = (at - 1) / 2]); at = above)
        o->heap[at] = o->heap[above];
    o->heap[at] = moved;
}

static void sift_first_line(struct td_perf_order *o)
{
    unsigned at = 0;
    const uint16_t moved = o->heap[0];
    for (unsigned child; (child = 2 * at + 1) < o->heap_count; at = child) {
        child += child + 1 < o->heap_count && is_older(o, o->heap[child + 1], o->heap[child]);
        if (!is_older(o, o->heap[child], moved))
            break;
        o->heap[at] = o->heap[child];
    }
    o->heap[at] = moved;
}

/* ---- pieces ---- */

static struct td_perf_piece *take_piece(struct td_perf_order *o)
{
    struct td_perf_piece *piece = o->spare;
    if (o->bytes + sizeof *piece > o->most_bytes)
        return NULL;
    if (!piece)
        piece = o->host->take(sizeof *piece);
    if (!piece)
        return NULL;
    o->spare = NULL;
    o->bytes += sizeof *piece;
    piece->next = NULL;
    piece->used = piece->taken = 0;
    return piece;
}

static void give_piece(struct td_perf_order *o, struct td_perf_piece *piece)
{
    o->bytes -= sizeof *piece;
    if (!o->spare)
        o->spare = piece;
    else
        o->host->give(piece);
}

static bool hold_record(struct td_perf_order *o, unsigned number, const struct held_record *held,
                        const uint64_t *stack)
{
    struct td_perf_line *line = &o->lines[number];
    const size_t bytes = sizeof *held + 8u * held->count;
    struct td_perf_piece *piece = line->last;
    if (!piece || piece->used + bytes > sizeof piece->data) {
        struct td_perf_piece *fresh = take_piece(o);
        if (!fresh)
            return false;
        if (piece)
            piece->next = fresh;
        else
            line->first = fresh;
        line->last = piece = fresh;
    }
    memcpy(piece->data + piece->used, held, sizeof *held);
    if (stack && held->count)
        memcpy(piece->data + piece->used + sizeof *held, stack, 8u * held->count);
    const bool is_first = piece == line->first && piece->used == piece->taken;
    piece->used += (uint32_t)bytes;
    line->last_time = held->time;
    if (is_first) {
        line->head_time = held->time;
        o->heap[o->heap_count] = (uint16_t)number;
        sift_line_up(o, o->heap_count++);
    }
    return true;
}

bool td_perf_order_add(struct td_perf_order *o, unsigned number, const struct td_perf_record *record)
{
    struct held_record held = {.time = record->time,
                               .pid = record->pid,
                               .tid = record->tid,
                               .kind = (uint8_t)record->kind,
                               .count = (uint8_t)record->count};
    if (held.time < o->lines[number].last_time)
        held.time = o->lines[number].last_time;
    switch (record->kind) {
    case TD_PERF_SAMPLE:
        break;
    case TD_PERF_SWITCH:
        held.what = record->change.old_thread | (uint64_t)record->change.new_thread << 32;
        held.old_priority = record->change.old_priority;
        held.new_priority = record->change.new_priority;
        held.state = record->change.state;
        break;
    case TD_PERF_WAKEUP:
        held.what = record->woken;
        break;
    case TD_PERF_VSYNC:
        held.what = record->display;
        break;
    case TD_PERF_PROCESS:
        held.what = record->news.parent;
        held.state = record->news.what;
        held.new_priority = record->news.began;
        break;
    default:
        held.what = record->ip;
        break;
    }
    return hold_record(o, number, &held, record->stack);
}

bool td_perf_order_gap(struct td_perf_order *o, unsigned number)
{
    return hold_record(o, number, &(struct held_record){.time = o->lines[number].last_time, .kind = GAP},
                       NULL);
}

/* Takes the oldest record of the line that is first in the heap. */
static void take_first(struct td_perf_order *o, struct held_record *held)
{
    struct td_perf_line *line = &o->lines[o->heap[0]];
    struct td_perf_piece *piece = line->first;
    memcpy(held, piece->data + piece->taken, sizeof *held);
    memcpy(o->stack, piece->data + piece->taken + sizeof *held, 8u * held->count);
    piece->taken += (uint32_t)(sizeof *held + 8u * held->count);
    if (piece->taken == piece->used && piece->next) {
        line->first = piece->next;
        give_piece(o, piece);
        piece = line->first;
    } else if (piece->taken == piece->used) {
        line->first = line->last = NULL;
        give_piece(o, piece);
        o->heap[0] = o->heap[--o->heap_count];
        if (o->heap_count)
            sift_first_line(o);
        return;
    }
    memcpy(&line->head_time, piece->data + piece->taken, sizeof line->head_time);
    sift_first_line(o);
}

/* ---- switches ---- */

/* Adds a switch that the kernel's records lack. */
static void mend_switch(struct td_perf_order *o, struct td_perf_line *line, int64_t time, uint32_t old_thread,
                        uint32_t new_thread)
{
    o->mended[o->mended_count++] = (struct td_perf_record){
        .kind = TD_PERF_SWITCH,
        .cpu = line->cpu,
        .time = time,
        .change = {.old_thread = old_thread, .new_thread = new_thread, .mended = true}};
    line->running = new_thread;
    line->any = true;
}

/* Ends the thread's run on another processor, where its end is missing. */
static void end_elsewhere(struct td_perf_order *o, const struct td_perf_line *here, int64_t time,
                          uint32_t thread)
{
    for (unsigned i = 0; thread && i < o->count; i++) {
        struct td_perf_line *line = &o->lines[i];
        if (line != here && line->any && line->running == thread)
            mend_switch(o, line, time, thread, 0);
    }
}

/* Puts what is missing before the switch, then the switch, into the list of records to give. */
static void put_switch(struct td_perf_order *o, struct td_perf_line *line,
                       const struct td_perf_record *record)
{
    const uint32_t old_thread = record->change.old_thread, new_thread = record->change.new_thread;
    o->mended_count = o->mended_at = 0;
    if (line->any && line->running != old_thread) {
        end_elsewhere(o, line, record->time, old_thread);
        mend_switch(o, line, record->time, line->running, old_thread);
    }
    end_elsewhere(o, line, record->time, new_thread);
    o->mended[o->mended_count++] = *record;
    line->running = new_thread;
    line->any = true;
}

static void fill_record(const struct td_perf_order *o, const struct held_record *held, uint32_t cpu,
                        struct td_perf_record *record)
{
    *record = (struct td_perf_record){.kind = (enum td_perf_kind)held->kind,
                                      .cpu = cpu,
                                      .pid = held->pid,
                                      .tid = held->tid,
                                      .time = held->time,
                                      .count = held->count,
                                      .stack = held->count ? o->stack : NULL};
    switch (record->kind) {
    case TD_PERF_SAMPLE:
        break;
    case TD_PERF_SWITCH:
        record->change.old_thread = (uint32_t)held->what;
        record->change.new_thread = (uint32_t)(held->what >> 32);
        record->change.old_priority = held->old_priority;
        record->change.new_priority = held->new_priority;
        record->change.state = held->state;
        break;
    case TD_PERF_WAKEUP:
        record->woken = (uint32_t)held->what;
        break;
    case TD_PERF_VSYNC:
        record->display = (uint32_t)held->what;
        break;
    case TD_PERF_PROCESS:
        record->news.parent = (uint32_t)held->what;
        record->news.what = held->state;
        record->news.began = held->new_priority;
        break;
    default:
        record->ip = held->what;
        break;
    }
}

int td_perf_order_next(struct td_perf_order *o, int64_t until, struct td_perf_record *record)
{
    for (;;) {
        if (o->mended_at < o->mended_count) {
            *record = o->mended[o->mended_at++];
            return 1;
        }
        if (!o->heap_count || o->lines[o->heap[0]].head_time >= until)
            return 0;
        struct held_record held;
        struct td_perf_line *line = &o->lines[o->heap[0]];
        take_first(o, &held);
        if (held.time < o->last_time)
            held.time = o->last_time;
        o->last_time = held.time;
        if (held.kind == GAP) {
            o->mended_count = o->mended_at = 0;
            if (line->any && line->running)
                mend_switch(o, line, held.time, line->running, 0);
            continue;
        }
        fill_record(o, &held, line->cpu, record);
        if (record->kind != TD_PERF_SWITCH)
            return 1;
        put_switch(o, line, record);
    }
}
