/* The registers of NIUs: requests as the vendor's pages describe them, counters by transaction id, faults. */
#include "proto/device/lane.h"
#include "proto/device/noc.h"
#include "tests/sim/harness.h"
#include "tests/sim/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define DATA (ARGUMENTS + 0x1000)

enum { SEND = TD_NIU_WRITE | TD_NIU_RESPONSE, POST = TD_NIU_WRITE, ASK = TD_NIU_READ | TD_NIU_RESPONSE };

static const char *const virtual_time[] = {"--clock", "insn", "--grid", "4x3", NULL};

static uint32_t place(struct td_tile_at at)
{
    return at.x | (uint32_t)at.y << 6;
}

/* As NoC 1 of tensix_sim's 17 x 12 calls it. */
static uint32_t place1(struct td_tile_at at)
{
    return (16u - at.x) | (11u - at.y) << 6;
}

static struct niu_list run(struct rig *rig, const struct niu_request *requests, uint32_t count)
{
    struct niu_list list = {.count = count};
    const struct td_tile_at at = rig_tile(rig, 0, 0);
    memcpy(list.requests, requests, count * sizeof *requests);
    rig_write(rig, at, ARGUMENTS, &list, sizeof list);
    rig_load(rig, at, 0, "niu", ARGUMENTS);
    rig_release(rig, at, 1);
    rig_await(rig, at, ARGUMENTS + (uint32_t)offsetof(struct niu_list, done), 1);
    rig_read(rig, at, ARGUMENTS, &list, sizeof list);
    rig_hold(rig, at);
    return list;
}

static void each_id_has_a_counter_and_each_recipient_responds(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    const struct td_tile_at me = rig_tile(&rig, 0, 0), other = rig_tile(&rig, 2, 1),
                            last = rig_tile(&rig, 3, 2);
    const uint32_t own = place(me), to_all = place(last) | own << 12;
    rig_put(&rig, me, DATA, 77);
    const struct niu_request requests[] = {
        {0, 0, 3, SEND, 4, 0, DATA, own, DATA + 64, place(other), 0, 0},
        {0, 3, 9, POST, 4, 0, DATA, own, DATA + 128, place(other), 0, 0},
        {0, 1, 4, SEND | TD_NIU_MULTICAST | TD_NIU_RESERVE, 4, 0, DATA, own, DATA + 192, to_all, 0, 0},
        {0, 1, 5, SEND | TD_NIU_MULTICAST | TD_NIU_RESERVE | TD_NIU_TO_SELF, 4, 0, DATA, own, DATA + 256,
         to_all, 0, 0},
        /* Two packets and a half. */
        {0, 2, 6, ASK, 20480, 0, DATA, place(other), DATA + 0x8000, own, 0, 0},
    };
    const struct niu_list done = run(&rig, requests, 5);
    const uint32_t given[] = {1, 0, 1, 1, 3}, left[] = {0, 0, (1 - 11) & 0xff, (1 - 12) & 0xff, 0};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(done.requests[i].given, given[i]);
        assert_int_equal(done.requests[i].left, left[i]);
    }
    assert_int_equal(rig_word(&rig, other, DATA + 64), 77);
    assert_int_equal(rig_word(&rig, other, DATA + 128), 77);
    assert_int_equal(rig_word(&rig, me, DATA + 192), 0);
    assert_int_equal(rig_word(&rig, last, DATA + 192), 77);
    assert_int_equal(rig_word(&rig, me, DATA + 256), 77);
    const uint32_t *n = done.counters[0];
    assert_int_equal(n[TD_NIU_WR_ACK_RECEIVED], 1 + 11 + 12);
    assert_int_equal(n[TD_NIU_NONPOSTED_WR_REQ_SENT], 3);
    assert_int_equal(n[TD_NIU_POSTED_WR_REQ_SENT], 1);
    assert_int_equal(n[TD_NIU_RD_RESP_RECEIVED], 3);
    assert_int_equal(n[TD_NIU_RD_DATA_WORD_RECEIVED], 20480 / 32);
    assert_int_equal(n[TD_NIU_CMD_ACCEPTED], 7);
    assert_int_equal(done.node[0], own | 17 << 12 | 12 << 19 | 1 << 28);
    assert_int_equal(done.node[1], place1(me) | 17 << 12 | 12 << 19);
    rig_stop(&rig);
}

static void noc_1_counts_from_the_other_corner(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    const struct td_tile_at me = rig_tile(&rig, 0, 0), other = rig_tile(&rig, 2, 1),
                            last = rig_tile(&rig, 3, 2);
    const uint32_t own = place1(me);
    rig_put(&rig, me, DATA, 78);
    const struct niu_request requests[] = {
        {1, 0, 3, SEND, 4, 0, DATA, own, DATA + 64, place1(other), 0, 0},
        /* Data flows the other way: the rectangle begins at the last tile. */
        {1, 1, 4, SEND | TD_NIU_MULTICAST | TD_NIU_RESERVE, 4, 0, DATA, own, DATA + 128,
         own | place1(last) << 12, 0, 0},
    };
    const struct niu_list done = run(&rig, requests, 2);
    assert_int_equal(rig_word(&rig, other, DATA + 64), 78);
    assert_int_equal(rig_word(&rig, last, DATA + 128), 78);
    assert_int_equal(rig_word(&rig, other, DATA + 128), 78);
    assert_int_equal(done.counters[1][TD_NIU_WR_ACK_RECEIVED], 1 + 11);
    assert_int_equal(done.counters[0][TD_NIU_WR_ACK_RECEIVED], 0);
    rig_stop(&rig);
}

