/* Coordinates of tiles are those of published descriptions of chips and clusters. */
#include "host/device/board/coordinates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct td_board load(const char *name)
{
    struct td_board b;
    struct td_err err = {0};
    if (td_board_load(&b, name, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return b;
}

static uint64_t number(const struct td_board *b, uint32_t chip, enum td_coordinate_kind from, uint32_t x,
                       uint32_t y, enum td_coordinate_kind to)
{
    uint32_t tx, ty;
    struct td_err err = {0};
    if (td_coordinate(b, chip, from, x, y, to, &tx, &ty, &err))
        fail_msg("%s", err.text);
    return tx * 100 + ty;
}

static void every_kind_leads_back_to_where_it_came_from(void **state)
{
    static const char *const boards[] = {"wormhole",        "blackhole",       "tensix_sim",
                                         "tensix_sim_n150", "tensix_sim_n300", "tensix_sim_t3k",
                                         "tensix_sim_p100", "tensix_sim_p150", "tensix_sim_quasar"};
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        struct td_board b = load(boards[i]);
        for (uint32_t chip = 0; chip < b.chips; chip++)
            for (uint32_t y = 0; y < b.noc_height; y++)
                for (uint32_t x = 0; x < b.noc_width; x++)
                    for (int kind = TD_COORDINATE_NOC0; kind <= TD_COORDINATE_LOGICAL; kind++) {
                        uint32_t tx, ty, bx, by;
                        if (td_coordinate(&b, chip, TD_COORDINATE_NOC0, x, y, (enum td_coordinate_kind)kind,
                                          &tx, &ty, NULL))
                            continue;
                        assert_int_equal(td_coordinate(&b, chip, (enum td_coordinate_kind)kind, tx, ty,
                                                       TD_COORDINATE_NOC0, &bx, &by, NULL),
                                         0);
                        if (bx != x || by != y)
                            fail_msg("%s chip %u: %u,%u -> %s %u,%u -> %u,%u", boards[i], chip, x, y,
                                     kind == 3 ? "translated" : "other", tx, ty, bx, by);
                    }
    }
}

static void harvested_rows_of_wormhole_are_translated_last(void **state)
{
    struct td_board b = load("tensix_sim_n150"); /* row 8 is harvested */
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 0, 0, TD_COORDINATE_TRANSLATED), 1818);
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 7, 8, TD_COORDINATE_TRANSLATED), 2526);
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 7, 8, TD_COORDINATE_NOC0), 911);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 1, 8, TD_COORDINATE_TRANSLATED), 1827);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 9, 9, TD_COORDINATE_TRANSLATED), 2524);
    /* Ethernet: the row of its own; DRAM: the column of its own */
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 9, 0, TD_COORDINATE_TRANSLATED), 2516);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 1, 6, TD_COORDINATE_TRANSLATED), 1817);
    /* 0 to 15 are not translated */
    assert_int_equal(number(&b, 0, TD_COORDINATE_TRANSLATED, 0, 3, TD_COORDINATE_NOC0), 3);
}

static void harvested_columns_of_blackhole_are_translated_last(void **state)
{
    struct td_board b = load("tensix_sim_p100"); /* columns 7 and 10 are harvested */
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 0, 0, TD_COORDINATE_TRANSLATED), 102);
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 6, 0, TD_COORDINATE_NOC0), 1102);
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 6, 0, TD_COORDINATE_TRANSLATED), 702);
    assert_int_equal(number(&b, 0, TD_COORDINATE_LOGICAL, 11, 9, TD_COORDINATE_TRANSLATED), 1411);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 7, 2, TD_COORDINATE_TRANSLATED), 1602);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 10, 2, TD_COORDINATE_TRANSLATED), 1502);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 1, 1, TD_COORDINATE_TRANSLATED), 2025);
    assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, 0, 0, TD_COORDINATE_TRANSLATED), 1712);
    assert_int_equal(number(&b, 0, TD_COORDINATE_TRANSLATED, 19, 24, TD_COORDINATE_NOC0), 200);
}

