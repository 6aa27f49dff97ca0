/* The drain with a gatherer, with other agents, resets and vanished devices. */
#include "host/base/process.h"
#include "host/device/drain/drain.h"
#include "host/transport/gather.h"
#include "proto/device/packet.h"
#include "tests/device/fake_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define LANES   8
#define ZONE    (0x80000000u | 3u << 16 | 1)
#define MOST    1000
#define NO_LANE 99

struct fixture {
    struct fake_board *fake;
    const struct td_transport_ops *plain;
    struct td_transport_ops ops;
    struct td_gather gather; /* gives lanes in the reverse of their order */
    struct td_gather_lane added[LANES];
    size_t added_count, adds;
    uint32_t lose_of, twice_of, stranger; /* lanes; stranger: slots of a lane that was not handed over */
    uint64_t epoch, drained;
    int virtual_time, has_heartbeat, ring_reads;
    struct td_drain *drain;
    struct fake_core core[LANES];
    uint32_t seen[LANES][MOST], missing[LANES], time_high[LANES], order[MOST];
    size_t count[LANES], calls;
};

static struct fixture *current; /* the callbacks' */

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct fixture *f = self;
    assert_true(slots > 0);
    if (at->gap) {
        f->missing[at->index] += at->missing;
        f->time_high[at->index] = at->time_high;
    }
    if (slots && f->calls < MOST)
        f->order[f->calls++] = at->index;
    for (size_t i = 0; i < slots; i++) {
        assert_true(words[2 * i] & TD_SLOT_VALID && f->count[at->index] < MOST);
        f->seen[at->index][f->count[at->index]++] = words[2 * i + 1];
    }
    return 0;
}

static int add_lanes(struct td_gather *g, const struct td_gather_lane *lanes, size_t count,
                     struct td_err *err)
{
    struct fixture *f = current;
    f->adds++;
    for (size_t i = 0; i < count; i++) {
        assert_true(f->added_count < LANES);
        f->added[f->added_count++] = lanes[i];
    }
    return 0;
}

/* What a lane holds, cleared and given back, as one run of slots. */
static size_t take_lane(struct fixture *f, struct td_gather_lane *l, td_gather_words *words, void *self,
                        struct td_err *err, int *rc)
{
    uint32_t run[2 * FAKE_SLOTS], tile = l->lane / 2, first = l->head;
    uint32_t *ring = fake_words(f->fake, tile, l->ring_address);
    size_t n = 0;
    if (*fake_words(f->fake, tile, l->ctrl_address + TD_LANE_joined) != l->join)
        return 0;
    for (; n < l->ring_slots; n++) {
        uint32_t *slot = ring + 2 * ((first + n) % l->ring_slots);
        if (!(slot[0] & TD_SLOT_VALID))
            break;
        memcpy(run + 2 * n, slot, TD_SLOT_BYTES);
        memset(slot, 0, TD_SLOT_BYTES);
    }
    l->head += (uint32_t)n;
    *fake_words(f->fake, tile, l->ctrl_address + TD_LANE_head) = l->head;
    if (n == 0 || l->lane == f->lose_of)
        return n;
    uint32_t number = f->stranger ? NO_LANE : l->lane;
    *rc = words(self, number, first, run, n, err);
    if (*rc == 0 && l->lane == f->twice_of)
        *rc = words(self, number, first, run, n, err);
    return n;
}

static int take(struct td_gather *g, uint32_t max_slots, int wait_ms, td_gather_words *words, void *self,
                size_t *taken, struct td_err *err)
{
    struct fixture *f = current;
    int rc = 0;
    *taken = 0;
    for (size_t i = f->added_count; rc == 0 && i-- > 0;)
        *taken += take_lane(f, &f->added[i], words, self, err, &rc);
    return rc;
}

static int finish_gather(struct td_gather *g, td_gather_words *words, void *self, struct td_err *err)
{
    struct fixture *f = current;
    size_t taken;
    int rc = take(g, 0, 0, words, self, &taken, err);
    f->added_count = 0;
    return rc;
}

static const struct td_gather_ops gather_ops = {add_lanes, take, finish_gather};

static struct td_gather *own_gatherer(struct td_transport *t)
{
    return &current->gather;
}

static int control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                   struct td_err *err)
{
    struct fixture *f = current;
    uint64_t got = what == TD_CONTROL_CLOCK_MODE ? (uint64_t)f->virtual_time
                   : what == TD_CONTROL_EPOCH    ? f->epoch
                                                 : f->drained;
    if (what == TD_CONTROL_DRAINED)
        f->drained = value;
    if (out)
        *out = got;
    return 0;
}

