/* NoC of the simulated board: destinations and arrival times of data; circular buffers through all cores of a
 * tile. */
#include "proto/device/lane.h"
#include "target/include/tendril/cb.h"
#include "tests/sim/harness.h"
#include "tests/sim/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define DATA (ARGUMENTS + 0x1000)

static const char *const virtual_time[] = {"--clock", "insn", "--grid", "6x4", NULL};

/* Runs the steps on BRISC of logical tile (0,0) and reads back their ticks. */
static void run_steps(struct rig *rig, struct noc_step *steps, unsigned count)
{
    struct noc_list list = {.done = 0};
    struct td_tile_at at = rig_tile(rig, 0, 0);
    memcpy(list.steps, steps, count * sizeof *steps);
    rig_write(rig, at, ARGUMENTS, &list, sizeof list);
    rig_load(rig, at, 0, "noc", ARGUMENTS);
    rig_release(rig, at, 1);
    rig_await(rig, at, ARGUMENTS + (uint32_t)offsetof(struct noc_list, done), 1);
    rig_read(rig, at, ARGUMENTS, &list, sizeof list);
    memcpy(steps, list.steps, count * sizeof *steps);
    rig_hold(rig, at);
}

static void fill(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(seed + i * 7 + i / 251);
}

static void reads_and_writes_reach_l1_of_tiles_and_dram_banks_whole(void **state)
{
    static uint8_t from[5000], back[5000];
    struct rig rig;
    rig_start(&rig, virtual_time);
    struct td_tile_at me = rig_tile(&rig, 0, 0), other = rig_tile(&rig, 5, 3),
                      bank = {0, rig.board.dram_x[5], rig.board.dram_y[5]};
    fill(from, sizeof from, 1);
    rig_write(&rig, other, DATA, from, sizeof from);
    /* An odd length and an odd address, then through a DRAM bank and to the other tile. Addresses of L1 agree
     * modulo 16, those of a read from DRAM modulo 32. */
    struct noc_step steps[] = {
        {.op = OP_READ, .x = other.x, .y = other.y, .address = DATA, .local = DATA, .bytes = 5000},
        {.op = OP_READ, .x = other.x, .y = other.y, .address = DATA + 1, .local = DATA + 5025, .bytes = 999},
        {.op = OP_WRITE, .x = bank.x, .y = bank.y, .address = 0xfff000, .local = DATA, .bytes = 4096},
        {.op = OP_READ, .x = bank.x, .y = bank.y, .address = 0xfff004, .local = DATA + 8196, .bytes = 4000},
        {.op = OP_WRITE, .x = other.x, .y = other.y, .address = DATA + 8192, .local = DATA, .bytes = 3},
    };
    run_steps(&rig, steps, 5);
    rig_read(&rig, me, DATA, back, 5000);
    assert_memory_equal(back, from, 5000);
    rig_read(&rig, me, DATA + 5025, back, 999);
    assert_memory_equal(back, from + 1, 999);
    rig_read(&rig, bank, 0xfff000, back, 4096);
    assert_memory_equal(back, from, 4096);
    rig_read(&rig, me, DATA + 8196, back, 4000);
    assert_memory_equal(back, from + 4, 4000);
    assert_int_equal(rig_word(&rig, other, DATA + 8192), from[0] | from[1] << 8 | from[2] << 16);
    rig_stop(&rig);
}

static void latency_grows_with_distance_and_length(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    struct td_tile_at a = rig_tile(&rig, 1, 0), b = rig_tile(&rig, 3, 0), c = rig_tile(&rig, 3, 2);
    struct noc_step steps[] = {
        {.op = OP_READ,
         .x = a.x,
         .y = a.y,
         .address = DATA,
         .local = DATA,
         .bytes = 4}, /* sets up the initiator */
        {.op = OP_READ, .x = a.x, .y = a.y, .address = DATA, .local = DATA, .bytes = 32},
        {.op = OP_READ, .x = b.x, .y = b.y, .address = DATA, .local = DATA, .bytes = 32},
        {.op = OP_READ, .x = c.x, .y = c.y, .address = DATA, .local = DATA, .bytes = 32},
        {.op = OP_READ, .x = a.x, .y = a.y, .address = DATA, .local = DATA, .bytes = 32},
        {.op = OP_READ, .x = a.x, .y = a.y, .address = DATA, .local = DATA, .bytes = 32 * 1001},
        {.op = OP_WRITE, .x = a.x, .y = a.y, .address = DATA, .local = DATA, .bytes = 32},
    };
    run_steps(&rig, steps, 7);
    /* Two hops more, there and back; the barrier's loop is some ticks coarse. */
    assert_in_range(steps[2].ticks - steps[1].ticks, 2 * 2 * 9 - 16, 2 * 2 * 9 + 16);
    assert_in_range(steps[3].ticks - steps[2].ticks, 2 * 2 * 9 - 16, 2 * 2 * 9 + 16);
    assert_in_range(steps[4].ticks, steps[1].ticks - 16, steps[1].ticks + 16);
    assert_in_range(steps[5].ticks - steps[4].ticks, 1000 - 16, 1000 + 16);
    assert_true(steps[6].ticks < steps[4].ticks); /* one way */
    rig_stop(&rig);
}

