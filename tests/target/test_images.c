/* The contents of images: the same code and addresses with and without markers, thousands of names, the C
 * library. */
#include "tests/target/records.h"

#include "host/device/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KERNEL(name) TD_BINARY_DIR "/tests/kernels/" name ".elf"

static void without_the_profiler_markers_are_nothing_byte_for_byte(void **state)
{
    static const char *const sections[] = {".text", ".rodata", ".data", ".l1_data"};
    static const char *const pairs[][2] = {{KERNEL("t_same_off"), KERNEL("t_same_plain")},
                                           {KERNEL("t_same_off_os"), KERNEL("t_same_plain_os")}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
            struct machine *a = machine_create(), *b = machine_create();
            machine_load(a, pairs[p][0], 0);
            machine_load(b, pairs[p][1], 0);
            uint32_t address_a, address_b;
            size_t bytes_a, bytes_b;
            const void *with = machine_section(a, sections[i], &address_a, &bytes_a);
            const void *plain = machine_section(b, sections[i], &address_b, &bytes_b);
            assert_true(with && plain);
            assert_int_equal(address_a, address_b);
            assert_int_equal(bytes_a, bytes_b);
            assert_memory_equal(with, plain, bytes_a);
            if (i == 0)
                assert_true(bytes_a > 200);
            machine_destroy(a);
            machine_destroy(b);
        }
}

static void a_kernels_data_does_not_move_when_markers_are_compiled_in(void **state)
{
    static const struct {
        const char *with, *without, *symbols[6];
    } cases[] = {
        {KERNEL("t_same"), KERNEL("t_same_off"), {"results", "table", "constants"}},
        {KERNEL("t_markers"), KERNEL("t_markers_off"), {"counter", "zeroed", "in_l1", "in_l1_with_value"}},
        {KERNEL("t_cpp"), KERNEL("t_cpp_off"), {"_ZL6global"}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct machine *a = machine_create(), *b = machine_create();
        machine_load(a, cases[c].with, 0);
        machine_load(b, cases[c].without, 0);
        for (size_t i = 0; i < 6 && cases[c].symbols[i]; i++) {
            uint32_t at_a, at_b, bytes_a, bytes_b;
            assert_true(machine_symbol(a, cases[c].symbols[i], &at_a, &bytes_a));
            assert_true(machine_symbol(b, cases[c].symbols[i], &at_b, &bytes_b));
            assert_int_equal(at_a, at_b);
            assert_int_equal(bytes_a, bytes_b);
        }
        machine_destroy(a);
        machine_destroy(b);
    }
}

static void an_image_without_markers_keeps_the_launch_protocol(void **state)
{
    struct machine *m = machine_create();
    machine_load(m, KERNEL("t_markers_off"), 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    assert_true(machine_run(m, 7, 99, 1000000));
    assert_int_equal(machine_lane(m, TD_LANE_state), TD_CORE_DONE);
    assert_int_equal(machine_lane(m, TD_LANE_done), 1);
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), 42);
    assert_int_equal(machine_lane(m, TD_LANE_proto_version), TD_DEVICE_PROTO_VERSION);
    assert_int_equal(machine_drain(m, MACHINE_RING_SLOTS), 0);
    struct td_err err = {0};
    struct td_image *image = td_image_open(KERNEL("t_markers_off"), &err);
    assert_non_null(image);
    assert_int_equal(td_image_site_count(image), 0);
    assert_int_equal(td_image_build_id(image) & 0xffffffff, machine_lane(m, TD_LANE_build_id0));
    assert_int_equal(td_image_build_id(image) >> 32, machine_lane(m, TD_LANE_build_id1));
    td_image_close(image);
    machine_destroy(m);
}

static void five_thousand_sites_keep_their_names(void **state)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, KERNEL("t_many"), 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 1, 0, 10000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, KERNEL("t_many"));
    assert_int_equal(r.bad_slots, 0);
    const char *line = r.text;
    for (int i = 0; i < 5000; i++) {
        char expected[40];
        snprintf(expected, sizeof expected, "\nZONE zone %04d 2 ", i);
        line = strstr(line, expected);
        if (!line)
            fail_msg("zone %d is not where it belongs", i);
    }
    records_free(&r);
    machine_destroy(m);
}

static void two_images_on_one_core_one_after_the_other_keep_their_names_apart(void **state)
{
    struct machine *m = machine_create();
    machine_load(m, KERNEL("t_markers"), 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 1, 0, 1000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    size_t first = m->slots;
    machine_load(m, KERNEL("t_cpp_o0"), 0);
    assert_true(machine_run(m, 2, 0, 1000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    /* An IMAGE packet in the lane shows where the second image begins. */
    struct td_err err = {0};
    struct td_image *image = td_image_open(KERNEL("t_cpp_o0"), &err);
    assert_non_null(image);
    uint32_t head = TD_TAG_HEAD | TD_PACKET_IMAGE << TD_HEAD_TYPE_SHIFT | TD_DEVICE_PROTO_VERSION;
    assert_int_equal(m->words[2 * first], head);
    assert_int_equal(m->words[2 * first + 1], (uint32_t)td_image_build_id(image));
    td_image_close(image);
    struct records a, b;
    records_read(&a, m->words, first, KERNEL("t_markers"));
    records_read(&b, m->words + 2 * first, m->slots - first, KERNEL("t_cpp_o0"));
    assert_non_null(strstr(a.text, "ZONE scoped "));
    assert_non_null(strstr(b.text, "ZONE shared inline "));
    assert_null(strstr(a.text, "?"));
    assert_null(strstr(b.text, "?"));
    records_free(&a);
    records_free(&b);
    machine_destroy(m);
}

static void the_c_library_prints_fails_and_exits_as_it_should(void **state)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, KERNEL("t_libc"), 4);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 1, 0, 1000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, KERNEL("t_libc"));
    assert_int_equal(m->note_count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(m->notes[i], 1);
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), 3);
    assert_non_null(strstr(r.text, "\nTEXT puts\nTEXT stderr 4000000000\nTEXT one line\nTEXT abc"));
    /* 200 letters in a line of at most 156 a packet. */
    assert_non_null(strstr(r.text, "wxyz\nTEXT abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr\n"));
    /* exit() from within zones: the kernel's own ends. */
    assert_non_null(strstr(r.text, "\nEND TRISC-KERNEL\nEXIT 3\n"));
    records_free(&r);
    machine_destroy(m);
}

static void an_idle_launch_is_not_recorded_from_there_on(void **state)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, KERNEL("t_mute"), 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    assert_true(machine_run(m, 9, 0, 1000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, KERNEL("t_mute"));
    assert_string_equal(r.text,
                        "IMAGE\nOP 9\nBEGIN BRISC-KERNEL\nZONE before 2 000000\nEND BRISC-KERNEL\nEXIT 0\n");
    assert_int_equal(machine_lane(m, TD_LANE_lost_zones) + machine_lane(m, TD_LANE_lost_other), 0);
    records_free(&r);
    machine_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_profiler_markers_are_nothing_byte_for_byte),
        cmocka_unit_test(a_kernels_data_does_not_move_when_markers_are_compiled_in),
        cmocka_unit_test(an_image_without_markers_keeps_the_launch_protocol),
        cmocka_unit_test(five_thousand_sites_keep_their_names),
        cmocka_unit_test(two_images_on_one_core_one_after_the_other_keep_their_names_apart),
        cmocka_unit_test(the_c_library_prints_fails_and_exits_as_it_should),
        cmocka_unit_test(an_idle_launch_is_not_recorded_from_there_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
