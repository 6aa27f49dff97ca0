/* Harts as cores: held, released, stopped while they run; faults are reported with their names. */
#include "tests/qemu/qemu_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct qemu_board *start(const char *const *options)
{
    struct qemu_board *q = qemu_start(options);
    if (!q)
        skip();
    qemu_open(q, NULL, TD_POLICY_BLOCK);
    return q;
}

/* Kernels wait for the first word. The kernel `deaf` writes the second. */
static void set_word(struct qemu_board *q, uint32_t word)
{
    const uint32_t words[2] = {word, 0};
    struct td_err err = {0};
    if (td_device_write(q->device, 0, 0, 0, td_device_board(q->device)->data_base, words, 8, &err))
        fail_msg("%s", err.text);
}

static void wait_until_deaf(struct qemu_board *q)
{
    struct td_err err = {0};
    for (uint32_t said = 0; !said;)
        if (td_device_read(q->device, 0, 0, 0, td_device_board(q->device)->data_base + 4, &said, 4, &err))
            fail_msg("%s", err.text);
}

static void expect_run(struct qemu_board *q, int expected_code)
{
    struct td_err err = {0};
    int code = -1;
    if (qemu_run(q, 1, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, expected_code);
}

static void memory_holds_what_was_written_and_the_rest_is_out_of_reach(void **state)
{
    struct qemu_board *q = start(NULL);
    const struct td_board *b = td_device_board(q->device);
    struct td_transport *t = td_device_transport(q->device);
    const struct td_tile_at tile = td_board_tile(b, 0, 0, 0);
    struct td_err err = {0};
    const size_t bytes = 140001; /* of several messages */
    uint8_t *out = malloc(bytes), *back = malloc(bytes);
    assert_true(out && back);
    uint32_t noise = 1;
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
    if (t->ops->write(t, tile, b->data_base + 1, out, bytes, &err) ||
        t->ops->read(t, tile, b->data_base + 1, back, bytes, &err))
        fail_msg("%s", err.text);
    assert_memory_equal(out, back, bytes);
    assert_int_equal(t->ops->read(t, tile, 0x80000000, back, 4, &err), TD_E_USAGE);
    print_message("%s\n", err.text);
    err = (struct td_err){0};
    assert_int_equal(t->ops->read(t, tile, b->l1_base + b->l1_bytes - 4, back, 8, &err), TD_E_USAGE);
    err = (struct td_err){0};
    assert_int_equal(t->ops->write(t, (struct td_tile_at){0, 1, 0}, b->data_base, out, 4, &err), TD_E_USAGE);
    assert_int_equal(t->ops->write(t, tile, b->clock_low, out, 4, NULL), TD_E_USAGE);
    free(out);
    free(back);
    qemu_stop(q);
}

static void the_clock_runs_at_its_rate_and_never_back(void **state)
{
    struct qemu_board *q = start(NULL);
    struct td_transport *t = td_device_transport(q->device);
    const struct td_tile_at tile = td_board_tile(td_device_board(q->device), 0, 0, 0);
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        struct td_clock_sample s;
        struct td_err err = {0};
        if (t->ops->clock(t, tile, &s, &err))
            fail_msg("%s", err.text);
        assert_true(s.ticks > last && s.host_after > s.host_before);
        last = s.ticks;
    }
    qemu_stop(q);
}

static void exit_codes_come_back(void **state)
{
    struct qemu_board *q = start(NULL);
    for (uint32_t core = 0; core < QEMU_LANES; core++)
        qemu_prepare(q, core, "ending", 1, core == 2 ? 42 : 0);
    expect_run(q, 42);
    qemu_stop(q);
}

