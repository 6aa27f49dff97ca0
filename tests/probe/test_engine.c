/* The engine of probes, with a board in memory. */
#include "tests/probe/engine_host.h"

static void hello_agrees_on_what_both_can(void **state)
{
    struct td_probe_hello hello;
    memcpy(&hello, last.payload, sizeof hello);
    assert_int_equal(last.head.bytes, sizeof hello);
    assert_int_equal(hello.max_bytes, TD_PROBE_MAX_BYTES);
    assert_string_equal(hello.grid, "2x1");
    assert_string_equal(hello.name, "test");
    assert_int_equal(hello.flags, TD_PROBE_HAS_CONTROL);
    hello = (struct td_probe_hello){.version = TD_PROBE_VERSION + 1, .max_bytes = TD_PROBE_MAX_BYTES};
    assert_int_equal(ask(TD_PROBE_HELLO, &hello, sizeof hello), TD_E_VERSION);
    hello = (struct td_probe_hello){.version = TD_PROBE_VERSION, .max_bytes = 100};
    assert_int_equal(ask(TD_PROBE_HELLO, &hello, sizeof hello), TD_E_FORMAT);
    assert_int_equal(ask(TD_PROBE_PING, "", 0), TD_E_USAGE);
}

static void memory_is_read_written_and_filled_and_only_where_there_is_some(void **state)
{
    struct {
        struct td_probe_place at;
        uint32_t words[4];
    } w = {{.x = 1, .address = 0x200, .bytes = 16}, {1, 2, 3, 4}};
    assert_int_equal(ask(TD_PROBE_WRITE, &w, sizeof w.at + 16), 0);
    assert_int_equal(ask(TD_PROBE_READ, &w.at, sizeof w.at), 0);
    assert_int_equal(last.head.bytes, 16);
    assert_memory_equal(last.payload, w.words, 16);
    w.at.word = 7;
    w.at.bytes = 0x1000;
    assert_int_equal(ask(TD_PROBE_FILL, &w.at, sizeof w.at), 0);
    assert_int_equal(board.memory[1][0x200 / 8], UINT64_C(0x700000007));
    assert_int_equal(board.memory[1][0x11f8 / 8], UINT64_C(0x700000007));
    assert_int_equal(board.memory[1][0x1200 / 8], 0);
    w.at.bytes = 6;
    assert_int_equal(ask(TD_PROBE_FILL, &w.at, sizeof w.at), TD_E_USAGE);
    w.at = (struct td_probe_place){.x = 2, .bytes = 4};
    assert_int_equal(ask(TD_PROBE_READ, &w.at, sizeof w.at), TD_E_USAGE);
    assert_memory_equal(last.payload, "no such place", last.head.bytes);
    w.at = (struct td_probe_place){.address = UINT64_MAX - 3, .bytes = 8};
    assert_int_equal(ask(TD_PROBE_READ, &w.at, sizeof w.at), TD_E_USAGE);
    w.at = (struct td_probe_place){.bytes = UINT32_MAX};
    assert_int_equal(ask(TD_PROBE_READ, &w.at, sizeof w.at), TD_E_USAGE);
}

static void the_description_comes_in_pieces_up_to_its_end(void **state)
{
    uint32_t offset = 8;
    assert_int_equal(ask(TD_PROBE_DESCRIBE, &offset, 4), 0);
    assert_memory_equal(last.payload, "name=memory\n", 12);
    assert_int_equal(last.head.bytes, 12);
    offset = 20;
    assert_int_equal(ask(TD_PROBE_DESCRIBE, &offset, 4), 0);
    assert_int_equal(last.head.bytes, 0);
    offset = 21;
    assert_int_equal(ask(TD_PROBE_DESCRIBE, &offset, 4), TD_E_USAGE);
}

static void what_does_not_have_its_right_length_is_an_error_or_nothing(void **state)
{
    for (int type = 0; type < 256; type++)
        for (uint32_t bytes = 0; bytes < 80; bytes++) {
            const int known = type >= TD_PROBE_HELLO && type <= TD_PROBE_PING;
            uint8_t junk[80] = {0};
            ask_as(++seq, (enum td_probe_type)type, junk, bytes);
            const int answered = next();
            assert_int_equal(answered, known);
            board.sent_read = board.sent_bytes = 0;
        }
    uint8_t short_one[sizeof(struct td_probe_head)] = {TD_PROBE_PING};
    td_probe_message(&board.probe, short_one, 7, 0);
    short_one[6] = 1;
    td_probe_message(&board.probe, short_one, 8, 0);
    assert_int_equal(next(), 0);
}

