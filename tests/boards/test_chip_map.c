/* The map of a chip in a trace: that of every board is the description's, and a text is read only if it is a
 * whole map. */
#include "host/device/board/coordinates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct td_board load(const char *name)
{
    struct td_board b;
    struct td_err err = {0};
    if (td_board_load(&b, name, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return b;
}

static void check_place(const struct td_board *b, const struct td_chip_map *m, uint32_t x, uint32_t y)
{
    char name[40];
    const char *kind = td_chip_place_name((enum td_chip_place)m->place[y][x]);
    td_tile_name(b, m->chip, x, y, name, sizeof name);
    if (strncmp(name, kind, strlen(kind)) != 0)
        fail_msg("%s, chip %u: %u,%u is %s, not %s", b->name, m->chip, x, y, name, kind);
}

static void the_map_of_every_board_is_read_back_and_is_its_description(void **state)
{
    static const char *const boards[] = {"wormhole",        "blackhole",       "tensix_sim",
                                         "tensix_sim_n150", "tensix_sim_n300", "tensix_sim_t3k",
                                         "tensix_sim_p100", "tensix_sim_p150", "tensix_sim_quasar"};
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        const struct td_board b = load(boards[i]);
        for (uint32_t chip = 0; chip < b.chips; chip++) {
            struct td_chip_map map, again;
            char text[TD_CHIP_MAP_BYTES];
            assert_true(td_board_chip_map(&b, chip, &map));
            td_chip_map_text(text, &map);
            assert_true(td_chip_map_read(text, &again));
            assert_memory_equal(&map, &again, sizeof map);
            for (uint32_t y = 0; y < map.height; y++)
                for (uint32_t x = 0; x < map.width; x++)
                    check_place(&b, &map, x, y);
            for (uint32_t y = 0; y < map.rows; y++)
                for (uint32_t x = 0; x < map.columns; x++) {
                    const struct td_tile_at at = td_board_tile(&b, chip, x, y);
                    uint32_t noc_x, noc_y;
                    assert_int_equal(
                        td_coordinate(&b, chip,
                                      b.translated_addresses ? TD_COORDINATE_TRANSLATED : TD_COORDINATE_NOC0,
                                      at.x, at.y, TD_COORDINATE_NOC0, &noc_x, &noc_y, NULL),
                        0);
                    assert_true(noc_x == map.column_x[x] && noc_y == map.row_y[y]);
                }
        }
    }
}

static void a_board_without_a_noc_has_no_map(void **state)
{
    struct td_board b = load("qemu_virt");
    struct td_chip_map map;
    assert_false(td_board_chip_map(&b, 0, &map));
    b = load("tensix_sim");
    assert_false(td_board_chip_map(&b, b.chips, &map));
}

static void the_text_of_a_harvested_chip_is_as_documented(void **state)
{
    const struct td_board b = load("tensix_sim_n150"); /* row 8 is harvested and has two relays */
    struct td_chip_map map;
    char text[TD_CHIP_MAP_BYTES];
    assert_true(td_board_chip_map(&b, 0, &map));
    map.chip = 7;
    td_chip_map_text(text, &map);
    assert_string_equal(text, "chip 7 map 10x12 columns 1-4,6-9 rows 1-5,7,9-11 tiles "
                              "DEEEEDEEEE/DTTTTDTTTT/.TTTTDTTTT/PTTTTDTTTT/.TTTTDTTTT/DTTTTDTTTT/"
                              "DEEEEDEEEE/DTTTTDTTTT/.RxxxDRxxx/.TTTTDTTTT/ATTTTDTTTT/DTTTTDTTTT");
}

static void what_is_no_whole_map_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "chip",
        "chip 0 map 2x2 columns 0 rows 0 tiles TD/DD ",
        "chip 0 map 2x2 columns 0 rows 0 tiles TD/D",
        "chip 0 map 2x2 columns 0 rows 0 tiles TD",
        "chip 0 map 2x2 columns 0 rows 0 tiles TDD/D",
        "chip 0 map 2x2 columns 0 rows 0 tiles TD/DQ",
        "chip 0 map 0x2 columns 0 rows 0 tiles /",
        "chip 0 map 65x1 columns 0 rows 0 tiles T",
        "chip 4294967296 map 2x2 columns 0 rows 0 tiles TD/DD",
        "chip -1 map 2x2 columns 0 rows 0 tiles TD/DD",
        "chip 0 map 2x2 columns 2 rows 0 tiles TD/DD",   /* outside */
        "chip 0 map 2x2 columns 0,0 rows 0 tiles TD/DD", /* twice */
        "chip 0 map 2x2 columns 1-0 rows 0 tiles TD/DD",
        "chip 0 map 2x2 columns 0-1 rows 0 tiles TD/DD", /* 1,0 is no Tensix tile */
        "chip 0 map 2x2 columns 0 rows 0 tiles TT/DD",   /* 1,0 has no logical column */
        "chip 0 map 2x2 columns  rows 0 tiles DD/DD",
    };
    struct td_chip_map map;
    assert_true(td_chip_map_read("chip 0 map 2x2 columns 0 rows 0 tiles TD/DD", &map));
    assert_true(td_chip_map_read("chip 0 map 2x1 columns 1,0 rows 0 tiles TT", &map));
    assert_true(map.column_x[0] == 1 && map.column_x[1] == 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (td_chip_map_read(bad[i], &map))
            fail_msg("read: %s", bad[i]);
}

/* Each byte changed to others, and each length: what is read is a whole map, which its text gives again. */
static void damaged_texts_are_whole_maps_or_refused(void **state)
{
    const struct td_board b = load("tensix_sim_n150");
    static const char others[] = " 0179-,/xTDE.";
    struct td_chip_map map, again;
    char good[TD_CHIP_MAP_BYTES], text[TD_CHIP_MAP_BYTES];
    unsigned read = 0, refused = 0;
    assert_true(td_board_chip_map(&b, 0, &map));
    td_chip_map_text(good, &map);
    const size_t bytes = strlen(good);
    for (size_t at = 0; at < bytes; at++)
        for (size_t i = 0; i < sizeof others; i++) { /* its NUL, too: the text ends there */
            char *damaged = strdup(good);            /* of its own size, for AddressSanitizer */
            assert_non_null(damaged);
            damaged[at] = others[i];
            if (td_chip_map_read(damaged, &map)) {
                read++;
                td_chip_map_text(text, &map);
                assert_true(td_chip_map_read(text, &again));
                assert_memory_equal(&map, &again, sizeof map);
            } else {
                refused++;
            }
            free(damaged);
        }
    assert_true(read > bytes && refused > bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_of_every_board_is_read_back_and_is_its_description),
        cmocka_unit_test(a_board_without_a_noc_has_no_map),
        cmocka_unit_test(the_text_of_a_harvested_chip_is_as_documented),
        cmocka_unit_test(what_is_no_whole_map_is_refused),
        cmocka_unit_test(damaged_texts_are_whole_maps_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