static void words_are_changed_by_atomics_inline_and_masked_writes(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    const struct td_tile_at me = rig_tile(&rig, 0, 0), other = rig_tile(&rig, 1, 0);
    const uint32_t own = place(me), there = place(other);
    enum { AT = TD_NIU_ATOMIC | TD_NIU_RESPONSE, INLINE = TD_NIU_WRITE | TD_NIU_RESPONSE | TD_NIU_INLINE };
    for (uint32_t i = 0; i < 16; i++)
        rig_put(&rig, other, DATA + 4 * i, i);
    rig_put(&rig, me, DATA + 256, 0x44332211);
    const struct niu_request requests[] = {
        /* 7 + 5, in 3 bits */
        {0, 0, 1, AT, 0x1000 | 2 << 2 | 3, 5, DATA + 28, there, DATA, own, 0, 0},
        /* compare with 6, set to 9; then compare with 6 again */
        {0, 0, 1, AT, 0x4000 | 6 << 2 | 9 << 6 | 2, 0, DATA + 24, there, DATA + 4, own, 0, 0},
        {0, 0, 1, AT, 0x4000 | 6 << 2 | 3 << 6 | 2, 0, DATA + 24, there, DATA + 8, own, 0, 0},
        {0, 0, 1, AT, 0x7000 | 1 << 2, 1234, DATA + 20, there, DATA + 12, own, 0, 0},
        {0, 0, 1, INLINE, 0xf0, 4321, DATA + 32, there, 0, own, 0, 0},
        /* the second and third byte of a word */
        {0, 0, 1, SEND | TD_NIU_BYTE_MASK, 6, 0, DATA + 256, own, DATA + 48, there, 0, 0},
    };
    run(&rig, requests, 6);
    const uint32_t changed[] = {0, 1, 2, 3, 4, 1234, 9, 4, 8, 4321, 10, 11, 0x33220c & ~0xff000000u, 13};
    for (uint32_t i = 0; i < 14; i++)
        assert_int_equal(rig_word(&rig, other, DATA + 4 * i), changed[i]);
    const uint32_t old[] = {7, 6, 9, 5};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rig_word(&rig, me, DATA + 4 * i), old[i]);
    rig_stop(&rig);
}

/* Runs one request that stops the core. */
static void check_fault(struct niu_request request, uint32_t cause, uint32_t address)
{
    struct rig rig;
    struct niu_list list = {.count = 1, .requests = {request}};
    rig_start(&rig, virtual_time);
    const struct td_tile_at at = rig_tile(&rig, 0, 0);
    const uint32_t lane = td_board_lane_ctrl(&rig.board, 0);
    rig_write(&rig, at, ARGUMENTS, &list, sizeof list);
    rig_load(&rig, at, 0, "niu", ARGUMENTS);
    rig_release(&rig, at, 1);
    rig_await(&rig, at, lane + TD_LANE_state, TD_CORE_FAULT);
    assert_int_equal(rig_word(&rig, at, lane + TD_LANE_fault_cause), cause);
    assert_int_equal(rig_word(&rig, at, lane + TD_LANE_fault_address), address);
    rig_stop(&rig);
}

static void a_bad_request_stops_the_core_and_names_its_address(void **state)
{
    enum { OWN = 1 | 2 << 6, OTHER = 2 | 2 << 6, BANK = 0, EMPTY = 8 | 5 << 6 };
    const struct niu_request good = {0, 0, 1, SEND, 64, 0, DATA, OWN, DATA + 64, OTHER, 0, 0};
    struct niu_request r = good;
    r.other = DATA + 72; /* agrees with the source in 3 bits */
    check_fault(r, TD_FAULT_ALIGN, DATA + 72);
    r = (struct niu_request){0, 0, 1, ASK, 64, 0, 0x1010, BANK, DATA, OWN, 0, 0}; /* in 4 bits, of a bank */
    check_fault(r, TD_FAULT_ALIGN, 0x1010);
    r = good;
    r.other_place = EMPTY;
    check_fault(r, TD_FAULT_WRITE, DATA + 64);
    r = good;
    r.target_place = OTHER; /* the source is not of this tile */
    check_fault(r, TD_FAULT_WRITE, DATA);
    r = good;
    r.length = 0;
    check_fault(r, TD_FAULT_WRITE, DATA);
    r = good;
    r.control = TD_NIU_ATOMIC | TD_NIU_RESPONSE;
    r.length = TD_NIU_INCREMENT(0);
    r.target = 0x1000;
    r.target_place = BANK; /* no atomics in DRAM */
    r.other_place = OWN;
    check_fault(r, TD_FAULT_WRITE, 0x1000);
    r = good;
    r.length = 20480;
    r.target = DATA + 4;
    r.other = DATA + 0x8004; /* an NIU splits what begins at multiples of 16 */
    check_fault(r, TD_FAULT_ALIGN, DATA + 0x8004);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_id_has_a_counter_and_each_recipient_responds),
        cmocka_unit_test(noc_1_counts_from_the_other_corner),
        cmocka_unit_test(words_are_changed_by_atomics_inline_and_masked_writes),
        cmocka_unit_test(a_bad_request_stops_the_core_and_names_its_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