static void a_repeated_request_is_answered_again_and_not_done_again(void **state)
{
    const struct td_probe_control freeze = {.what = TD_CONTROL_FREEZE, .value = 1};
    for (int i = 0; i < 3; i++) {
        ask_as(500, TD_PROBE_CONTROL, &freeze, sizeof freeze);
        assert_int_equal(answer_of(TD_PROBE_CONTROL), 0);
        assert_int_equal(board.frozen, 1);
    }
    const struct td_probe_lane lane = memory_lane(0);
    for (int i = 0; i < 2; i++) {
        ask_as(501, TD_PROBE_GATHER, &lane, sizeof lane);
        assert_int_equal(answer_of(TD_PROBE_GATHER), 0);
    }
    memory_core_put(&board, 0);
    for (int i = 0; i < 2; i++) {
        struct td_probe_taken taken;
        ask_as(502, TD_PROBE_FINISH, &(struct td_probe_take){100, 0}, 8);
        assert_int_equal(answer_of(TD_PROBE_FINISH), 0);
        memcpy(&taken, last.payload, sizeof taken);
        assert_int_equal(taken.slots, 1);
        assert_int_equal(taken.more, 0);
    }
    assert_int_equal(slots_of[0], 1);
}

static void slots_come_whole_and_in_order_and_room_is_given_back(int mapped, uint32_t max_bytes)
{
    uint32_t put[MEMORY_LANES] = {0}, seed = 3;
    begin_with(max_bytes, mapped);
    arm_and_gather();
    for (int round = 0; round < 2000; round++) {
        for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
            for (seed = seed * 1664525 + 1013904223; seed >> 30; seed *= 5)
                put[lane] += (uint32_t)memory_core_put(&board, lane);
        take(1 + seed % 40, 0);
        board.sent_read = board.sent_bytes = 0;
    }
    while (take(1000, 0).slots)
        ;
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++) {
        assert_true(put[lane] > RING_SLOTS * 10);
        assert_int_equal(slots_of[lane], put[lane]);
        assert_int_equal(memory_ctrl(&board, lane)[TD_LANE_head / 4], put[lane]);
        for (uint32_t i = 0; i < 2 * RING_SLOTS; i++)
            assert_int_equal(memory_ring(&board, lane)[i], 0);
    }
}

static void mapped_lanes_are_gathered_whole_and_in_order(void **state)
{
    slots_come_whole_and_in_order_and_room_is_given_back(1, TD_PROBE_MAX_BYTES);
    slots_come_whole_and_in_order_and_room_is_given_back(1, TD_PROBE_MIN_BYTES);
}

static void lanes_without_a_map_are_gathered_whole_and_in_order(void **state)
{
    slots_come_whole_and_in_order_and_room_is_given_back(0, TD_PROBE_MAX_BYTES);
    slots_come_whole_and_in_order_and_room_is_given_back(0, TD_PROBE_MIN_BYTES);
}

static void a_slot_that_the_hint_does_not_tell_is_found(void **state)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        uint32_t looks = 0;
        begin_with(TD_PROBE_MAX_BYTES, mapped);
        arm_and_gather();
        memory_core_put(&board, 2);
        memory_ctrl(&board, 2)[TD_LANE_tail / 4] = 0;
        while (take(10, 0).slots == 0 && looks < 100)
            looks++;
        assert_true(looks < 100);
        assert_int_equal(slots_of[2], 1);
    }
}

static void a_lane_is_left_alone_while_its_core_does_not_answer_with_its_number(void **state)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        begin_with(TD_PROBE_MAX_BYTES, mapped);
        struct td_probe_lane lane = memory_lane(1);
        lane.join = 6;
        memory_ctrl(&board, 1)[TD_LANE_joined / 4] = 4;
        memory_core_put(&board, 1);
        assert_int_equal(ask(TD_PROBE_GATHER, &lane, sizeof lane), 0);
        for (int i = 0; i < 200; i++)
            assert_int_equal(take(10, 0).slots, 0);
        memory_ctrl(&board, 1)[TD_LANE_joined / 4] = 6 | TD_JOIN_LEFT;
        assert_int_equal(take(10, 0).slots, 0);
        memory_ctrl(&board, 1)[TD_LANE_joined / 4] = 6;
        assert_int_equal(take(10, 0).slots, 1);
    }
}