static int read_memory(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                       struct td_err *err)
{
    struct fixture *f = current;
    f->ring_reads += address >= td_board_ring(&f->fake->board, 0) && address < FAKE_L1_BYTES;
    if (f->has_heartbeat)
        fake_words(f->fake, 0, f->fake->board.lane_base)[TD_TILE_heartbeat / 4]++;
    return f->plain->read(t, at, address, to, bytes, err);
}

static struct fixture *fixture(void)
{
    struct fixture *f = current = calloc(1, sizeof *current);
    assert_non_null(f);
    f->fake = fake_board_create(0);
    f->plain = f->fake->transport.ops;
    f->ops = *f->plain;
    f->ops.gather = own_gatherer;
    f->ops.control = control;
    f->ops.read = read_memory;
    f->fake->transport.ops = &f->ops;
    f->gather.ops = &gather_ops;
    f->lose_of = f->twice_of = NO_LANE;
    for (uint32_t i = 0; i < LANES; i++)
        f->core[i] = (struct fake_core){f->fake, i / 2, i % 2, 0};
    return f;
}

static void end(struct fixture *f)
{
    td_drain_destroy(f->drain);
    fake_board_destroy(f->fake);
    free(f);
}

static void arm_with(struct fixture *f, enum td_policy policy, int poll)
{
    struct td_err err = {0};
    const struct td_drain_options options = {.policy = policy, .poll = poll};
    f->drain = td_drain_create_with(&f->fake->transport, &f->fake->board, &options, &err);
    if (!f->drain)
        fail_msg("%s", err.text);
}

static size_t poll(struct fixture *f)
{
    size_t taken;
    struct td_err err = {0};
    if (td_drain_poll(f->drain, on_words, f, &taken, &err))
        fail_msg("%s", err.text);
    return taken;
}

static void put(struct fixture *f, uint32_t lane, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_true(fake_core_put(&f->core[lane], ZONE, first + i));
    fake_core_publish(&f->core[lane]);
}

static void gathered_lanes_arrive_whole_and_are_not_touched_by_the_drain(void **state)
{
    struct fixture *f = fixture();
    arm_with(f, TD_POLICY_BLOCK, 0);
    assert_int_equal(f->added_count, LANES);
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            put(f, lane, round * 40, 40);
        assert_int_equal(poll(f), 40 * LANES);
    }
    poll(f);
    put(f, 5, 400, 3);
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        assert_int_equal(f->count[lane], lane == 5 ? 403 : 400);
        for (uint32_t i = 0; i < f->count[lane]; i++)
            assert_int_equal(f->seen[lane][i], i);
        assert_int_equal(f->missing[lane], 0);
    }
    assert_false(f->fake->head_before_clear);
    end(f);
}

static void what_is_lost_on_its_way_is_a_gap_of_that_size(void **state)
{
    struct fixture *f = fixture();
    arm_with(f, TD_POLICY_DROP, 0);
    put(f, 2, 0, 10);
    poll(f);
    f->lose_of = 2;
    put(f, 2, 10, 7);
    put(f, 3, 0, 5);
    poll(f);
    f->lose_of = NO_LANE;
    fake_ctrl(f->fake, 1, 0)[TD_LANE_time_high / 4] = 77;
    put(f, 2, 17, 4);
    poll(f);
    assert_int_equal(f->count[2], 14);
    assert_int_equal(f->seen[2][10], 17);
    assert_int_equal(f->missing[2], 7);
    assert_int_equal(f->time_high[2], 77);
    assert_int_equal(f->missing[3], 0);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 7);
    end(f);
}

static void slots_that_come_twice_are_taken_once(void **state)
{
    struct fixture *f = fixture();
    arm_with(f, TD_POLICY_BLOCK, 0);
    f->twice_of = 4;
    put(f, 4, 0, 9);
    poll(f);
    put(f, 4, 9, 9);
    poll(f);
    assert_int_equal(f->count[4], 18);
    assert_int_equal(f->seen[4][17], 17);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 0);
    end(f);
}

static void slots_of_a_lane_that_nobody_handed_over_are_an_error(void **state)
{
    struct fixture *f = fixture();
    struct td_err err = {0};
    size_t taken;
    arm_with(f, TD_POLICY_BLOCK, 0);
    f->stranger = 1;
    put(f, 0, 0, 1);
    assert_int_equal(td_drain_poll(f->drain, on_words, f, &taken, &err), TD_E_FORMAT);
    end(f);
}

static void lanes_of_running_cores_are_handed_over_and_join_with_their_next_launch(void **state)
{
    struct fixture *f = fixture();
    f->fake->soft_reset[1] = 0;
    arm_with(f, TD_POLICY_BLOCK, 0);
    put(f, 3, 0, 20);
    td_drain_destroy(f->drain);
    f->added_count = 0;
    fake_ctrl(f->fake, 1, 1)[TD_LANE_state / 4] = TD_CORE_RUNNING;
    arm_with(f, TD_POLICY_BLOCK, 0);
    assert_int_equal(f->added_count, LANES);
    for (int i = 0; i < 100; i++)
        assert_int_equal(poll(f), 0);
    put(f, 3, 0, 2);
    assert_int_equal(poll(f), 2);
    assert_int_equal(f->seen[3][0], 0);
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 0);
    end(f);
}

