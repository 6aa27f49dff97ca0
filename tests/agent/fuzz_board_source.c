/* A board whose memory, clock and gatherer give any values: the source ends with one error or a sound trace.
 *
 * The first byte chooses policy, map, virtual clock, gatherer, how it ends, and whether it streams; then
 * commands: a byte (what, and of which lane) and what it needs. What is missing at the end is zero. */
#include "host/agent/board/board_source.h"
#include "host/trace/trace.h"
#include "host/transport/link/lane_frames.h"
#include "proto/device/frame.h"
#include "proto/device/packet.h"
#include "tests/device/fake_board.h"
#include "tests/device/tiny_elf.h"
#include "tests/file/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LANES       8
#define PIECE_SLOTS 64
#define FRAME_WORDS (TD_FRAME_HEAD_WORDS + 2 * PIECE_SLOTS)

enum { POLL, SLOTS, STORE, SYNC, FRAME, STATE, SESSION, GONE };

struct bytes_left {
    const uint8_t *at;
    size_t count;
};

struct world {
    struct fake_board *fake;
    struct td_transport_ops ops;
    struct td_gather gather;
    struct fake_core core[LANES];
    struct td_clock_sample clock;
    uint32_t frame[FRAME_WORDS]; /* the gatherer's */
    size_t frame_words;
};

/* The transport's calls get no more than the fake board; there is one world at a time. */
static struct world *world;
static char elf_path[64];

static uint64_t next(struct bytes_left *left, size_t bytes)
{
    uint64_t value = 0;
    const size_t n = bytes < left->count ? bytes : left->count;
    memcpy(&value, left->at, n);
    left->at += n;
    left->count -= n;
    return value;
}

static int read_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    *sample = world->clock;
    return 0;
}

static int add_lanes(struct td_gather *g, const struct td_gather_lane *lanes, size_t count,
                     struct td_err *err)
{
    return 0;
}

static int give_frame(td_gather_words *words, void *self, size_t *taken, struct td_err *err)
{
    const uint64_t before = world->gather.stats.slots;
    size_t used;
    int rc = td_lane_frames(world->frame, world->frame_words, &world->gather.stats, words, self, &used, err);
    if (used > world->frame_words)
        abort();
    world->frame_words = 0;
    if (taken)
        *taken = world->gather.stats.slots - before;
    return rc;
}

static int take_frame(struct td_gather *g, uint32_t max_slots, int wait_ms, td_gather_words *words,
                      void *self, size_t *taken, struct td_err *err)
{
    return give_frame(words, self, taken, err);
}

static int finish_frames(struct td_gather *g, td_gather_words *words, void *self, struct td_err *err)
{
    return give_frame(words, self, NULL, err);
}

static const struct td_gather_ops gather_ops = {add_lanes, take_frame, finish_frames};

static struct td_gather *the_gather(struct td_transport *t)
{
    return &world->gather;
}

static void begin_world(struct world *w, int mapped, int gathers)
{
    *w = (struct world){.fake = fake_board_create(mapped), .gather.ops = &gather_ops};
    world = w;
    w->ops = *w->fake->transport.ops;
    w->ops.clock = read_clock;
    w->ops.gather = gathers ? the_gather : NULL;
    w->fake->transport.ops = &w->ops;
    for (uint32_t i = 0; i < LANES; i++)
        w->core[i] = (struct fake_core){w->fake, i / 2, i % 2, 0};
}

static void put_slots(struct world *w, struct bytes_left *left, uint32_t lane)
{
    struct fake_core *core = &w->core[lane];
    for (size_t n = 1 + next(left, 1) % PIECE_SLOTS; n--;) {
        const uint32_t w0 = (uint32_t)next(left, 4), w1 = (uint32_t)next(left, 4);
        fake_core_put(core, w0 | TD_SLOT_VALID, w1);
    }
    fake_core_publish(core);
}

/* Anything anywhere among control words and rings, or (`open`) in the words of open zones. */
static void store(struct world *w, struct bytes_left *left, uint32_t lane, int open)
{
    const struct td_board *b = &w->fake->board;
    if (open) {
        const uint32_t word = (uint32_t)next(left, 1) % TINY_ZONES;
        *fake_words(w->fake, lane / 2, td_board_open(b, 0) + 4 * word) = (uint32_t)next(left, 4);
        return;
    }
    const uint64_t room = td_board_ring(b, 1) + (uint64_t)FAKE_SLOTS * 8 - b->lane_base;
    const uint32_t offset = (uint32_t)(next(left, 2) % (room / 4)) * 4;
    *fake_words(w->fake, lane / 2, (uint32_t)b->lane_base + offset) = (uint32_t)next(left, 4);
}