static void slots_that_a_kernel_has_cleared_are_given_up(void **state)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        begin_with(TD_PROBE_MAX_BYTES, mapped);
        arm_and_gather();
        while (memory_core_put(&board, 2))
            ;
        memset(memory_ring(&board, 2), 0, 3 * TD_SLOT_BYTES);
        slots_of[2] = 3; /* the frames' numbers show that these are lost */
        for (int i = 0; i < 200 && slots_of[2] == 3; i++)
            take(RING_SLOTS, 0);
        assert_int_equal(slots_of[2], RING_SLOTS);
        assert_int_equal(memory_core_put(&board, 2), 1);
    }
}

static void lanes_that_make_no_sense_are_refused_all_or_none(void **state)
{
    struct td_probe_lane lanes[2] = {memory_lane(0), memory_lane(0)};
    assert_int_equal(ask(TD_PROBE_GATHER, lanes, sizeof lanes), TD_E_USAGE);
    static const uint32_t bad_slots[] = {0, 3, 1u << 31};
    for (int i = 0; i < 3; i++) {
        lanes[0].ring_slots = bad_slots[i];
        assert_int_equal(ask(TD_PROBE_GATHER, lanes, sizeof *lanes), TD_E_USAGE);
    }
    assert_int_equal(ask(TD_PROBE_GATHER, lanes, sizeof *lanes + 1), TD_E_FORMAT);
    arm_and_gather();
    struct td_probe_lane more = memory_lane(0);
    more.lane = 99;
    assert_int_equal(ask(TD_PROBE_GATHER, &more, sizeof more), TD_E_LIMIT);
}

/* The host sends nothing for `ms`, and the probe looks at its usual interval. */
static void be_silent(uint32_t ms)
{
    for (uint32_t step; ms; ms -= step) {
        step = ms < TD_PROBE_LOOK_MS ? ms : TD_PROBE_LOOK_MS;
        td_probe_idle(&board.probe, board.now_ms += step);
    }
}

static void a_silent_host_loses_its_lanes_and_is_told(void **state)
{
    const struct td_probe_control freeze = {.what = TD_CONTROL_FREEZE, .value = 1},
                                  agent = {.what = TD_CONTROL_AGENT, .value = 17};
    arm_and_gather();
    ask(TD_PROBE_CONTROL, &freeze, sizeof freeze);
    ask(TD_PROBE_CONTROL, &agent, sizeof agent);
    be_silent(TD_PROBE_SILENCE_MS - 1);
    assert_true(td_probe_is_gathering(&board.probe));
    be_silent(1);
    expect_disarmed();
    assert_int_equal(board.frozen + board.agent, 0);
    assert_true(td_probe_was_given_up(&board.probe));
    assert_int_equal(ask(TD_PROBE_TAKE, &(struct td_probe_take){10, 0}, 8), TD_PROBE_GIVEN_UP);
    assert_int_equal(ask(TD_PROBE_PING, "", 0), TD_PROBE_GIVEN_UP);
}

static void a_host_that_was_given_up_says_hello_and_goes_on(void **state)
{
    const struct td_probe_hello hello = {.version = TD_PROBE_VERSION, .max_bytes = 4096};
    arm_and_gather();
    be_silent(TD_PROBE_SILENCE_MS);
    assert_int_equal(ask(TD_PROBE_HELLO, &hello, sizeof hello), 0);
    assert_false(td_probe_was_given_up(&board.probe));
    arm_and_gather();
    memory_core_put(&board, 1);
    assert_int_equal(take(10, 0).slots, 1);
}

static void a_host_that_says_something_now_and_then_is_not_silent(void **state)
{
    arm_and_gather();
    for (int i = 0; i < 3; i++) {
        be_silent(TD_PROBE_SILENCE_MS - 1);
        ask(TD_PROBE_PING, "", 0);
    }
    assert_true(td_probe_is_gathering(&board.probe));
}

static void what_the_board_takes_to_answer_is_no_silence_of_the_host(void **state)
{
    arm_and_gather();
    ask(TD_PROBE_PING, "", 0);
    td_probe_idle(&board.probe, board.now_ms += TD_PROBE_SILENCE_MS + 1); /* the call took this time */
    assert_true(td_probe_is_gathering(&board.probe));
    be_silent(TD_PROBE_SILENCE_MS);
    expect_disarmed();
}

/* The probe's process does not run for a while, on a stopped or busy machine: the host does not count as
 * silent. */