/* The gatherer has lost its host and set the policy to off; then it has found it again. */
static void lanes_of_a_gatherer_that_comes_back_join_again_and_what_is_missing_is_counted(void **state)
{
    struct fixture *f = fixture();
    arm_with(f, TD_POLICY_BLOCK, 0);
    put(f, 3, 0, 20);
    put(f, 4, 0, 20);
    assert_int_equal(poll(f), 40);
    f->added_count = 0;
    fake_core_leave(&f->core[3]);
    f->core[3].tail += 500;
    fake_core_publish(&f->core[3]);
    f->gather.stats.sessions++;
    poll(f);
    assert_int_equal(f->added_count, LANES);
    put(f, 3, 520, 10);
    put(f, 4, 20, 10);
    poll(f);
    assert_int_equal(f->count[3], 30);
    assert_int_equal(f->seen[3][20], 520);
    assert_int_equal(f->missing[3], 500);
    assert_int_equal(f->count[4], 30);
    assert_int_equal(f->missing[4], 0);
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 500);
    end(f);
}

static void lanes_that_go_round_or_are_to_be_polled_are_not_handed_over(void **state)
{
    struct fixture *f = fixture();
    arm_with(f, TD_POLICY_OVERWRITE, 0);
    assert_int_equal(f->adds, 0);
    td_drain_destroy(f->drain);
    arm_with(f, TD_POLICY_BLOCK, 1);
    put(f, 0, 0, 3);
    assert_int_equal(poll(f), 3);
    assert_int_equal(f->adds, 0);
    assert_true(f->ring_reads > 0);
    end(f);
}

static void in_virtual_time_lanes_come_in_their_order_at_the_end_of_an_epoch(void **state)
{
    struct fixture *f = fixture();
    f->virtual_time = 1;
    arm_with(f, TD_POLICY_BLOCK, 0);
    for (uint32_t lane = 0; lane < LANES; lane++)
        put(f, lane, 0, 5);
    assert_int_equal(poll(f), 0);
    assert_int_equal(f->calls, 0);
    f->epoch = 1;
    assert_int_equal(poll(f), 5 * LANES);
    assert_int_equal(f->drained, 1);
    assert_int_equal(f->calls, LANES);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(f->order[lane], lane);
    end(f);
}

static uint32_t *tile_words(const struct fixture *f, uint32_t tile)
{
    return fake_words(f->fake, tile, f->fake->board.lane_base);
}

static void poll_fails(struct fixture *f, const char *word)
{
    struct td_err err = {0};
    size_t taken;
    int rc = 0;
    /* With a gatherer, the board is looked at now and then only. */
    for (int i = 0; rc == 0 && i < 300; i++) {
        usleep(5000);
        rc = td_drain_poll(f->drain, on_words, f, &taken, &err);
    }
    assert_int_equal(rc, TD_E_GONE);
    if (!strstr(err.text, word))
        fail_msg("%s is not in: %s", word, err.text);
}