/* A frame, most often a sound one. */
static void set_frame(struct world *w, struct bytes_left *left, uint32_t lane)
{
    const uint32_t how = (uint32_t)next(left, 1), first = (uint32_t)next(left, 4);
    const uint32_t slots = 1 + (uint32_t)next(left, 1) % PIECE_SLOTS;
    uint32_t *head = w->frame;
    head[0] = TD_FRAME_MAGIC << 16 | (how & 1 ? slots + 1 : slots);
    head[1] = how & 2 ? how : lane;
    head[2] = first;
    head[3] = TD_FRAME_CHECK(head[0], head[1], head[2]) ^ (how >> 6);
    w->frame_words = TD_FRAME_HEAD_WORDS + 2 * (size_t)slots;
    for (size_t i = TD_FRAME_HEAD_WORDS; i < w->frame_words; i++)
        w->frame[i] = (uint32_t)next(left, 4);
}

static int take_sample(struct world *w, struct td_board_source *source, struct bytes_left *left,
                       struct td_err *err)
{
    w->clock.host_before += next(left, 4);
    w->clock.host_after = w->clock.host_before + next(left, 2);
    w->clock.ticks = next(left, 8);
    return td_board_source_sync(source, 1, err);
}

static int do_command(struct world *w, struct td_board_source *source, struct bytes_left *left,
                      struct td_err *err)
{
    const uint32_t command = (uint32_t)next(left, 1), lane = command >> 3 & (LANES - 1);
    switch (command & 7) {
    case POLL:
        return td_board_source_poll(source, NULL, err);
    case SLOTS:
        put_slots(w, left, lane);
        return 0;
    case STORE:
        store(w, left, lane, command >> 6 & 1);
        return 0;
    case SYNC:
        return take_sample(w, source, left, err);
    case FRAME:
        set_frame(w, left, lane);
        return 0;
    case STATE:
        fake_ctrl(w->fake, lane / 2, lane % 2)[TD_LANE_state / 4] = command >> 6;
        return 0;
    case SESSION:
        w->gather.stats.sessions++;
        return 0;
    default:
        w->fake->fail_reads = (int)lane / 4;
        return 0;
    }
}

static void check_error(int rc, const struct td_err *err)
{
    if (rc < 0 && (err->code != rc || !err->text[0] || strchr(err->text, '\n')))
        abort();
}

/* Ends as the recorder does: what arrived is in a trace. */
static void finish(struct td_board_source *source, int gone, struct td_hub *hub, struct td_trace *trace)
{
    struct td_err err = {0};
    int rc = td_board_source_finish(source, gone, hub, 1000, 0.5, &err);
    check_error(rc, &err);
    if (rc < 0 || td_trace_finish(trace, &err) < 0 || broken_rule(trace))
        abort();
    const struct td_board_summary *summary = td_board_source_summary(source);
    for (uint32_t i = 0; i < summary->faults; i++)
        if (!td_board_source_fault(source, i))
            abort();
}

static void remove_elf(void)
{
    unlink(elf_path);
}

/* Of a kernel for the first core of any tile. */
static void write_elf(const struct td_board *board)
{
    if (elf_path[0])
        return;
    snprintf(elf_path, sizeof elf_path, "/tmp/td-fuzz-%d.elf", (int)getpid());
    if (tiny_elf_write(elf_path, td_board_open(board, 0)))
        abort();
    atexit(remove_elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum td_policy policies[] = {TD_POLICY_BLOCK, TD_POLICY_DROP, TD_POLICY_OVERWRITE,
                                              TD_POLICY_OFF};
    struct bytes_left left = {data, size};
    const uint8_t how = (uint8_t)next(&left, 1);
    struct world w;
    begin_world(&w, how >> 2 & 1, how >> 4 & 1);
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    if (!hub || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    const char *const elf = elf_path;
    write_elf(&w.fake->board);
    const struct td_board_source_options options = {
        .policy = policies[how & 3], .virtual_clock = how >> 3 & 1, .elf_dirs = &elf, .elf_dir_count = 1};
    struct td_err err = {0};
    struct td_board_source *source =
        td_board_source_create(&w.fake->transport, &w.fake->board, &options, td_trace_fill_dict(trace), &err);
    if (!source)
        abort(); /* the source was not given anything yet */
    int rc = 0;
    if (how >> 6 & 1)
        td_board_source_stream(source, hub, 1000, 0.5);
    while (rc == 0 && left.count)
        rc = do_command(&w, source, &left, &err);
    check_error(rc, &err);
    finish(source, rc < 0 || how >> 5 & 1, hub, trace);
    td_board_source_destroy(source);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    fake_board_destroy(w.fake);
    return 0;
}