static void while_the_probe_does_not_look_the_host_is_not_silent(void **state)
{
    arm_and_gather();
    for (int i = 0; i < TD_PROBE_SILENCE_MS / TD_PROBE_LOOK_MS - 1; i++)
        td_probe_idle(&board.probe, board.now_ms += TD_PROBE_SILENCE_MS);
    assert_true(td_probe_is_gathering(&board.probe));
    td_probe_idle(&board.probe, board.now_ms += TD_PROBE_SILENCE_MS);
    expect_disarmed();
}

static void a_host_that_vanishes_after_finish_leaves_no_lane_armed(void **state)
{
    arm_and_gather();
    assert_int_equal(ask(TD_PROBE_FINISH, &(struct td_probe_take){1000, 0}, 8), 0);
    be_silent(TD_PROBE_SILENCE_MS);
    expect_disarmed();
    assert_int_equal(ask(TD_PROBE_PING, "", 0), 0); /* but the session lives on */
}

static void a_new_hello_and_a_hang_up_disarm_lanes(void **state)
{
    const struct td_probe_hello hello = {.version = TD_PROBE_VERSION, .max_bytes = 4096};
    arm_and_gather();
    assert_int_equal(ask(TD_PROBE_HELLO, &hello, sizeof hello), 0);
    expect_disarmed();
    arm_and_gather();
    td_probe_end(&board.probe);
    expect_disarmed();
}

static void a_board_is_only_let_go_as_often_as_it_was_frozen(void **state)
{
    struct td_probe_control freeze = {.what = TD_CONTROL_FREEZE, .value = (uint64_t)-1};
    assert_int_equal(ask(TD_PROBE_CONTROL, &freeze, sizeof freeze), TD_E_USAGE);
    freeze.value = 1u << 31;
    assert_int_equal(ask(TD_PROBE_CONTROL, &freeze, sizeof freeze), TD_E_USAGE);
    freeze.what = 999;
    assert_int_equal(ask(TD_PROBE_CONTROL, &freeze, sizeof freeze), TD_E_USAGE);
    assert_int_equal(board.frozen, 0);
}

static void notification_comes_once_between_two_takes(void **state)
{
    arm_and_gather();
    td_probe_idle(&board.probe, board.now_ms);
    assert_int_equal(board.notified, 0);
    for (int round = 1; round <= 2; round++) {
        memory_core_put(&board, 2);
        for (int i = 0; i < 5; i++)
            td_probe_idle(&board.probe, board.now_ms);
        assert_int_equal(board.notified, round);
        take(10, 0);
    }
}

static void a_board_that_is_gone_is_told_by_ping_and_take(void **state)
{
    arm_and_gather();
    board.gone = 1;
    assert_int_equal(ask(TD_PROBE_PING, "", 0), TD_E_GONE);
    assert_memory_equal(last.payload, "the memory is gone", last.head.bytes);
    assert_int_equal(ask(TD_PROBE_TAKE, &(struct td_probe_take){10, 1000}, 8), TD_E_GONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(hello_agrees_on_what_both_can),
        test(memory_is_read_written_and_filled_and_only_where_there_is_some),
        test(the_description_comes_in_pieces_up_to_its_end),
        test(what_does_not_have_its_right_length_is_an_error_or_nothing),
        test(a_repeated_request_is_answered_again_and_not_done_again),
        test(mapped_lanes_are_gathered_whole_and_in_order),
        test(lanes_without_a_map_are_gathered_whole_and_in_order),
        test(a_lane_is_left_alone_while_its_core_does_not_answer_with_its_number),
        test(slots_that_a_kernel_has_cleared_are_given_up),
        test(a_slot_that_the_hint_does_not_tell_is_found),
        test(lanes_that_make_no_sense_are_refused_all_or_none),
        test(a_silent_host_loses_its_lanes_and_is_told),
        test(a_host_that_was_given_up_says_hello_and_goes_on),
        test(a_host_that_says_something_now_and_then_is_not_silent),
        test(what_the_board_takes_to_answer_is_no_silence_of_the_host),
        test(while_the_probe_does_not_look_the_host_is_not_silent),
        test(a_host_that_vanishes_after_finish_leaves_no_lane_armed),
        test(a_new_hello_and_a_hang_up_disarm_lanes),
        test(a_board_is_only_let_go_as_often_as_it_was_frozen),
        test(notification_comes_once_between_two_takes),
        test(a_board_that_is_gone_is_told_by_ping_and_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
