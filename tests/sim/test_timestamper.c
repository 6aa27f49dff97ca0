/* The timestamper of a tile, as its public page describes it; and accesses that are not aligned. */
#include "proto/device/lane.h"
#include "proto/device/stamp.h"
#include "tests/sim/harness.h"
#include "tests/sim/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define REGISTERS 0xFFB121FCu
#define BUFFERS   0xD0000u /* two of PIECES pieces */
enum { PIECES = 3 };

static void set_up(struct rig *rig, struct td_tile_at at)
{
    static const uint32_t zeros[2 * PIECES * TD_STAMP_UNIT_WORDS];
    const uint32_t first = BUFFERS / TD_STAMP_UNIT_BYTES;
    const uint32_t registers[] = {3, 0x33, first, first + PIECES - 1, first + PIECES, first + 2 * PIECES - 1};
    rig_write(rig, at, BUFFERS, zeros, sizeof zeros);
    rig_write(rig, at, REGISTERS + TD_STAMP_CONTROL, registers, sizeof registers);
}

/* A core stores these words; what it has seen. */
static struct stamps append(struct rig *rig, struct td_tile_at at, const uint32_t *words, uint32_t count)
{
    struct stamps s = {.count = count};
    for (uint32_t i = 0; i < count; i++)
        s.steps[i].word = words[i];
    rig_write(rig, at, ARGUMENTS, &s, sizeof s);
    rig_load(rig, at, 2, "stamps", ARGUMENTS);
    rig_release(rig, at, 1u << 2);
    rig_await(rig, at, ARGUMENTS + offsetof(struct stamps, done), 1);
    rig_hold(rig, at);
    rig_read(rig, at, ARGUMENTS, &s, sizeof s);
    assert_int_equal(s.append, 0);
    return s;
}

static void read_piece(struct rig *rig, struct td_tile_at at, uint32_t piece,
                       uint32_t words[TD_STAMP_UNIT_WORDS])
{
    rig_read(rig, at, BUFFERS + piece * TD_STAMP_UNIT_BYTES, words, TD_STAMP_UNIT_BYTES);
}

static void assert_between(uint32_t low, const struct stamps *s)
{
    assert_in_range(low - s->before, 1, s->after - s->before);
}

static void events_of_each_length_have_their_words(void **state)
{
    static const char *const arguments[] = {"--clock", "insn", "--offset-ns", "5000000000", NULL};
    struct rig rig;
    uint32_t w[TD_STAMP_UNIT_WORDS];
    rig_start(&rig, arguments);
    const struct td_tile_at at = rig_tile(&rig, 1, 0);
    set_up(&rig, at);
    struct stamps s = append(&rig, at, (uint32_t[]){0x12345678}, 1);
    read_piece(&rig, at, 0, w);
    assert_int_equal(w[0], 0x12345678);
    assert_between(w[1], &s);
    assert_int_equal(w[2], 1); /* 5 s are more than 2^32 ticks */
    assert_int_equal(w[3], 0);
    assert_int_equal(s.status, 1 << TD_STAMP_POSITION);

    s = append(&rig, at, (uint32_t[]){0x40000001}, 1); /* 64 bits wait for another event or a flush */
    assert_int_equal(s.status, 1 << TD_STAMP_POSITION | 1 << TD_STAMP_ACCUM_64);
    append(&rig, at, (uint32_t[]){3}, 1);
    read_piece(&rig, at, 1, w);
    assert_int_equal(w[0], 0x40000001);
    assert_between(w[1], &s);
    assert_int_equal(w[2] | w[3], 0);

    s = append(&rig, at, (uint32_t[]){0x55550012, 0x22, 0x32, 0x42}, 4); /* 32 bits: four fill a piece */
    read_piece(&rig, at, 2, w);
    assert_int_equal(w[0] & 0xffff, 0x12);
    assert_int_equal(w[3] & 0xffff, 0x42);
    assert_in_range((w[0] >> 16) - (s.before >> 5 & 0xffff), 0, 1 + (s.after - s.before) / 32);

    s = append(&rig, at, (uint32_t[]){0x1c}, 1);
    assert_int_equal(s.status, 3 << TD_STAMP_POSITION | TD_STAMP_FULL(0) | 1 << TD_STAMP_ACCUM_96);
    append(&rig, at, (uint32_t[]){7}, 1);
    read_piece(&rig, at, 3, w); /* the first one of buffer 1 */
    assert_int_equal(w[0], 0x1c);
    assert_int_equal(w[2], 1);
    assert_int_equal(w[3], 0);
    rig_stop(&rig);
}