static void multicast_reaches_the_rectangle_and_nothing_else(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    struct td_tile_at me = rig_tile(&rig, 0, 0), last = rig_tile(&rig, 2, 1);
    rig_put(&rig, me, DATA, 0x1234);
    struct noc_step steps[] = {
        {.op = OP_MULTICAST,
         .x = me.x,
         .y = me.y,
         .x1 = last.x,
         .y1 = last.y,
         .address = DATA + 64,
         .local = DATA,
         .bytes = 4},
        {.op = OP_MULTICAST_SELF,
         .x = last.x,
         .y = last.y,
         .x1 = me.x,
         .y1 = me.y,
         .address = DATA + 128,
         .local = DATA,
         .bytes = 4},
    };
    run_steps(&rig, steps, 2);
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 6; x++) {
            uint32_t inside = x <= 2 && y <= 1;
            assert_int_equal(rig_word(&rig, rig_tile(&rig, x, y), DATA + 128), inside ? 0x1234 : 0);
            assert_int_equal(rig_word(&rig, rig_tile(&rig, x, y), DATA + 64),
                             inside && (x || y) ? 0x1234 : 0);
        }
    rig_stop(&rig);
}

static void atomics_add_and_return_the_old_value(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    struct td_tile_at me = rig_tile(&rig, 0, 0), other = rig_tile(&rig, 2, 2);
    rig_put(&rig, other, DATA, 40);
    struct noc_step steps[] = {
        {.op = OP_ATOMIC, .x = other.x, .y = other.y, .address = DATA, .local = DATA, .bytes = 2},
        {.op = OP_ATOMIC,
         .x = other.x,
         .y = other.y,
         .address = DATA,
         .local = DATA + 4,
         .bytes = 0xffffffff},
        {.op = OP_ATOMIC, .x = other.x, .y = other.y, .address = DATA, .local = NO_LOCAL, .bytes = 100},
    };
    run_steps(&rig, steps, 3);
    assert_int_equal(rig_word(&rig, me, DATA), 40);
    assert_int_equal(rig_word(&rig, me, DATA + 4), 42);
    assert_int_equal(rig_word(&rig, other, DATA), 141);
    rig_stop(&rig);
}

