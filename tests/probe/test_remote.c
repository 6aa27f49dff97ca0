/* The remote transport, with an engine at the other end of a link that loses messages. */
#include "tests/probe/memory_board.h"

#include "host/transport/gather.h"
#include "host/transport/transport.h"
#include "proto/device/lane.h"
#include "proto/probe/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct memory_board board;
static uint32_t next_slot[MEMORY_LANES];
static uint64_t gaps, arrived;

static struct td_transport *open_board(int lossy)
{
    struct td_err err = {0};
    memory_board_init(&board, 1);
    board.link.lossy = lossy;
    memset(next_slot, 0, sizeof next_slot);
    gaps = arrived = 0;
    struct td_transport *t = td_remote_open(&board.link, "memory", &err);
    if (!t)
        fail_msg("%s", err.text);
    return t;
}

static void add_lanes_from(struct td_gather *g, uint32_t head)
{
    struct td_gather_lane lanes[MEMORY_LANES];
    for (uint32_t i = 0; i < MEMORY_LANES; i++) {
        const struct td_probe_lane l = memory_lane(i);
        lanes[i] = (struct td_gather_lane){.tile = {l.chip, l.x, l.y},
                                           .lane = i,
                                           .ctrl_address = l.ctrl_address,
                                           .ring_address = l.ring_address,
                                           .ring_slots = l.ring_slots,
                                           .head = head};
    }
    assert_int_equal(g->ops->add(g, lanes, MEMORY_LANES, NULL), 0);
}

static void add_lanes(struct td_gather *g)
{
    add_lanes_from(g, 0);
}

static int on_words(void *self, uint32_t lane, uint32_t first_slot, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    assert_true(lane < MEMORY_LANES && first_slot >= next_slot[lane]);
    gaps += first_slot - next_slot[lane];
    for (size_t i = 0; i < slots; i++) {
        assert_int_equal(words[2 * i], MEMORY_SLOT(lane, first_slot + i));
        assert_int_equal(words[2 * i + 1], first_slot + i);
    }
    next_slot[lane] = first_slot + (uint32_t)slots;
    arrived += slots;
    return 0;
}

static void memory_clock_and_description_are_the_boards(void **state)
{
    struct td_transport *t = open_board(0);
    static uint8_t out[9001], in[9001];
    const struct td_tile_at at = {0, 1, 0};
    const char *text, *grid;
    struct td_clock_sample sample;
    assert_int_equal(t->exclusive + t->cleans_up, 2);
    assert_int_equal(t->ops->describe(t, &text, &grid, NULL), 0);
    assert_string_equal(text, "[board]\nname=memory\n");
    assert_string_equal(grid, "2x1");
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)(i * i >> 3);
    for (uint64_t from = 3; from < 9; from++) {
        assert_int_equal(t->ops->write(t, at, from, out, sizeof out, NULL), 0);
        assert_int_equal(t->ops->read(t, at, from, in, sizeof in, NULL), 0);
        assert_memory_equal(in, out, sizeof in);
    }
    memset(out, 0, sizeof out);
    assert_int_equal(t->ops->write(t, at, 4, out, 9000, NULL), 0);
    assert_int_equal(t->ops->read(t, at, 4, in, 9000, NULL), 0);
    assert_memory_equal(in, out, 9000);
    board.ticks = UINT64_C(0x123456789a);
    assert_int_equal(t->ops->clock(t, at, &sample, NULL), 0);
    assert_int_equal(sample.ticks, UINT64_C(0x123456789b));
    assert_true(sample.host_before <= sample.host_after);
    td_transport_close(t);
}

static void an_error_of_the_board_comes_as_its_own_words(void **state)
{
    struct td_transport *t = open_board(0);
    struct td_err err = {0};
    uint32_t word;
    assert_int_equal(t->ops->read(t, (struct td_tile_at){5, 0, 0}, 0, &word, 4, &err), TD_E_USAGE);
    assert_string_equal(err.text, "no such place");
    assert_int_equal(t->ops->alive(t, NULL), 0);
    td_transport_close(t);
}

static void what_the_link_loses_is_asked_again_and_done_once(void **state)
{
    struct td_transport *t = open_board(1);
    board.lose_requests = 4;
    board.lose_answers = 5;
    for (int i = 1; i <= 4; i++) {
        uint32_t word = 0x1000u + (uint32_t)i, back;
        const struct td_tile_at at = {0, 0, 0};
        assert_int_equal(td_transport_control(t, TD_CONTROL_FREEZE, 1, NULL, NULL), 0);
        assert_int_equal(board.frozen, i);
        assert_int_equal(t->ops->write(t, at, 8, &word, 4, NULL), 0);
        assert_int_equal(t->ops->read(t, at, 8, &back, 4, NULL), 0);
        assert_int_equal(back, word);
    }
    td_transport_close(t);
    assert_int_equal(board.frozen, 0);
}