static void what_there_is_not_is_an_error(void **state)
{
    struct td_board b = load("tensix_sim_n300");
    uint32_t x, y;
    struct td_err err = {0};
    assert_int_equal(td_coordinate(&b, 2, TD_COORDINATE_NOC0, 1, 1, TD_COORDINATE_NOC1, &x, &y, &err),
                     TD_E_USAGE);
    err = (struct td_err){0};
    assert_int_equal(td_coordinate(&b, 0, TD_COORDINATE_LOGICAL, 0, 8, TD_COORDINATE_NOC0, &x, &y, &err),
                     TD_E_USAGE);
    assert_non_null(strstr(err.text, "no tile at logical 0,8"));
    assert_int_equal(td_coordinate(&b, 0, TD_COORDINATE_NOC1, 10, 0, TD_COORDINATE_NOC0, &x, &y, NULL),
                     TD_E_USAGE);
    assert_int_equal(
        td_coordinate(&b, 0, TD_COORDINATE_NOC0, UINT32_MAX, 0, TD_COORDINATE_NOC0, &x, &y, NULL),
        TD_E_USAGE);
    assert_int_equal(td_coordinate(&b, 0, TD_COORDINATE_TRANSLATED, 40, 18, TD_COORDINATE_NOC0, &x, &y, NULL),
                     TD_E_USAGE);
    assert_int_equal(td_coordinate(&b, 0, TD_COORDINATE_NOC0, 0, 0, TD_COORDINATE_LOGICAL, &x, &y, NULL),
                     TD_E_NOTFOUND);
    assert_int_equal(td_coordinate(&b, 0, TD_COORDINATE_NOC0, 1, 1, TD_COORDINATE_LOGICAL, &x, &y, NULL),
                     TD_E_NOTFOUND);
    assert_int_equal(td_coordinate(&b, 1, TD_COORDINATE_NOC0, 1, 8, TD_COORDINATE_LOGICAL, &x, &y, NULL), 0);
}

static void every_tile_has_a_name(void **state)
{
    struct td_board b = load("tensix_sim_n150");
    char name[40];
    assert_string_equal(td_tile_name(&b, 0, 9, 11, name, sizeof name), "Tensix 7,8");
    assert_string_equal(td_tile_name(&b, 0, 1, 8, name, sizeof name), "relay");
    assert_string_equal(td_tile_name(&b, 0, 2, 8, name, sizeof name), "harvested Tensix");
    assert_string_equal(td_tile_name(&b, 0, 5, 10, name, sizeof name), "DRAM bank 3");
    assert_string_equal(td_tile_name(&b, 0, 1, 6, name, sizeof name), "Ethernet 9");
    assert_string_equal(td_tile_name(&b, 0, 0, 10, name, sizeof name), "ARC");
    assert_string_equal(td_tile_name(&b, 0, 0, 3, name, sizeof name), "PCIe 0");
    assert_string_equal(td_tile_name(&b, 0, 0, 2, name, sizeof name), "router");
    assert_string_equal(td_tile_name(&b, 0, 10, 0, name, sizeof name), "nothing");
}

static char *corpus_text(const char *folder, const char *name)
{
    const char *root = getenv("TD_CORPUS");
    char path[4096];
    snprintf(path, sizeof path, "%s/tt/%s/%s", root ? root : TD_SOURCE_DIR "/../shared/corpus", folder, name);
    FILE *f = fopen(path, "re");
    if (!f) {
        print_message("no %s\n", path);
        skip();
    }
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

struct list {
    uint32_t count;
    uint16_t x[256], y[256];
};

/* The coordinates X-Y after `key`, up to the next key. */
static uint32_t places(const char *text, const char *key, struct list *to)
{
    static uint8_t room[64][64];
    const char *at = strstr(text, key);
    assert_non_null(at);
    memset(room, 0, sizeof room);
    to->count = 0;
    for (at += strlen(key); *at && !strstr("abcdefghijklmnopqrstuvwxyz", (char[]){*at, 0}); at++) {
        unsigned x, y;
        int length;
        if (sscanf(at, "%u-%u%n", &x, &y, &length) != 2)
            continue;
        assert_true(x < 64 && y < 64 && !room[y][x]);
        room[y][x] = 1;
        assert_true(to->count < 256);
        to->x[to->count] = (uint16_t)x;
        to->y[to->count++] = (uint16_t)y;
        at += length - 1;
    }
    return to->count;
}

static int named(const struct td_board *b, const char *text, const char *key, const char *kind)
{
    struct list p;
    char name[40];
    uint32_t count = places(text, key, &p);
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(td_tile_name(b, 0, p.x[i], p.y[i], name, sizeof name), kind, strlen(kind)) != 0)
            fail_msg("%s: %u,%u is %s, not %s", b->name, p.x[i], p.y[i], name, kind);
    return (int)count;
}