static void full_buffers_overflow_until_the_host_clears_them(void **state)
{
    struct rig rig;
    uint32_t w[TD_STAMP_UNIT_WORDS];
    rig_start(&rig, NULL);
    const struct td_tile_at at = rig_tile(&rig, 0, 1);
    set_up(&rig, at);
    struct stamps s = append(&rig, at, (uint32_t[]){0x10, 0x20, 0x30, 0x40, 0x50, 0x60}, 2 * PIECES);
    assert_int_equal(s.status, PIECES << TD_STAMP_POSITION | TD_STAMP_FULL(0) | TD_STAMP_FULL(1));
    s = append(&rig, at, (uint32_t[]){0x70}, 1);
    assert_int_equal(s.status & 0xff, 0x33);
    read_piece(&rig, at, 2 * PIECES - 1, w);
    assert_int_equal(w[0], 0x60);
    /* Each write of the same bits counts, and each bit has its own effect. */
    for (uint32_t round = 0; round < 3; round++) {
        rig_put(&rig, at, REGISTERS + TD_STAMP_STATUS, TD_STAMP_FULL(0) | TD_STAMP_OVERFLOW(1));
        s = append(&rig, at, (uint32_t[]){0x80, 0x90, 0xa0}, PIECES);
        assert_int_equal(s.status, PIECES << TD_STAMP_POSITION | 0x13);
        read_piece(&rig, at, 0, w);
        assert_int_equal(w[0], 0x80);
        s = append(&rig, at, (uint32_t[]){0xb0}, 1);
        assert_int_equal(s.status & 0xff, 0x33);
    }
    /* A reset clears the bits, not the positions. */
    rig_put(&rig, at, REGISTERS + TD_STAMP_CONTROL, TD_STAMP_RESET | 3);
    rig_put(&rig, at, REGISTERS + TD_STAMP_CONTROL, 1);
    rig_put(&rig, at, REGISTERS + TD_STAMP_STATUS, TD_STAMP_FULL(1));
    s = append(&rig, at, (uint32_t[]){0xc0}, 1); /* buffer 1 has room, but is not in use */
    assert_int_equal(s.status, PIECES << TD_STAMP_POSITION | TD_STAMP_OVERFLOW(0));
    rig_stop(&rig);
}

static void mixed_lengths_are_a_fault(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    const struct td_tile_at at = rig_tile(&rig, 0, 0);
    const uint32_t mixed[][2] = {{1, 4}, {2, 0x10}, {5, 0}};
    for (uint32_t i = 0; i < 3; i++) {
        set_up(&rig, at);
        rig_put(&rig, at, REGISTERS + TD_STAMP_CONTROL, TD_STAMP_RESET | 3);
        rig_put(&rig, at, REGISTERS + TD_STAMP_CONTROL, 3);
        struct stamps s = {.count = 2, .steps = {{0, mixed[i][0]}, {0, mixed[i][1]}}};
        rig_write(&rig, at, ARGUMENTS, &s, sizeof s);
        rig_put(&rig, at, td_board_lane_ctrl(&rig.board, 0) + TD_LANE_state, TD_CORE_RUNNING);
        rig_load(&rig, at, 0, "stamps", ARGUMENTS);
        rig_release(&rig, at, 1);
        rig_await(&rig, at, td_board_lane_ctrl(&rig.board, 0) + TD_LANE_state, TD_CORE_FAULT);
        assert_int_equal(rig_lane_word(&rig, at, 0, TD_LANE_fault_cause), TD_FAULT_WRITE);
        assert_int_equal(rig_lane_word(&rig, at, 0, TD_LANE_fault_address), REGISTERS);
        rig_hold(&rig, at);
    }
    rig_stop(&rig);
}

/* The board's description says so; by default they are faults (test_cores). */
static void misaligned_accesses_work_where_the_board_says_so(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/td_test_misaligned-%d.board", (int)getpid());
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fprintf(f, "[board]\nbase=tensix_sim\nname=misaligned\n[tensix]\nmisaligned=works\n");
    assert_int_equal(fclose(f), 0);
    const char *const arguments[] = {"--board", path, NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    unlink(path);
    const struct td_tile_at at = rig_tile(&rig, 0, 0);
    for (uint32_t kind = 5; kind <= 6; kind++) { /* a load and a store of test_cores */
        struct faults f = {.kind = kind};
        rig_write(&rig, at, ARGUMENTS, &f, sizeof f);
        rig_load(&rig, at, 0, "faults", ARGUMENTS);
        rig_release(&rig, at, 1);
        rig_await(&rig, at, ARGUMENTS + offsetof(struct faults, survived), 1);
        rig_hold(&rig, at);
    }
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_each_length_have_their_words),
        cmocka_unit_test(full_buffers_overflow_until_the_host_clears_them),
        cmocka_unit_test(mixed_lengths_are_a_fault),
        cmocka_unit_test(misaligned_accesses_work_where_the_board_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
