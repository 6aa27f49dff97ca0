/* What a chip says about itself goes into its description (host/device/board/adapt.h). */
#include "host/device/board/adapt.h"
#include "host/device/board/coordinates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct td_chip_identity who;

static int tell(struct td_transport *t, uint16_t chip, struct td_chip_identity *identity, struct td_err *err)
{
    (void)t, (void)chip, (void)err;
    *identity = who;
    return 0;
}

static int adapt(const char *name, const char *grid, struct td_board *b, struct td_err *err)
{
    static const struct td_transport_ops ops = {.chip_identity = tell};
    struct td_transport t = {.ops = &ops};
    char *text = NULL;
    struct td_board again;
    if (td_board_load(b, name, grid, &text, err))
        fail_msg("%s", err->text);
    int rc = td_board_adapt(b, &text, grid, &t, err);
    if (rc == 0) { /* the text is that of the adapted board: programs and journals get it */
        assert_int_equal(td_board_parse(&again, text, "test", grid, err), 0);
        assert_memory_equal(again.chip, b->chip, sizeof again.chip);
    }
    free(text);
    return rc;
}

static void harvested_tiles_are_left_out(void **state)
{
    struct td_board b;
    struct td_err err = {0};
    who = (struct td_chip_identity){.pci_device = 0x401e, .translated = 1, .tensix = 0x41};
    assert_int_equal(adapt("wormhole", "8x8", &b, &err), 0);
    assert_true(b.chip[0].rows == 8 && b.chip[0].columns == 8);
    assert_true(b.chip[0].row_y[0] == 2 && b.chip[0].row_y[5] == 9 && b.chip[0].row_y[8] == 1);
    who = (struct td_chip_identity){
        .pci_device = 0xb140, .translated = 1, .tensix = 0xc0, .dram = 1, .ethernet = 0x120, .pcie = 1};
    if (adapt("blackhole", "12x10", &b, &err))
        fail_msg("%s", err.text);
    assert_true(b.chip[0].columns == 12 && b.dram_banks == 7);
    assert_true(b.chip[0].column_x[5] == 6 &&
                b.chip[0].column_x[6] == 11); /* columns 7 and 10 are harvested */
    uint32_t x, y;
    assert_int_equal(td_coordinate(&b, 0, TD_COORDINATE_NOC0, 11, 2, TD_COORDINATE_TRANSLATED, &x, &y, &err),
                     0);
    assert_true(x == 7 && y == 2);
    (void)state;
}

static void tiles_are_called_as_the_chip_wants(void **state)
{
    struct td_board b;
    struct td_err err = {0};
    who = (struct td_chip_identity){.pci_device = 0x401e, .translated = 1};
    assert_int_equal(adapt("wormhole", NULL, &b, &err), 0);
    assert_true(td_board_tile(&b, 0, 0, 0).x == 18 && td_board_tile(&b, 0, 0, 0).y == 18);
    who.translated = 0;
    assert_int_equal(adapt("wormhole", NULL, &b, &err), 0);
    assert_true(td_board_tile(&b, 0, 0, 0).x == 1 && td_board_tile(&b, 0, 0, 0).y == 1);
    (void)state;
}

static void another_chip_than_the_described_one_is_refused(void **state)
{
    static const struct {
        const char *board, *grid, *words;
        struct td_chip_identity who;
    } cases[] = {
        {"blackhole", NULL, "another kind of chip", {.pci_device = 0x401e, .translated = 1}},
        {"tensix_sim_n150", NULL, "harvest_mask=", {.translated = 1, .tensix = 0x3}},
        {"wormhole", "8x10", "does not fit", {.pci_device = 0x401e, .translated = 1, .tensix = 2}},
        {"wormhole", NULL, "does not fit", {.pci_device = 0x401e, .translated = 1, .tensix = 0x400}},
        {"wormhole", NULL, "does not fit", {.pci_device = 0x401e, .translated = 1, .tensix = 0x3ff}},
        {"wormhole", NULL, "does not fit", {.pci_device = 0x401e, .translated = 1, .dram = 0x80000000}},
        {"blackhole", NULL, "does not fit", {.pci_device = 0xb140, .translated = 1, .dram = 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_board b;
        struct td_err err = {0};
        who = cases[i].who;
        if (adapt(cases[i].board, cases[i].grid, &b, &err) == 0)
            fail_msg("case %zu is not refused", i);
        if (!strstr(err.text, cases[i].words) || strchr(err.text, '\n'))
            fail_msg("case %zu: %s", i, err.text);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(harvested_tiles_are_left_out),
                                       cmocka_unit_test(tiles_are_called_as_the_chip_wants),
                                       cmocka_unit_test(another_chip_than_the_described_one_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