static void check_chip(const char *board, const char *file, int workers)
{
    struct td_board b = load(board);
    char *text = corpus_text("soc_descs", file);
    struct list p;
    assert_int_equal(named(&b, text, "functional_workers:", "Tensix"), workers);
    assert_int_equal(b.all_columns * b.all_rows, workers);
    named(&b, text, "\narc:", "ARC");
    named(&b, text, "\npcie:", "PCIe");
    uint32_t ports = places(text, "\ndram:", &p);
    for (uint32_t i = 0; i < ports; i++) {
        char name[40], bank[40];
        snprintf(bank, sizeof bank, "DRAM bank %u", i / (ports / b.dram_banks));
        assert_string_equal(td_tile_name(&b, 0, p.x[i], p.y[i], name, sizeof name), bank);
    }
    uint32_t ethernet = places(text, "\neth:", &p);
    for (uint32_t i = 0; i < ethernet; i++) {
        assert_int_equal(b.ethernet.at.x[i], p.x[i]);
        assert_int_equal(b.ethernet.at.y[i], p.y[i]);
    }
    unsigned long bytes;
    assert_int_equal(sscanf(strstr(text, "worker_l1_size:"), "worker_l1_size: %lu", &bytes), 1);
    assert_int_equal(b.l1_bytes, bytes);
    assert_int_equal(sscanf(strstr(text, "dram_bank_size:"), "dram_bank_size: %lu", &bytes), 1);
    if (!b.simulated)
        assert_int_equal(b.dram_bank_bytes, bytes);
    const char *mirror = strstr(text, "noc0_x_to_noc1_x:");
    mirror = mirror ? strpbrk(mirror, "[") + 1 : NULL;
    for (uint32_t i = 0; mirror && i < b.noc_width; i++) {
        char *end;
        assert_int_equal(number(&b, 0, TD_COORDINATE_NOC0, i, 0, TD_COORDINATE_NOC1) / 100,
                         strtoul(mirror, &end, 10));
        mirror = end + 1;
    }
    free(text);
}

static void wormhole_is_as_published(void **state)
{
    check_chip("wormhole", "wormhole_b0_8x10.yaml", 80);
}
static void blackhole_is_as_published(void **state)
{
    check_chip("blackhole", "blackhole_140_arch.yaml", 140);
}
static void quasar_is_as_published(void **state)
{
    check_chip("tensix_sim_quasar", "quasar_32_arch.yaml", 32);
}

/* Harvest masks of a cluster description, chip by chip. */
static uint32_t masks_of(const char *file, unsigned masks[TD_MAX_CHIPS])
{
    char *text = corpus_text("cluster_descs", file);
    uint32_t count = 0;
    for (const char *at = strstr(text, "harvesting"); at && (at = strstr(at, " harvest_mask:")); at++)
        assert_int_equal(sscanf(at, " harvest_mask: %u", &masks[count++]), 1);
    free(text);
    return count;
}

