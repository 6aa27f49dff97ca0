/* Kernels can be built outside of the tree, from an installed prefix, with one line. */
#include "tests/target/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FOLDER TD_BINARY_DIR "/tests/installed_kernels"

static void runs(const char *elf, const char *text)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, elf, 0);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    assert_true(machine_run(m, 3, 17, 1000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, elf);
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), 5);
    if (text)
        assert_string_equal(r.text, text);
    else
        assert_int_equal(r.count, 0);
    records_free(&r);
    machine_destroy(m);
}

static void a_kernel_builds_outside_the_tree_with_one_line(void **state)
{
    static const char text[] =
        "IMAGE\nOP 3\nBEGIN BRISC-KERNEL\nLOG argument 17\nTEXT hello\nZONE from outside 8 000000\n"
        "END BRISC-KERNEL\nEXIT 5\n";
    assert_int_equal(system(TD_SOURCE_DIR "/tests/target/build_installed.sh " TD_BINARY_DIR " " FOLDER), 0);
    runs(FOLDER "/make/kernel.elf", text);
    runs(FOLDER "/make/cpp.elf", text);
    runs(FOLDER "/make/off.elf", NULL);
    runs(FOLDER "/cmake/build/kernel.elf", text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_builds_outside_the_tree_with_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
