/* Every marker of the user headers: the host reads what a kernel writes, with all flags of the compiler. */
#include "tests/target/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KERNEL(name) TD_BINARY_DIR "/tests/kernels/" name ".elf"

/* The clock advances by one tick with each read, and where the kernel requests it. */
#define KERNEL_TEXT(core)                                                                                    \
    "IMAGE\n"                                                                                                \
    "OP 7\n"                                                                                                 \
    "BEGIN " core "-KERNEL\n"                                                                                \
    "ZONE scoped 12 000000\n"                                                                                \
    "ZTEXT i = 0, \"100%\"\n"                                                                                \
    "ZONE helper 4 102030\n"                                                                                 \
    "ZONE inner 108 ff00ff\n"                                                                                \
    "ZTEXT i = 1, \"100%\"\n"                                                                                \
    "ZONE helper 4 102030\n"                                                                                 \
    "ZONE inner 108 ff00ff\n"                                                                                \
    "ZTEXT i = 2, \"100%\"\n"                                                                                \
    "ZONE helper 4 102030\n"                                                                                 \
    "ZONE inner 108 ff00ff\n"                                                                                \
    "ZVALUE 123456789abcdef0\n"                                                                              \
    "PLOT_INT depth fffffff9\n"                                                                              \
    "PLOT_FLOAT load 3f000000\n"                                                                             \
    "FLOW_OUT page 1234\n"                                                                                   \
    "FLOW_IN page 5678\n"                                                                                    \
    "ZONE outer 342 000000\n"                                                                                \
    "WAIT ZONE cb full 52 000000\n"                                                                          \
    "ZONE span 1056 000000\n"                                                                                \
    "LOG no arguments\n"                                                                                     \
    "LOG tile -3 of 12: text 1.500000 x\n"                                                                   \
    "LOG 1 2 3 4 5 6 7 99\n"                                                                                 \
    "TEXT line 1\n"                                                                                          \
    "TEXT a longer line: abcdefghijklmnopqrstuvwxyz beef\n"                                                  \
    "TEXT and no end\n"                                                                                      \
    "END " core "-KERNEL\n"                                                                                  \
    "EXIT 2a\n"

static void run(struct machine *m, const char *elf, uint32_t core, struct records *r)
{
    machine_load(m, elf, core);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    m->note_count = 0;
    m->ticks = 0x1fffff000;
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 7, 99, 10000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    assert_int_equal(machine_lane(m, TD_LANE_state), TD_CORE_DONE);
    assert_int_equal(machine_lane(m, TD_LANE_done), machine_lane(m, TD_LANE_launch));
    assert_int_equal(machine_lane(m, TD_LANE_tail), machine_lane(m, TD_LANE_head));
    assert_int_equal(machine_lane(m, TD_LANE_lost_zones) + machine_lane(m, TD_LANE_lost_other), 0);
    records_read(r, m->words, m->slots, elf);
    assert_int_equal(r->bad_slots, 0);
}

static void check_kernel(const char *elf, uint32_t core, const char *text)
{
    struct machine *m = machine_create();
    struct records r;
    run(m, elf, core, &r);
    assert_string_equal(r.text, text);
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), 42);
    assert_int_equal(m->note_count, 1);
    assert_int_equal(m->notes[0], 5 + 77);
    records_free(&r);
    machine_destroy(m);
}

static void every_marker_arrives_as_it_was_written(void **state)
{
    check_kernel(KERNEL("t_markers"), 0, KERNEL_TEXT("BRISC"));
}

static void the_tiny_build_records_the_same(void **state)
{
    check_kernel(KERNEL("t_markers_tiny"), 1, KERNEL_TEXT("NCRISC"));
}

static void unoptimised_code_records_the_same(void **state)
{
    check_kernel(KERNEL("t_markers_o0"), 3, KERNEL_TEXT("TRISC"));
}

static void link_time_optimised_code_records_the_same(void **state)
{
    check_kernel(KERNEL("t_markers_lto"), 0, KERNEL_TEXT("BRISC"));
}