/* A board with the chips and harvest masks of `file`, based on `base`, has the expected tiles left. */
static void check_cluster(const char *file, const char *base, uint32_t lines, uint32_t across,
                          const char *simulated)
{
    unsigned masks[TD_MAX_CHIPS];
    uint32_t chips = masks_of(file, masks);
    assert_true(chips > 0);
    char path[] = "/tmp/tendril-cluster-XXXXXX.board";
    int fd = mkstemps(path, 6);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "[board]\nbase=%s\nname=cluster\nchips=%u\n", base, chips);
    for (uint32_t i = 0; i < chips; i++)
        fprintf(f, "[chip %u]\nharvest_mask=%u\n", i, masks[i]);
    fclose(f);
    struct td_board b = load(path), sim = load(simulated);
    remove(path);
    for (uint32_t chip = 0; chip < chips; chip++) {
        uint32_t off = (uint32_t)__builtin_popcount(masks[chip]);
        const struct td_chip_desc *c = &b.chip[chip];
        assert_int_equal(c->columns * c->rows, (lines - off) * across);
        /* bit i is the i-th line counted along the NoC */
        const uint16_t *line = b.all_rows == lines ? c->row_y : c->column_x;
        for (uint32_t i = 1; i < lines - off; i++)
            assert_true(line[i] > line[i - 1]);
        if (strstr(file, "P150"))
            continue; /* the simulated P150 lacks two columns */
        assert_int_equal(sim.chip[chip].columns, c->columns);
        assert_memory_equal(sim.chip[chip].column_x, c->column_x, sizeof c->column_x);
        assert_memory_equal(sim.chip[chip].row_y, c->row_y, sizeof c->row_y);
    }
}

static void harvest_masks_of_published_clusters_give_their_tiles(void **state)
{
    check_cluster("wormhole_N150.yaml", "wormhole", 10, 8, "tensix_sim_n150");
    check_cluster("wormhole_N300.yaml", "wormhole", 10, 8, "tensix_sim_n300");
    check_cluster("t3k_cluster_desc.yaml", "wormhole", 10, 8, "tensix_sim_t3k");
    check_cluster("blackhole_P100.yaml", "blackhole", 14, 10, "tensix_sim_p100");
    check_cluster("blackhole_P150.yaml", "blackhole", 14, 10, "tensix_sim_p150");
}

static void list_of_mask(char *to, size_t bytes, const char *section, unsigned mask)
{
    size_t used = 0;
    to[0] = 0;
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1)
            used += (size_t)snprintf(to + used, bytes - used, used ? ",%u" : section, i);
}

/* The card with these masks, from its description. */
static struct td_board load_card(const char *name, const unsigned masks[4])
{
    char path[] = "/tmp/tendril-card-XXXXXX.board", dram[200], ethernet[200], pcie[200];
    int fd = mkstemps(path, 6);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    list_of_mask(dram, sizeof dram, "[dram]\nharvested=%u", masks[1]);
    list_of_mask(ethernet, sizeof ethernet, "[ethernet]\nharvested=%u", masks[2]);
    list_of_mask(pcie, sizeof pcie, "[pcie]\nharvested=%u", masks[3]);
    fprintf(f, "[board]\nbase=%s\nname=card\n[chip 0]\nharvest_mask=%u\n%s\n%s\n%s\n", name, masks[0], dram,
            ethernet, pcie);
    fclose(f);
    struct td_board b = load(path);
    remove(path);
    return b;
}

/* "1>18 2>19 ...": one axis of the tiles with cores. */
static void check_axis(const struct td_board *b, const char *text, bool is_y)
{
    unsigned from, to;
    uint32_t count = 0;
    for (int length; sscanf(text, " %u>%u%n", &from, &to, &length) == 2; text += length, count++) {
        const uint32_t x = is_y ? b->chip[0].column_x[0] : from, y = is_y ? from : b->chip[0].row_y[0];
        const uint64_t at = number(b, 0, TD_COORDINATE_NOC0, x, y, TD_COORDINATE_TRANSLATED);
        assert_int_equal(is_y ? at % 100 : at / 100, to);
    }
    assert_int_equal(count, is_y ? b->all_rows : b->all_columns);
}

/* "0,0>17,12 ...": tiles of another kind. */
static void check_others(const struct td_board *b, const char *text, uint32_t tiles)
{
    unsigned x, y, tx, ty;
    uint32_t count = 0;
    for (int length; sscanf(text, " %u,%u>%u,%u%n", &x, &y, &tx, &ty, &length) == 4; text += length, count++)
        assert_int_equal(number(b, 0, TD_COORDINATE_NOC0, x, y, TD_COORDINATE_TRANSLATED), tx * 100 + ty);
    assert_int_equal(count, tiles);
}