static void a_hart_that_faults_is_named_with_its_symbol_and_can_be_used_again(void **state)
{
    struct qemu_board *q = start(NULL);
    struct td_err err = {0};
    int code = -1;
    qemu_prepare(q, 1, "ending", 1, 0xA0000000);
    assert_int_equal(qemu_run(q, 1, &code, &err), TD_E_GONE);
    print_message("%s\n", err.text);
    assert_non_null(strstr(err.text, "core HART2 of tile 0,0 on chip 0 stopped: write"));
    assert_non_null(strstr(err.text, "(write_to+0x") ?: strstr(err.text, "(main+0x"));
    assert_non_null(strstr(err.text, "0xa0000000"));
    qemu_prepare_all(q, "zones", 2, 10);
    expect_run(q, 0);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++) {
        assert_int_equal(q->lanes[i].zones, 10);
        assert_int_equal(q->lanes[i].exits, 1);
    }
    qemu_stop(q);
}

static void a_hart_left_running_is_stopped_by_the_next_program(void **state)
{
    struct qemu_board *q = start(NULL);
    struct td_err err = {0};
    set_word(q, 0);
    for (uint32_t core = 0; core < QEMU_LANES; core++)
        qemu_prepare(q, core, "waiting", 1, td_device_board(q->device)->data_base);
    assert_int_equal(td_device_launch(q->device, &err), 0);
    assert_int_equal(td_device_wait(q->device, 50, NULL, &err), TD_E_TIMEOUT);
    qemu_close(q);
    qemu_open(q, NULL, TD_POLICY_BLOCK);
    qemu_prepare_all(q, "zones", 2, 100);
    size_t taken;
    qemu_poll(q, &taken, NULL); /* lanes of harts that ran join once they are seen to have stopped */
    expect_run(q, 0);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++)
        assert_int_equal(q->lanes[i].zones, 100);
    qemu_stop(q);
}

static void a_hart_that_cannot_be_stopped_is_one_error_and_the_others_go_on(void **state)
{
    struct qemu_board *q = start(NULL);
    struct td_err err = {0};
    const uint32_t word = td_device_board(q->device)->data_base;
    set_word(q, 0);
    qemu_prepare(q, 0, "deaf", 1, word);
    assert_int_equal(td_device_launch(q->device, &err), 0);
    wait_until_deaf(q);
    assert_int_equal(td_device_wait(q->device, 50, NULL, &err), TD_E_TIMEOUT);
    qemu_close(q);
    qemu_open(q, NULL, TD_POLICY_BLOCK);
    err = (struct td_err){0};
    assert_true(td_device_load(q->device, (struct td_core_at){0}, qemu_kernel("zones", 0), &err) < 0);
    print_message("%s\n", err.text);
    assert_non_null(strstr(err.text, "does not come back to its parking loop"));
    qemu_prepare(q, 1, "zones", 2, 100);
    expect_run(q, 0);
    set_word(q, 1); /* the kernel ends, but its hart does not park: that takes a new QEMU */
    qemu_finish(q);
    assert_int_equal(q->lanes[1].zones, 100);
    qemu_stop(q);
}

static void a_machine_with_fewer_harts_than_described_is_told_at_the_launch(void **state)
{
    static const char *const options[] = {"-smp", "4", NULL};
    struct qemu_board *q = start(options);
    struct td_err err = {0};
    qemu_prepare(q, 3, "zones", 1, 10);
    assert_true(td_device_launch(q->device, &err) < 0);
    print_message("%s\n", err.text);
    assert_non_null(strstr(err.text, "a hart is missing"));
    qemu_stop(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_holds_what_was_written_and_the_rest_is_out_of_reach),
        cmocka_unit_test(the_clock_runs_at_its_rate_and_never_back),
        cmocka_unit_test(exit_codes_come_back),
        cmocka_unit_test(a_hart_that_faults_is_named_with_its_symbol_and_can_be_used_again),
        cmocka_unit_test(a_hart_left_running_is_stopped_by_the_next_program),
        cmocka_unit_test(a_hart_that_cannot_be_stopped_is_one_error_and_the_others_go_on),
        cmocka_unit_test(a_machine_with_fewer_harts_than_described_is_told_at_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