static void a_second_start_of_the_same_image_begins_like_the_first(void **state)
{
    struct machine *m = machine_create();
    struct records first, second;
    run(m, KERNEL("t_markers"), 0, &first);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    assert_true(machine_run(m, 7, 99, 10000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&second, m->words, m->slots, KERNEL("t_markers"));
    assert_string_equal(first.text, second.text);
    assert_int_equal(m->note_count, 2);
    assert_int_equal(m->notes[0], m->notes[1]);
    records_free(&first);
    records_free(&second);
    machine_destroy(m);
}

static void check_cpp(const char *elf, uint32_t core, const char *risc)
{
    static const char text[] = "ZONE constructor 2 000000\n"
                               "LOG value 20\n"
                               "ZONE template 4 ff0000\n"
                               "ZONE lambda 2 000000\n"
                               "ZONE shared inline 2 000000\n"
                               "LOG value 3\n"
                               "ZONE template 4 ff0000\n"
                               "ZONE shared inline 2 000000\n"
                               "ZONE second_file 6 000000\n"
                               "ZTEXT float 0.250000 double 2.500000 bool 1\n"
                               "ZONE thrice<short int> 2 000000\n"
                               "ZONE thrice<int> 2 000000\n"
                               "ZONE once<int> 2 000000\n"
                               "ZONE once<signed char> 2 000000\n"
                               "ZONE main 48 000000\n"
                               "ZONE destructor 2 000000\n";
    struct machine *m = machine_create();
    struct records r;
    char whole[2000];
    run(m, elf, core, &r);
    snprintf(whole, sizeof whole, "IMAGE\nOP 7\nBEGIN %s-KERNEL\n%sEND %s-KERNEL\nEXIT 0\n", risc, text,
             risc);
    assert_string_equal(r.text, whole);
    assert_int_equal(m->note_count, 2);
    assert_int_equal(m->notes[0], 148);
    assert_int_equal(m->notes[1], 1007);
    records_free(&r);
    machine_destroy(m);
}

static void cpp_kernels_have_sites_in_templates_lambdas_and_shared_inline_functions(void **state)
{
    check_cpp(KERNEL("t_cpp"), 2, "TRISC");
    check_cpp(KERNEL("t_cpp_o0"), 0, "BRISC");
    check_cpp(KERNEL("t_cpp_lto"), 0, "BRISC");
}

static void check_ttmetal(const char *elf)
{
    struct machine *m = machine_create();
    struct records r;
    char text[2000];
    int length = snprintf(text, sizeof text,
                          "IMAGE\nOP 7\nBEGIN BRISC-KERNEL\nBEGIN BRISC-FW\nOP 401\n"
                          "BEGIN BRISC-CHILD\nZONE SECOND 2 000000\nLOG FLAG\n");
    for (int i = 0; i < 4; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "DATA ADDRESS %08x0000abcd\nEVENT %d\nZONE READ-TILE 116 000000\n", i, i + 5);
    snprintf(text + length, sizeof text - (size_t)length,
             "LOG BARRIER\nEND BRISC-CHILD\nEND BRISC-FW\nSUM SUM-ONE 448 of 4\nSUM SUM-TWO 428 of 4\n"
             "END BRISC-KERNEL\nEXIT 0\n");
    run(m, elf, 0, &r);
    assert_string_equal(r.text, text);
    records_free(&r);
    machine_destroy(m);
}

static void a_kernel_written_for_tt_metal_runs_unchanged(void **state)
{
    check_ttmetal(KERNEL("t_ttmetal"));
    check_ttmetal(KERNEL("t_ttmetal_c"));
}

static void compute_kernels_of_tt_metal_run_from_their_own_entry_points(void **state)
{
    static const char *const kernels[] = {KERNEL("t_ttmetal_compute"), KERNEL("t_ttmetal_compute_new")};
    for (size_t i = 0; i < 2; i++) {
        struct machine *m = machine_create();
        struct records r;
        run(m, kernels[i], 3, &r);
        assert_string_equal(r.text, "IMAGE\nOP 7\nBEGIN TRISC-KERNEL\n"
                                    "ZONE MATH 2 000000\nZONE ODD 2 000000\nZONE MATH 6 000000\n"
                                    "LOG MATH-DONE\nEND TRISC-KERNEL\nEXIT 0\n");
        records_free(&r);
        machine_destroy(m);
    }
}

static void a_kernel_gets_the_profiler_and_the_clock_without_an_include_of_its_own(void **state)
{
    struct machine *m = machine_create();
    struct records r;
    run(m, KERNEL("t_ttmetal_injected"), 1, &r);
    assert_non_null(strstr(r.text, "BEGIN NCRISC-KERNEL\nDATA COPY 0000000700000010\nZONE SPIN 5"));
    records_free(&r);
    machine_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_marker_arrives_as_it_was_written),
        cmocka_unit_test(the_tiny_build_records_the_same),
        cmocka_unit_test(unoptimised_code_records_the_same),
        cmocka_unit_test(link_time_optimised_code_records_the_same),
        cmocka_unit_test(a_second_start_of_the_same_image_begins_like_the_first),
        cmocka_unit_test(cpp_kernels_have_sites_in_templates_lambdas_and_shared_inline_functions),
        cmocka_unit_test(a_kernel_written_for_tt_metal_runs_unchanged),
        cmocka_unit_test(compute_kernels_of_tt_metal_run_from_their_own_entry_points),
        cmocka_unit_test(a_kernel_gets_the_profiler_and_the_clock_without_an_include_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
