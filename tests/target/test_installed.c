/* Kernels can be built outside of the tree, from an installed prefix, with one line. */
#include "host/device/image/image.h"
#include "tests/target/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FOLDER TD_BINARY_DIR "/tests/installed_kernels"

static void runs(const char *elf, uint32_t core, uint32_t exit_code, const char *text)
{
    struct machine *m = machine_create();
    struct records r;
    machine_load(m, elf, core);
    machine_reset_lane(m, TD_POLICY_BLOCK);
    assert_true(machine_run(m, 3, 17, 1000000));
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, elf);
    assert_int_equal(machine_lane(m, TD_LANE_exit_code), exit_code);
    if (text)
        assert_string_equal(r.text, text);
    else
        assert_int_equal(r.count, 0);
    records_free(&r);
    machine_destroy(m);
}

/* It has the runtime and the marker, though its linker script knows nothing of them. */
static void is_guest(const char *elf)
{
    struct td_err err = {0};
    uint32_t offset;
    struct td_image *image = td_image_open(elf, &err);
    assert_non_null(image);
    assert_int_equal(td_image_site_count(image), 1);
    assert_string_equal(td_image_site(image, 0)->name, "tile");
    assert_true(td_image_build_id(image) != 0);
    assert_string_equal(td_image_symbol(image, td_image_entry(image), &offset), "_start");
    td_image_close(image);
}

static void a_kernel_builds_outside_the_tree_with_one_line(void **state)
{
    static const char text[] =
        "IMAGE\nOP 3\nBEGIN BRISC-KERNEL\nLOG argument 17\nTEXT hello\nZONE from outside 7 000000\n"
        "END BRISC-KERNEL\nEXIT 5\n";
    assert_int_equal(system(TD_SOURCE_DIR "/tests/target/build_installed.sh " TD_BINARY_DIR " " FOLDER), 0);
    runs(FOLDER "/make/kernel.elf", 0, 5, text);
    runs(FOLDER "/make/cpp.elf", 0, 5, text);
    runs(FOLDER "/make/off.elf", 0, 5, NULL);
    runs(FOLDER "/cmake/build/kernel.elf", 0, 5, text);
    runs(FOLDER "/make/stamped.elf", 0, 5,
         "IMAGE\nOP 3\nBEGIN BRISC-KERNEL\nLOG argument 17\nTEXT hello\nEND BRISC-KERNEL\nEXIT 5\n");
    runs(FOLDER "/make/ttmetal_BRISC.elf", 0, 0,
         "IMAGE\nOP 3\nBEGIN BRISC-KERNEL\nZONE tile 2 000000\nEND BRISC-KERNEL\nEXIT 0\n");
    runs(FOLDER "/make/ttmetal_TRISC2.elf", 4, 0,
         "IMAGE\nOP 3\nBEGIN TRISC-KERNEL\nZONE tile 2 000000\nEND TRISC-KERNEL\nEXIT 0\n");
    is_guest(FOLDER "/guest/kernel.elf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_builds_outside_the_tree_with_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
