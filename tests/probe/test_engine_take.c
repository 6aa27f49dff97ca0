/* What the engine of probes sends for TAKE and FINISH, with a board in memory. */
#include "tests/probe/engine_host.h"

static void a_busy_lane_does_not_keep_others_waiting(void **state)
{
    arm_and_gather();
    memory_core_put(&board, 3);
    for (int i = 0; i < 8 && !slots_of[3]; i++) {
        while (memory_core_put(&board, 0))
            ;
        take(RING_SLOTS, 0);
    }
    assert_int_equal(slots_of[3], 1);
}

static void take_waits_for_the_first_slot_or_the_end_of_its_time(void **state)
{
    const struct td_probe_take ask_for = {10, 50};
    arm_and_gather();
    ask_as(600, TD_PROBE_TAKE, &ask_for, 8);
    ask_as(601, TD_PROBE_TAKE, &ask_for, 8);
    ask_as(601, TD_PROBE_TAKE, &ask_for, 8); /* a repeated request that waits already */
    assert_int_equal(td_probe_idle(&board.probe, board.now_ms += 20), 0);
    assert_int_equal(next(), 0);
    memory_core_put(&board, 1);
    assert_int_equal(td_probe_idle(&board.probe, board.now_ms), 1);
    assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
    assert_int_equal(last.head.seq, 600);
    assert_int_equal(slots_of[1], 1);
    assert_int_equal(td_probe_idle(&board.probe, board.now_ms += 31), 1);
    assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
    assert_int_equal(last.head.seq, 601);
    assert_int_equal(td_probe_idle(&board.probe, board.now_ms), 0);
    /* Other requests do not wait for a TAKE, and answers keep their order. */
    ask_as(602, TD_PROBE_TAKE, &ask_for, 8);
    ask_as(603, TD_PROBE_PING, "", 0);
    assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
    assert_int_equal(answer_of(TD_PROBE_PING), 0);
    for (uint16_t i = 0; i < 3 * TD_PROBE_PENDING; i++)
        ask_as((uint16_t)(700 + i), TD_PROBE_TAKE, &ask_for, 8);
    for (uint16_t i = 0; i < 2 * TD_PROBE_PENDING; i++)
        assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
}

static void reads_do_not_end_the_wait_of_take_if_the_host_says_so(void **state)
{
    const struct td_probe_hello hello = {
        .version = TD_PROBE_VERSION, .max_bytes = TD_PROBE_MAX_BYTES, .flags = TD_PROBE_TAKES_WAIT};
    const struct td_probe_take ask_for = {10, 30};
    struct td_probe_hello answer;
    assert_int_equal(ask(TD_PROBE_HELLO, &hello, sizeof hello), 0);
    memcpy(&answer, last.payload, sizeof answer);
    assert_int_equal(answer.flags, TD_PROBE_HAS_CONTROL | TD_PROBE_TAKES_WAIT);
    arm_and_gather();
    const struct td_probe_lane lane = memory_lane(0);
    struct {
        struct td_probe_place place;
        uint32_t word;
    } write = {{lane.chip, lane.x, lane.y, 0, lane.ring_address, 4, 0}, 0};
    ask_as(601, TD_PROBE_TAKE, &ask_for, 8);
    ask_as(602, TD_PROBE_READ, &write.place, sizeof write.place);
    assert_int_equal(answer_of(TD_PROBE_READ), 0);
    ask_as(603, TD_PROBE_WRITE, &write, sizeof write.place + 4);
    assert_int_equal(answer_of(TD_PROBE_WRITE), 0);
    memory_core_put(&board, 0);
    assert_int_equal(td_probe_idle(&board.probe, board.now_ms), 1);
    assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
    assert_int_equal(last.head.seq, 601);
    assert_int_equal(slots_of[0], 1);
    /* A repetition of the request before is still known as one: it would clear the next slot. */
    memory_core_put(&board, 0);
    write.place.address += TD_SLOT_BYTES;
    ask_as(603, TD_PROBE_WRITE, &write, sizeof write.place + 4);
    assert_int_equal(answer_of(TD_PROBE_WRITE), 0);
    assert_int_equal(take(10, 0).slots, 1);
    ask_as(604, TD_PROBE_TAKE, &ask_for, 8);
    ask_as(605, TD_PROBE_PING, "", 0);
    assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
    assert_int_equal(answer_of(TD_PROBE_PING), 0);
    /* Only this host. */
    begin_with(TD_PROBE_MAX_BYTES, 1);
    arm_and_gather();
    ask_as(601, TD_PROBE_TAKE, &ask_for, 8);
    ask_as(602, TD_PROBE_READ, &write.place, sizeof write.place);
    assert_int_equal(answer_of(TD_PROBE_TAKE), 0);
    assert_int_equal(answer_of(TD_PROBE_READ), 0);
}

static void kept_slots_come_first_with_the_next_take_or_finish(void **state)
{
    struct td_probe_taken taken;
    assert_false(td_probe_keep_slots(&board.probe)); /* no lanes are gathered */
    /* A message takes 61 slots, or fewer where they are of several lanes. */
    begin_with(512, 0);
    arm_and_gather();
    uint32_t written = 0;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
            for (uint32_t i = 0; i < RING_SLOTS / 4; i++)
                written += (uint32_t)memory_core_put(&board, lane);
    assert_true(td_probe_keep_slots(&board.probe));
    assert_false(next());
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        assert_int_equal(memory_ctrl(&board, lane)[TD_LANE_head / 4], written / MEMORY_LANES);
    /* There is no room for all of these: the others stay in their lanes. */
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        while (memory_core_put(&board, lane))
            written++;
    assert_false(td_probe_keep_slots(&board.probe));
    taken = take(10000, 0);
    assert_int_equal(taken.slots, written);
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        assert_int_equal(slots_of[lane], written / MEMORY_LANES);
    memory_core_put(&board, 1);
    assert_true(td_probe_keep_slots(&board.probe));
    assert_int_equal(ask(TD_PROBE_FINISH, &(struct td_probe_take){10, 0}, 8), 0);
    assert_int_equal(slots_of[1], written / MEMORY_LANES + 1);
}

static void finish_takes_what_is_there_and_gives_the_lanes_back(void **state)
{
    struct td_probe_taken taken = {0, 1};
    arm_and_gather();
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        while (memory_core_put(&board, lane))
            ;
    for (int i = 0; taken.more && i < 100; i++) {
        assert_int_equal(ask(TD_PROBE_FINISH, &(struct td_probe_take){10, 0}, 8), 0);
        memcpy(&taken, last.payload, sizeof taken);
        /* FINISH ends although cores continue to write. */
        for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
            memory_core_put(&board, lane);
    }
    assert_int_equal(taken.more, 0);
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        assert_int_equal(slots_of[lane], RING_SLOTS);
    assert_false(td_probe_is_gathering(&board.probe));
    assert_int_equal(ask(TD_PROBE_TAKE, &(struct td_probe_take){10, 0}, 8), TD_E_USAGE);
    for (uint32_t lane = 0; lane < MEMORY_LANES; lane++)
        assert_int_equal(memory_ctrl(&board, lane)[TD_LANE_policy / 4], TD_POLICY_BLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_busy_lane_does_not_keep_others_waiting),
        test(take_waits_for_the_first_slot_or_the_end_of_its_time),
        test(reads_do_not_end_the_wait_of_take_if_the_host_says_so),
        test(kept_slots_come_first_with_the_next_take_or_finish),
        test(finish_takes_what_is_there_and_gives_the_lanes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