/* Windows of the host and NoC commands of cores get these. */
static void check_addresses(const struct td_board *b, unsigned harvested_banks)
{
    for (uint32_t y = 0; y < b->chip[0].rows; y++)
        for (uint32_t x = 0; x < b->chip[0].columns; x++) {
            const struct td_tile_at at = td_board_tile(b, 0, x, y);
            assert_int_equal(at.x * 100 + at.y,
                             number(b, 0, TD_COORDINATE_LOGICAL, x, y, TD_COORDINATE_TRANSLATED));
        }
    uint32_t bank = 0;
    for (uint32_t i = 0; i < b->dram.at.count; i += b->dram_ports) {
        if (harvested_banks >> (i / b->dram_ports) & 1)
            continue;
        assert_int_equal(
            b->dram_x[bank] * 100 + b->dram_y[bank],
            number(b, 0, TD_COORDINATE_NOC0, b->dram.at.x[i], b->dram.at.y[i], TD_COORDINATE_TRANSLATED));
        bank++;
    }
    assert_int_equal(b->dram_banks, bank);
}

static void cards_are_addressed_by_translated_coordinates_with_every_published_mask(void **state)
{
    static char line[4096];
    static struct td_board b;
    unsigned masks[4] = {0};
    uint32_t cards = 0;
    FILE *f = fopen(TD_SOURCE_DIR "/tests/data/tt/translated.txt", "re");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char name[20];
        if (sscanf(line, "chip %19s tensix %u dram %u ethernet %u pcie %u", name, &masks[0], &masks[1],
                   &masks[2], &masks[3]) == 5) {
            b = load_card(name, masks);
            check_addresses(&b, masks[1]);
            cards++;
        } else if (strncmp(line, "columns ", 8) == 0 || strncmp(line, "rows ", 5) == 0) {
            check_axis(&b, strchr(line, ' '), line[0] == 'r');
        } else if (strncmp(line, "dram ", 5) == 0) {
            check_others(&b, line + 5, b.dram.at.count);
        } else if (strncmp(line, "ethernet ", 9) == 0) {
            check_others(&b, line + 9, b.ethernet.at.count);
        } else if (strncmp(line, "pcie ", 5) == 0) {
            check_others(&b, line + 5, b.pcie.at.count);
        } else {
            assert_int_equal(line[0], '#');
        }
    }
    fclose(f);
    assert_int_equal(cards, 39);
}

static void simulated_shapes_have_the_tiles_of_their_boards(void **state)
{
    static const struct {
        const char *name;
        uint32_t chips, tiles, lanes;
    } shapes[] = {{"tensix_sim", 1, 4, 20},         {"tensix_sim_n150", 1, 72, 360},
                  {"tensix_sim_n300", 2, 64, 640},  {"tensix_sim_t3k", 8, 64, 2560},
                  {"tensix_sim_p100", 1, 120, 600}, {"tensix_sim_p150", 1, 130, 650}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct td_board b = load(shapes[i].name);
        assert_int_equal(b.chips, shapes[i].chips);
        assert_int_equal(b.grid_width * b.grid_height, shapes[i].tiles);
        assert_int_equal(b.chips * b.grid_width * b.grid_height * b.core_count, shapes[i].lanes);
        assert_true(b.simulated && td_board_relays(&b) >= b.chips);
        assert_true(td_board_has_transport(&b, "shm"));
    }
    struct td_board quasar = load("tensix_sim_quasar");
    assert_int_equal(quasar.core_count, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_leads_back_to_where_it_came_from),
        cmocka_unit_test(harvested_rows_of_wormhole_are_translated_last),
        cmocka_unit_test(harvested_columns_of_blackhole_are_translated_last),
        cmocka_unit_test(what_there_is_not_is_an_error),
        cmocka_unit_test(every_tile_has_a_name),
        cmocka_unit_test(wormhole_is_as_published),
        cmocka_unit_test(blackhole_is_as_published),
        cmocka_unit_test(quasar_is_as_published),
        cmocka_unit_test(harvest_masks_of_published_clusters_give_their_tiles),
        cmocka_unit_test(cards_are_addressed_by_translated_coordinates_with_every_published_mask),
        cmocka_unit_test(simulated_shapes_have_the_tiles_of_their_boards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
