#include "tests/probe/memory_board.h"

#include "host/base/clock.h"
#include "host/base/err.h"
#include "proto/device/lane.h"
#include "proto/probe/control.h"

#include <string.h>
#include <time.h>

#define MAX_STEP_MS 50

static char *locate(struct memory_board *b, struct td_probe_at at, uint64_t address, uint64_t bytes)
{
    if (at.chip || at.y || at.x > 1 || address > MEMORY_BYTES || bytes > MEMORY_BYTES - address)
        return NULL;
    return (char *)b->memory[at.x] + address;
}

static int no_such_place(char *why)
{
    strcpy(why, "no such place");
    return TD_E_USAGE;
}

static int board_read(void *self, struct td_probe_at at, uint64_t address, void *to, uint32_t bytes,
                      char *why)
{
    const char *from = locate(self, at, address, bytes);
    if (!from)
        return no_such_place(why);
    memcpy(to, from, bytes);
    return 0;
}

static int board_write(void *self, struct td_probe_at at, uint64_t address, const void *from, uint32_t bytes,
                       char *why)
{
    char *to = locate(self, at, address, bytes);
    if (!to)
        return no_such_place(why);
    memcpy(to, from, bytes);
    return 0;
}

static void *board_map(void *self, struct td_probe_at at, uint64_t address, uint32_t bytes)
{
    return locate(self, at, address, bytes);
}

static int board_clock(void *self, struct td_probe_at at, uint64_t *ticks, char *why)
{
    struct memory_board *b = self;
    if (!locate(b, at, 0, 0))
        return no_such_place(why);
    *ticks = ++b->ticks;
    return 0;
}

static int board_control(void *self, uint32_t what, uint64_t value, uint64_t *out, char *why)
{
    struct memory_board *b = self;
    if (what == TD_CONTROL_FREEZE)
        b->frozen += (int)(int64_t)value;
    if (what == TD_CONTROL_AGENT)
        b->agent = value != 0;
    return 0;
}

static int board_alive(void *self, char *why)
{
    struct memory_board *b = self;
    if (b->gone)
        strcpy(why, "the memory is gone");
    return b->gone ? TD_E_GONE : 0;
}

static int send_message(void *self, const void *message, uint32_t bytes)
{
    struct memory_board *b = self;
    if (b->sent_bytes + 4 + bytes > sizeof b->sent)
        return TD_E_GONE;
    memcpy(b->sent + b->sent_bytes, &bytes, 4);
    memcpy(b->sent + b->sent_bytes + 4, message, bytes);
    b->sent_bytes += 4 + bytes;
    return 0;
}

static void on_notify(void *self)
{
    ((struct memory_board *)self)->notified++;
}

static int is_nth(unsigned *count, unsigned n)
{
    return n && ++*count % n == 0;
}

static int link_send(struct td_link *l, const void *message, size_t bytes, struct td_err *err)
{
    struct memory_board *b = (void *)((char *)l - offsetof(struct memory_board, link));
    l->stats.messages_out++;
    if (!is_nth(&b->requests, b->lose_requests))
        td_probe_message(&b->probe, message, (uint32_t)bytes, b->now_ms);
    return 0;
}

static int link_receive(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err)
{
    struct memory_board *b = (void *)((char *)l - offsetof(struct memory_board, link));
    /* The probe's clock stops while this process is stopped: the host must not count as silent then. */
    const int64_t real_ms = td_mono_ms(), passed_ms = real_ms - b->real_ms;
    b->now_ms += (uint32_t)(passed_ms < MAX_STEP_MS ? passed_ms : MAX_STEP_MS);
    b->real_ms = real_ms;
    td_probe_idle(&b->probe, b->now_ms);
    while (b->sent_read < b->sent_bytes) {
        uint32_t bytes;
        memcpy(&bytes, b->sent + b->sent_read, 4);
        memcpy(to, b->sent + b->sent_read + 4, bytes);
        b->sent_read += 4 + bytes;
        if (b->sent_read == b->sent_bytes)
            b->sent_read = b->sent_bytes = 0;
        if (is_nth(&b->answers, b->lose_answers)) {
            l->stats.bad_frames++;
            continue;
        }
        l->stats.bytes_in += bytes;
        return (int)bytes;
    }
    nanosleep(&(struct timespec){0, 100000}, NULL);
    return 0;
}

static void link_close(struct td_link *l)
{
    struct memory_board *b = (void *)((char *)l - offsetof(struct memory_board, link));
    td_probe_end(&b->probe);
}

static const struct td_link_ops link_ops = {
    .name = "memory", .send = link_send, .receive = link_receive, .close = link_close};

void memory_board_init(struct memory_board *b, int mapped)
{
    memset(b, 0, sizeof *b);
    b->link.ops = &link_ops;
    struct td_probe_config config = {
        .board = {.read = board_read,
                  .write = board_write,
                  .map = mapped ? board_map : NULL,
                  .clock = board_clock,
                  .control = board_control,
                  .alive = board_alive,
                  .description = "[board]\nname=memory\n",
                  .grid = "2x1",
                  .name = "test",
                  .self = b},
        .link = {.send = send_message, .notify = on_notify, .self = b},
        .out = b->out,
        .kept = b->kept,
        .out_bytes = TD_PROBE_MAX_BYTES,
        .lanes = b->lanes,
        .lane_capacity = MEMORY_LANES,
    };
    td_probe_init(&b->probe, &config);
}

struct td_probe_lane memory_lane(uint32_t lane)
{
    return (struct td_probe_lane){.x = (uint16_t)(lane / 2),
                                  .lane = lane,
                                  .ctrl_address = 0x100 + lane % 2 * TD_LANE_CTRL_BYTES,
                                  .ring_address = 0x1000 + lane % 2 * RING_SLOTS * 8,
                                  .ring_slots = RING_SLOTS};
}

uint32_t *memory_ctrl(struct memory_board *b, uint32_t lane)
{
    return (uint32_t *)(void *)((char *)b->memory[lane / 2] + memory_lane(lane).ctrl_address);
}

uint32_t *memory_ring(struct memory_board *b, uint32_t lane)
{
    return (uint32_t *)(void *)((char *)b->memory[lane / 2] + memory_lane(lane).ring_address);
}

int memory_core_put(struct memory_board *b, uint32_t lane)
{
    uint32_t *ctrl = memory_ctrl(b, lane), number = b->tail[lane];
    uint32_t *slot = memory_ring(b, lane) + 2 * (number % RING_SLOTS);
    if (number - ctrl[TD_LANE_head / 4] >= RING_SLOTS)
        return 0;
    slot[1] = number;
    slot[0] = MEMORY_SLOT(lane, number);
    ctrl[TD_LANE_tail / 4] = b->tail[lane] = number + 1;
    return 1;
}