static void another_tiles_clock_can_be_read_over_the_noc_and_latches_there(void **state)
{
    static const char *const arguments[] = {"--clock", "insn", "--offset-ns", "30000000000", NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    struct td_tile_at me = rig_tile(&rig, 0, 0), other = rig_tile(&rig, 1, 1);
    struct noc_step steps[] = {
        {.op = OP_CLOCK,
         .x = other.x,
         .y = other.y,
         .address = rig.board.clock_low,
         .local = DATA,
         .bytes = 4},
        {.op = OP_CLOCK,
         .x = other.x,
         .y = other.y,
         .address = rig.board.clock_live_high,
         .local = DATA + 4,
         .bytes = 4},
        {.op = OP_CLOCK,
         .x = other.x,
         .y = other.y,
         .address = rig.board.clock_latched_high,
         .local = DATA + 8,
         .bytes = 4},
    };
    run_steps(&rig, steps, 3);
    uint64_t ticks = (uint64_t)rig_word(&rig, me, DATA + 4) << 32 | rig_word(&rig, me, DATA);
    assert_in_range(ticks - 30000000000u, 1, 100000);
    assert_int_equal(rig_word(&rig, me, DATA + 8), 30000000000u >> 32);
    rig_stop(&rig);
}

static void hand_shake(const char *mode)
{
    const char *const arguments[] = {"--clock", mode, NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    struct td_tile_at a = rig_tile(&rig, 0, 0), b = rig_tile(&rig, 1, 1);
    struct handshake first = {
        .x = b.x, .y = b.y, .page = DATA, .semaphore = DATA + 64, .cb = DATA + 128, .rounds = 200};
    struct handshake second = first;
    second.second = 1;
    second.x = a.x;
    second.y = a.y;
    rig_write(&rig, a, ARGUMENTS, &first, sizeof first);
    rig_write(&rig, b, ARGUMENTS, &second, sizeof second);
    rig_load(&rig, a, 0, "handshake", ARGUMENTS);
    rig_load(&rig, b, 1, "handshake", ARGUMENTS);
    rig_release(&rig, b, 2);
    rig_release(&rig, a, 1);
    rig_await(&rig, a, ARGUMENTS + (uint32_t)offsetof(struct handshake, done), 1);
    rig_await(&rig, b, ARGUMENTS + (uint32_t)offsetof(struct handshake, done), 1);
    assert_int_equal(rig_word(&rig, a, DATA), 400);
    assert_int_equal(rig_word(&rig, b, DATA + 60), 399);
    assert_int_equal(rig_word(&rig, a, ARGUMENTS + (uint32_t)offsetof(struct handshake, value)), 1200);
    assert_int_equal(td_simbar_header(rig.t)->fault_count, 0);
    rig_stop(&rig);
}

static void semaphores_order_what_was_written_before_them(void **state)
{
    hand_shake("host");
    hand_shake("insn");
}

static void pass_pages_through_all_cores(const char *const *arguments, uint32_t width, uint32_t height)
{
    enum { PAGES = 300, WORDS = 64, DEPTH = 4 };
    struct rig rig;
    rig_start(&rig, arguments);
    uint32_t count = rig.board.core_count, expected = 0;
    for (uint32_t page = 0; page < PAGES; page++)
        for (uint32_t i = 0; i < WORDS; i++)
            expected += page + i + count - 1;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            struct td_tile_at at = rig_tile(&rig, x, y);
            uint32_t cb = DATA;
            for (uint32_t core = 0; core < count; core++) {
                uint32_t argument = ARGUMENTS + core * (uint32_t)sizeof(struct stage);
                struct stage s = {.pages = PAGES, .words = WORDS};
                s.from = core ? cb : 0;
                cb += core ? TD_CB_BYTES(WORDS * 4, DEPTH) : 0;
                s.to = core + 1 < count ? cb : 0;
                if (s.to) {
                    struct td_cb layout = td_cb_layout(cb, WORDS * 4, DEPTH);
                    rig_write(&rig, at, cb, &layout, sizeof layout);
                }
                rig_write(&rig, at, argument, &s, sizeof s);
                rig_load(&rig, at, core, "pipeline", argument);
            }
            rig_release(&rig, at, UINT32_MAX);
        }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t last = ARGUMENTS + (count - 1) * (uint32_t)sizeof(struct stage);
            rig_await(&rig, rig_tile(&rig, x, y), last + (uint32_t)offsetof(struct stage, done), 1);
            assert_int_equal(
                rig_word(&rig, rig_tile(&rig, x, y), last + (uint32_t)offsetof(struct stage, sum)), expected);
        }
    assert_int_equal(td_simbar_header(rig.t)->fault_count, 0);
    rig_stop(&rig);
}

static void pages_pass_through_all_cores_of_a_tile_in_real_time(void **state)
{
    pass_pages_through_all_cores(NULL, 2, 2);
}

static void pages_pass_through_all_cores_of_a_tile_in_virtual_time(void **state)
{
    static const char *const arguments[] = {"--clock", "insn", NULL};
    pass_pages_through_all_cores(arguments, 2, 2);
}

static void six_hundred_and_fifty_cores_start_and_finish(void **state)
{
    static const char *const arguments[] = {"--grid", "13x10", NULL};
    pass_pages_through_all_cores(arguments, 13, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_reach_l1_of_tiles_and_dram_banks_whole),
        cmocka_unit_test(latency_grows_with_distance_and_length),
        cmocka_unit_test(multicast_reaches_the_rectangle_and_nothing_else),
        cmocka_unit_test(atomics_add_and_return_the_old_value),
        cmocka_unit_test(another_tiles_clock_can_be_read_over_the_noc_and_latches_there),
        cmocka_unit_test(semaphores_order_what_was_written_before_them),
        cmocka_unit_test(pages_pass_through_all_cores_of_a_tile_in_real_time),
        cmocka_unit_test(pages_pass_through_all_cores_of_a_tile_in_virtual_time),
        cmocka_unit_test(six_hundred_and_fifty_cores_start_and_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
