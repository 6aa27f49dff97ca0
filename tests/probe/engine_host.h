/* The host of an engine's tests: asks the probe of a board in memory, and checks the slots that it sends. Included by one
 * file of a program. */
#pragma once
#include "tests/probe/memory_board.h"

#include "host/base/err.h"
#include "proto/device/frame.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "proto/probe/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct message {
    struct td_probe_head head;
    uint8_t payload[TD_PROBE_MAX_BYTES];
};

static struct memory_board board;
static struct message last;
static uint32_t slots_of[MEMORY_LANES]; /* arrived, by lane; each checked */

static inline void ask_as(uint16_t seq, enum td_probe_type type, const void *payload, size_t bytes)
{
    struct message m = {.head = {(uint8_t)type, 0, 0, seq, (uint16_t)bytes}};
    memcpy(m.payload, payload, bytes);
    td_probe_message(&board.probe, &m, (uint32_t)(sizeof m.head + bytes), board.now_ms);
}

/* Copies the next message of the engine to `last` and returns 1; 0: there is none. */
static inline int next(void)
{
    uint32_t bytes;
    if (board.sent_read == board.sent_bytes)
        return 0;
    memcpy(&bytes, board.sent + board.sent_read, 4);
    memcpy(&last, board.sent + board.sent_read + 4, bytes);
    board.sent_read += 4 + bytes;
    assert_int_equal(last.head.bytes + sizeof last.head, bytes);
    return 1;
}

static inline void check_frames(void)
{
    const uint32_t *w = (const uint32_t *)(const void *)last.payload;
    const uint32_t *end = w + last.head.bytes / 4;
    assert_int_equal(last.head.bytes % 4, 0);
    while (w < end) {
        uint32_t slots = w[0] & 0xffff, lane = w[1];
        assert_int_equal(w[0] >> 16, TD_FRAME_MAGIC);
        assert_int_equal(w[3], (uint32_t)TD_FRAME_CHECK(w[0], w[1], w[2]));
        assert_true(lane < MEMORY_LANES && slots > 0);
        assert_int_equal(w[2], slots_of[lane]);
        for (uint32_t i = 0; i < slots; i++) {
            assert_int_equal(w[4 + 2 * i], MEMORY_SLOT(lane, slots_of[lane]));
            assert_int_equal(w[5 + 2 * i], slots_of[lane]++);
        }
        w += TD_FRAME_HEAD_WORDS + 2 * slots;
    }
    assert_ptr_equal(w, end);
}

/* Takes LANES messages up to the answer of this type. Returns its status. */
static inline int answer_of(enum td_probe_type type)
{
    while (next() && last.head.type == (TD_PROBE_LANES | TD_PROBE_ANSWER))
        check_frames();
    assert_int_equal(last.head.type, type | TD_PROBE_ANSWER);
    return last.head.status;
}

static uint16_t seq;
static inline int ask(enum td_probe_type type, const void *payload, size_t bytes)
{
    ask_as(++seq, type, payload, bytes);
    return answer_of(type);
}

static inline void begin_with(uint32_t max_bytes, int mapped)
{
    const struct td_probe_hello hello = {.version = TD_PROBE_VERSION, .max_bytes = max_bytes};
    memory_board_init(&board, mapped);
    memset(slots_of, 0, sizeof slots_of);
    assert_int_equal(ask(TD_PROBE_HELLO, &hello, sizeof hello), 0);
}

static inline int begin(void **state)
{
    begin_with(TD_PROBE_MAX_BYTES, 1);
    return 0;
}

static inline void arm_and_gather(void)
{
    struct td_probe_lane lanes[MEMORY_LANES];
    for (uint32_t i = 0; i < MEMORY_LANES; i++) {
        lanes[i] = memory_lane(i);
        memory_ctrl(&board, i)[TD_LANE_policy / 4] = TD_POLICY_BLOCK;
    }
    assert_int_equal(ask(TD_PROBE_GATHER, lanes, sizeof lanes), 0);
}

static inline struct td_probe_taken take(uint32_t max_slots, uint32_t wait_ms)
{
    struct td_probe_taken taken;
    assert_int_equal(ask(TD_PROBE_TAKE, &(struct td_probe_take){max_slots, wait_ms}, 8), 0);
    memcpy(&taken, last.payload, sizeof taken);
    return taken;
}

static inline void expect_disarmed(void)
{
    for (uint32_t i = 0; i < MEMORY_LANES; i++)
        assert_int_equal(memory_ctrl(&board, i)[TD_LANE_policy / 4], TD_POLICY_OFF);
    assert_false(td_probe_is_gathering(&board.probe));
}

#define test(function) cmocka_unit_test_setup(function, begin)
