/* The headers of C++ and C's atomic objects work on a core. */
#include "tests/target/kernels/printf_cases.h"
#include "tests/target/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KERNEL(name) TD_BINARY_DIR "/tests/kernels/" name ".elf"

static void check_kernel(const char *elf, uint32_t arg, uint32_t exit_code, const char *text)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, elf, 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 7, arg, 10000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, elf);
    assert_string_equal(r.text, text);
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), exit_code);
    records_free(&r);
    machine_destroy(m);
}

#define LIBRARY_TEXT                                                                                         \
    "IMAGE\nOP 7\nBEGIN BRISC-KERNEL\n"                                                                      \
    "LOG sorted 1 2 3 4 5\n"                                                                                 \
    "ZONE largest<int> 2 000000\n"                                                                           \
    "LOG largest 5 sum 15\n"                                                                                 \
    "LOG tuple 7 65535 ones 4\n"                                                                             \
    "LOG atomic 1 40 100 0\n"                                                                                \
    "LOG virtual 5 variant 2.500000 view 4\n"

static void headers_of_libstdcxx_that_need_no_library_work(void **state)
{
    check_kernel(KERNEL("t_cpp_library"), 1, 4, LIBRARY_TEXT "END BRISC-KERNEL\nEXIT 4\n");
}

static void where_cxx_would_throw_the_kernel_says_why_and_ends(void **state)
{
    check_kernel(KERNEL("t_cpp_library"), 3, 134,
                 LIBRARY_TEXT "TEXT C++: an index is out of range\nEND BRISC-KERNEL\nEXIT 86\n");
}

static void atomic_objects_of_c_work(void **state)
{
    check_kernel(KERNEL("t_atomics"), 0, 9,
                 "IMAGE\nOP 7\nBEGIN BRISC-KERNEL\nLOG 1 10 9 0 0 1\nEND BRISC-KERNEL\nEXIT 9\n");
}

/* Some results are longer than their room, and some arguments than their conversion, on purpose. */
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wformat"
#else
#pragma GCC diagnostic ignored "-Wformat-truncation"
#endif

static void printf_formats_as_the_hosts(void **state)
{
    static char wanted[PRINTF_BYTES];
    struct machine *m = machine_create();
    struct records r;
    uint32_t results, lengths, bytes;
    int i = 0;
    machine_load(m, KERNEL("t_printf"), 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    assert_true(machine_run(m, 7, 0, 100000000));
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), 0);
    assert_true(machine_symbol(m, "results", &results, &bytes));
    assert_true(machine_symbol(m, "lengths", &lengths, &bytes));
#define TD_X(...)                                                                                            \
    assert_int_equal(snprintf(wanted, sizeof wanted, __VA_ARGS__), ((const int *)(m->l1 + lengths))[i]);     \
    assert_string_equal((const char *)m->l1 + results + (size_t)i++ * PRINTF_BYTES, wanted);
    PRINTF_ALL(TD_X)
#undef TD_X
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, KERNEL("t_printf"));
    assert_non_null(strstr(r.text, "TEXT -5000000000 and 2.500\n"));
    records_free(&r);
    machine_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_libstdcxx_that_need_no_library_work),
        cmocka_unit_test(where_cxx_would_throw_the_kernel_says_why_and_ends),
        cmocka_unit_test(atomic_objects_of_c_work),
        cmocka_unit_test(printf_formats_as_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