static void gather_while_losing(unsigned lose_requests, unsigned lose_answers)
{
    struct td_transport *t = open_board(1);
    struct td_gather *g = t->ops->gather(t);
    uint64_t put = 0;
    size_t taken;
    add_lanes(g);
    board.lose_requests = lose_requests;
    board.lose_answers = lose_answers;
    for (int round = 0; round < 400; round++) {
        for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
            put += (uint64_t)memory_core_put(&board, lane);
        assert_int_equal(g->ops->take(g, 1000, 0, on_words, NULL, &taken, NULL), 0);
    }
    assert_int_equal(g->ops->finish(g, on_words, NULL, NULL), 0);
    assert_true(arrived > 0 && arrived <= put);
    assert_int_equal(arrived + g->stats.lost_slots, put);
    assert_true(gaps <= g->stats.lost_slots);
    assert_true((g->stats.lost_slots > 0) == (lose_answers > 0));
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        assert_int_equal(memory_ctrl(&board, lane)[TD_LANE_head / 4], board.tail[lane]);
    td_transport_close(t);
}

static void all_slots_arrive_over_a_good_link(void **state)
{
    gather_while_losing(0, 0);
}

static void slots_that_the_link_lost_are_counted(void **state)
{
    gather_while_losing(0, 7);
    gather_while_losing(0, 3);
}

static void requests_that_the_link_lost_cost_no_slots(void **state)
{
    gather_while_losing(3, 0);
}

/* The host sends nothing until the probe gives it up. */
static void fall_silent(void)
{
    for (uint32_t ms = 0; ms < TD_PROBE_SILENCE_MS; ms += TD_PROBE_LOOK_MS)
        td_probe_idle(&board.probe, board.now_ms += TD_PROBE_LOOK_MS);
    assert_true(td_probe_was_given_up(&board.probe));
}

static void go_on_after_silence(int lossy)
{
    struct td_transport *t = open_board(lossy);
    struct td_gather *g = t->ops->gather(t);
    size_t taken;
    uint64_t put = 0;
    add_lanes(g);
    for (uint32_t round = 1; round <= 3; round++) {
        for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
            put += (uint64_t)memory_core_put(&board, lane);
        while (arrived < put)
            assert_int_equal(g->ops->take(g, 1000, 0, on_words, NULL, &taken, NULL), 0);
        fall_silent();
        while (g->stats.sessions < round)
            assert_int_equal(g->ops->take(g, 1000, 0, on_words, NULL, &taken, NULL), 0);
        add_lanes_from(g, round);
    }
    assert_int_equal(g->ops->finish(g, on_words, NULL, NULL), 0);
    assert_int_equal(arrived, put);
    assert_int_equal(gaps + g->stats.lost_slots, 0);
    td_transport_close(t);
}

static void a_host_that_was_silent_goes_on_in_a_new_session(void **state)
{
    go_on_after_silence(0);
    go_on_after_silence(1);
}

static void what_a_host_that_was_silent_asks_for_is_answered(void **state)
{
    struct td_transport *t = open_board(0);
    uint32_t word = 7;
    struct td_clock_sample sample;
    const struct td_tile_at at = {0, 0, 0};
    add_lanes(t->ops->gather(t));
    fall_silent();
    assert_int_equal(t->ops->write(t, at, 8, &word, 4, NULL), 0);
    assert_int_equal(t->ops->read(t, at, 8, &word, 4, NULL), 0);
    assert_int_equal(word, 7);
    td_transport_close(t);
    t = open_board(0);
    add_lanes(t->ops->gather(t));
    fall_silent();
    assert_int_equal(t->ops->clock(t, at, &sample, NULL), 0);
    assert_int_equal(t->ops->alive(t, NULL), 0);
    td_transport_close(t);
}

static void a_probe_that_says_nothing_is_gone_in_one_line_and_fast_from_then_on(void **state)
{
    struct td_transport *t = open_board(1);
    struct td_err err = {0}, again = {0};
    uint32_t word;
    const struct td_tile_at at = {0, 0, 0};
    board.lose_requests = 1;
    assert_int_equal(t->ops->read(t, at, 0, &word, 4, &err), TD_E_GONE);
    assert_string_equal(err.text, "the probe (memory) does not answer any more");
    board.lose_requests = 0;
    assert_int_equal(t->ops->read(t, at, 0, &word, 4, &again), TD_E_GONE);
    assert_string_equal(err.text, again.text);
    td_transport_close(t);
}

static void where_no_probe_is_opening_fails_in_one_line(void **state)
{
    struct td_err err = {0};
    memory_board_init(&board, 1);
    board.link.lossy = 1;
    board.lose_requests = 1;
    assert_null(td_remote_open(&board.link, "memory", &err));
    assert_string_equal(err.text, "no probe answers (memory)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_clock_and_description_are_the_boards),
        cmocka_unit_test(an_error_of_the_board_comes_as_its_own_words),
        cmocka_unit_test(what_the_link_loses_is_asked_again_and_done_once),
        cmocka_unit_test(all_slots_arrive_over_a_good_link),
        cmocka_unit_test(slots_that_the_link_lost_are_counted),
        cmocka_unit_test(requests_that_the_link_lost_cost_no_slots),
        cmocka_unit_test(a_host_that_was_silent_goes_on_in_a_new_session),
        cmocka_unit_test(what_a_host_that_was_silent_asks_for_is_answered),
        cmocka_unit_test(a_probe_that_says_nothing_is_gone_in_one_line_and_fast_from_then_on),
        cmocka_unit_test(where_no_probe_is_opening_fails_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