static void a_device_of_ones_a_reset_and_a_takeover_are_told_apart(void **state)
{
    static const struct {
        int poll, byte; /* of all control words; -1: the agent's words only */
        uint32_t agent;
        const char *word;
    } cases[] = {{0, 0xff, UINT32_MAX, "all ones"},
                 {1, 0xff, UINT32_MAX, "all ones"},
                 {0, 0, 0, "reset"},
                 {1, 0, 0, "reset"},
                 {0, -1, 0, "disarmed"},
                 {1, -1, 1, "taken the board over"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *f = fixture();
        const size_t bytes = td_board_ring(&f->fake->board, 0) - f->fake->board.lane_base;
        arm_with(f, TD_POLICY_BLOCK, cases[i].poll);
        for (uint32_t tile = 0; tile < FAKE_TILES; tile++) {
            if (cases[i].byte >= 0)
                memset(tile_words(f, tile), cases[i].byte, bytes);
            tile_words(f, tile)[TD_TILE_agent / 4] = cases[i].agent;
            /* Who disarms a tile switches its lanes off first. */
            for (uint32_t core = 0; cases[i].agent == 0 && core < f->fake->board.core_count; core++)
                fake_ctrl(f->fake, tile, core)[TD_LANE_policy / 4] = TD_POLICY_OFF;
        }
        const uint32_t policy = fake_ctrl(f->fake, 2, 0)[TD_LANE_policy / 4];
        poll_fails(f, cases[i].word);
        /* What is not this agent's any more is left as it is. */
        td_drain_destroy(f->drain);
        f->drain = NULL;
        assert_int_equal(fake_ctrl(f->fake, 2, 0)[TD_LANE_policy / 4], policy);
        assert_int_equal(tile_words(f, 2)[TD_TILE_agent / 4], cases[i].agent);
        end(f);
    }
}

/* An agent that takes a board over takes all tiles, when the heartbeat of the one before has stopped. */
static void the_number_of_a_living_process_in_one_tile_is_no_takeover(void **state)
{
    for (int here = 0; here < 2; here++) {
        struct fixture *f = fixture();
        arm_with(f, TD_POLICY_BLOCK, 1);
        poll(f);
        tile_words(f, 2)[TD_TILE_agent / 4] = (uint32_t)getppid();
        tile_words(f, 2)[TD_TILE_machine / 4] = here ? td_process_machine() : 1234;
        for (int i = 0; i < 300 && tile_words(f, 2)[TD_TILE_agent / 4] != (uint32_t)getpid(); i++) {
            usleep(5000);
            poll(f);
        }
        assert_int_equal(tile_words(f, 2)[TD_TILE_agent / 4], (uint32_t)getpid());
        assert_int_equal(tile_words(f, 2)[TD_TILE_machine / 4], td_process_machine());
        end(f);
    }
}

/* All tiles belong to that agent, and its lanes are armed. */
static void own(struct fixture *f, uint32_t agent, uint32_t machine)
{
    arm_with(f, TD_POLICY_BLOCK, 1);
    td_drain_destroy(f->drain);
    f->drain = NULL;
    for (uint32_t tile = 0; tile < FAKE_TILES; tile++) {
        tile_words(f, tile)[TD_TILE_agent / 4] = agent;
        tile_words(f, tile)[TD_TILE_machine / 4] = machine;
        fake_ctrl(f->fake, tile, 0)[TD_LANE_policy / 4] = TD_POLICY_DROP;
    }
}

static void a_second_agent_is_refused_while_the_first_one_lives(void **state)
{
    for (int here = 0; here < 2; here++) {
        struct fixture *f = fixture();
        struct td_err err = {0};
        own(f, (uint32_t)getppid(), here ? td_process_machine() : 1234);
        f->has_heartbeat = 1;
        f->drain = td_drain_create(&f->fake->transport, &f->fake->board, TD_POLICY_BLOCK, &err);
        assert_null(f->drain);
        assert_int_equal(err.code, TD_E_USAGE);
        assert_non_null(strstr(err.text, here ? "of this machine" : "of another machine"));
        assert_int_equal(fake_ctrl(f->fake, 1, 0)[TD_LANE_policy / 4], TD_POLICY_DROP);
        assert_int_equal(tile_words(f, 1)[TD_TILE_agent / 4], (uint32_t)getppid());
        end(f);
    }
}

static void a_dead_agent_s_board_is_taken_over(void **state)
{
    struct fixture *f = fixture();
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    f->has_heartbeat = 1; /* it is not asked for */
    own(f, (uint32_t)dead, td_process_machine());
    arm_with(f, TD_POLICY_BLOCK, 1);
    assert_int_equal(tile_words(f, 3)[TD_TILE_agent / 4], (uint32_t)getpid());
    td_drain_destroy(f->drain);
    /* On other machines only the heartbeat shows it. */
    f->has_heartbeat = 0;
    own(f, 1, 1234);
    arm_with(f, TD_POLICY_BLOCK, 1);
    assert_int_equal(fake_ctrl(f->fake, 1, 0)[TD_LANE_policy / 4], TD_POLICY_BLOCK);
    end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathered_lanes_arrive_whole_and_are_not_touched_by_the_drain),
        cmocka_unit_test(what_is_lost_on_its_way_is_a_gap_of_that_size),
        cmocka_unit_test(slots_that_come_twice_are_taken_once),
        cmocka_unit_test(slots_of_a_lane_that_nobody_handed_over_are_an_error),
        cmocka_unit_test(lanes_of_running_cores_are_handed_over_and_join_with_their_next_launch),
        cmocka_unit_test(lanes_of_a_gatherer_that_comes_back_join_again_and_what_is_missing_is_counted),
        cmocka_unit_test(lanes_that_go_round_or_are_to_be_polled_are_not_handed_over),
        cmocka_unit_test(in_virtual_time_lanes_come_in_their_order_at_the_end_of_an_epoch),
        cmocka_unit_test(a_device_of_ones_a_reset_and_a_takeover_are_told_apart),
        cmocka_unit_test(the_number_of_a_living_process_in_one_tile_is_no_takeover),
        cmocka_unit_test(a_second_agent_is_refused_while_the_first_one_lives),
        cmocka_unit_test(a_dead_agent_s_board_is_taken_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
