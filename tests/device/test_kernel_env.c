/* Kernels that are written for tt-metal, with its functions: on the simulated board, or, with the environment variable
 * TD_KERNELS, their folder, on the board of `tendril record`. */
#include "host/device/kernel_env.h"
#include "proto/device/kernel_env.h"
#include "tests/device/live_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGES      21u
#define PAGE_WORDS 48u /* pages of a circular buffer are aligned as those in DRAM are */
#define PAGE_BYTES (4 * PAGE_WORDS)
#define FROM       0x1000u
#define TO         0x80000u

static struct live_board *start(void)
{
    const char *kernels = getenv("TD_KERNELS");
    struct live_board *b = kernels ? live_board_join(kernels) : live_board_start(NULL);
    if (!b)
        skip();
    return b;
}

static uint32_t word_of(uint32_t page, uint32_t i)
{
    return page << 16 | i;
}

static void check(int rc, const struct td_err *err)
{
    if (rc < 0)
        fail_msg("%s", err->text);
}

static void prepare(struct live_board *b, struct td_kernel_tile *tile, struct td_core_at at,
                    const char *kernel)
{
    struct td_err err = {0};
    check(td_device_load(b->device, at, live_kernel(b, kernel, at.core), &err), &err);
    check(td_device_prepare(b->device, at, 1, td_kernel_tile_env(tile, at.core), &err), &err);
}

static void fill_pages(struct live_board *b)
{
    struct td_err err = {0};
    for (uint32_t page = 0; page < PAGES; page++) {
        uint32_t words[PAGE_WORDS];
        for (uint32_t i = 0; i < PAGE_WORDS; i++)
            words[i] = word_of(page, i);
        const struct td_kernel_page at =
            td_kernel_dram_page(td_device_board(b->device), FROM, PAGE_BYTES, page);
        check(td_device_dram_write(b->device, 0, at.bank, at.address, words, sizeof words, &err), &err);
    }
}

static void check_pages(struct live_board *b, uint32_t added)
{
    struct td_err err = {0};
    for (uint32_t page = 0; page < PAGES; page++) {
        uint32_t words[PAGE_WORDS];
        const struct td_kernel_page at =
            td_kernel_dram_page(td_device_board(b->device), TO, PAGE_BYTES, page);
        check(td_device_dram_read(b->device, 0, at.bank, at.address, words, sizeof words, &err), &err);
        for (uint32_t i = 0; i < PAGE_WORDS; i++)
            assert_int_equal(words[i], word_of(page, i) + added);
    }
}

static void pages_pass_through_circular_buffers(void **state)
{
    (void)state;
    struct live_board *b = start();
    struct td_err err = {0};
    int code = -1;
    struct td_kernel_tile *tile = td_kernel_tile_create(b->device, 0, 0, 0, &err);
    assert_non_null(tile);
    check(td_kernel_tile_cb(tile, 0, PAGE_BYTES, 3, 8, &err), &err);
    assert_int_equal(td_kernel_tile_semaphore(tile, 5, &err), 0);
    const int brisc = td_device_core(b->device, "BRISC"), ncrisc = td_device_core(b->device, "NCRISC");
    /* The tile's own place, for the writer's semaphore. */
    const struct td_tile_at own = td_board_tile(td_device_board(b->device), 0, 0, 0);
    fill_pages(b);
    for (uint32_t run = 0; run < 2; run++) {
        check(td_kernel_tile_args(tile, (uint32_t)brisc, (uint32_t[]){FROM, PAGES}, 2, &err), &err);
        check(td_kernel_tile_common(tile, (uint32_t)ncrisc, (uint32_t[]){1000 * run}, 1, &err), &err);
        check(td_kernel_tile_args(tile, (uint32_t)ncrisc, (uint32_t[]){TO, PAGES, own.x, own.y}, 4, &err),
              &err);
        check(td_kernel_tile_write(tile, &err), &err);
        prepare(b, tile, (struct td_core_at){.core = (uint16_t)brisc}, run ? "tt_noc_reader" : "tt_reader");
        prepare(b, tile, (struct td_core_at){.core = (uint16_t)ncrisc}, "tt_writer");
        check(live_run(b, 0, &code, &err), &err);
        assert_int_equal(code, 0);
        check_pages(b, 7 + 1000 * run);
        struct td_kernel_env env;
        uint32_t sem = 0;
        check(td_device_read(b->device, 0, 0, 0, td_kernel_tile_env(tile, 0), &env, sizeof env, &err), &err);
        check(td_device_read(b->device, 0, 0, 0, env.sems, &sem, 4, &err), &err);
        assert_int_equal(sem, 6);
    }
    td_kernel_tile_destroy(tile);
    live_board_stop(b);
}

static void tiles_meet_by_semaphores_and_multicast(void **state)
{
    (void)state;
    struct live_board *b = start();
    struct td_err err = {0};
    struct td_kernel_tile *tiles[4];
    int code = -1;
    const struct td_tile_at first = td_board_tile(td_device_board(b->device), 0, 0, 0);
    const struct td_tile_at last = td_board_tile(td_device_board(b->device), 0, 1, 1);
    for (uint16_t i = 0; i < 4; i++) {
        const struct td_core_at at = {.x = i % 2, .y = i / 2};
        tiles[i] = td_kernel_tile_create(b->device, 0, at.x, at.y, &err);
        assert_non_null(tiles[i]);
        assert_int_equal(td_kernel_tile_semaphore(tiles[i], 0, &err), 0);
        assert_int_equal(td_kernel_tile_semaphore(tiles[i], 0, &err), 1);
        const int64_t word = td_kernel_tile_alloc(tiles[i], 8, &err);
        assert_true(word > 0);
        check(td_kernel_tile_args(tiles[i], 0,
                                  (uint32_t[]){3, (uint32_t)word, last.x, last.y, first.x, first.y}, 6, &err),
              &err);
        check(td_kernel_tile_write(tiles[i], &err), &err);
        prepare(b, tiles[i], at, "tt_meet");
    }
    check(live_run(b, 0, &code, &err), &err);
    assert_int_equal(code, 0);
    for (unsigned i = 0; i < 4; i++)
        td_kernel_tile_destroy(tiles[i]);
    live_board_stop(b);
}

static void cores_of_a_tile_send_each_other_words(void **state)
{
    (void)state;
    static const char *const cores[] = {"BRISC", "TRISC0", "TRISC1", "TRISC2"};
    struct live_board *b = start();
    struct td_err err = {0};
    int code = -1;
    struct td_kernel_tile *tile = td_kernel_tile_create(b->device, 0, 0, 0, &err);
    assert_non_null(tile);
    for (uint32_t run = 0; run < 2; run++) {
        check(td_kernel_tile_write(tile, &err), &err);
        for (unsigned i = 0; i < 4; i++)
            prepare(b, tile, (struct td_core_at){.core = (uint16_t)td_device_core(b->device, cores[i])},
                    "tt_mail");
        check(live_run(b, 0, &code, &err), &err);
        assert_int_equal(code, 0);
    }
    td_kernel_tile_destroy(tile);
    live_board_stop(b);
}

/* 320 bytes: 5 pages of 64, 3 pages of 96 with 32 left. After 12 and 7 pages the place is the same in all tiles. */
static void a_buffer_from_a_tile_to_others_keeps_its_pages(void **state)
{
    (void)state;
    struct live_board *b = start();
    struct td_err err = {0};
    struct td_kernel_tile *tiles[3];
    int code = -1;
    for (uint16_t i = 0; i < 3; i++) {
        const uint16_t number = (uint16_t)((i + 1) % 3); /* the receivers, then the sender */
        tiles[i] = td_kernel_tile_create(b->device, 0, number % 2, number / 2, &err);
        assert_non_null(tiles[i]);
        if (i < 2)
            check(td_kernel_tile_cb(tiles[i], 0, 32, 4, 8, &err), &err);
    }
    check(td_kernel_remote_cb(tiles[2], tiles, 2, 31, 64, 5, &err), &err);
    assert_true(td_kernel_remote_cb(tiles[2], tiles, 2, 31, 64, 5, &err) < 0);
    assert_string_equal(err.text, "circular buffer 31 is laid out already");
    assert_true(td_kernel_remote_cb(tiles[2], tiles, 2, 30, 24, 5, &err) < 0);
    for (uint16_t i = 0; i < 3; i++) {
        const uint16_t number = (uint16_t)((i + 1) % 3);
        const int64_t source = td_kernel_tile_alloc(tiles[i], 2 * 96, &err);
        check(td_kernel_tile_args(tiles[i], 0, (uint32_t[]){2, i, (uint32_t)source}, 3, &err), &err);
        check(td_kernel_tile_write(tiles[i], &err), &err);
        prepare(b, tiles[i], (struct td_core_at){.x = number % 2, .y = number / 2}, "tt_remote");
    }
    check(live_run(b, 0, &code, &err), &err);
    assert_int_equal(code, 0);
    for (unsigned i = 0; i < 3; i++)
        td_kernel_tile_destroy(tiles[i]);
    live_board_stop(b);
}

/* Shard by shard, as they are in the tiles; the kernel goes page by page, too. The exit code of `kernel`, whose common
 * arguments are `common`. */
static int run_on_shards(struct live_board *b, const char *kernel, const uint32_t *common,
                         uint32_t common_count)
{
    enum { ROWS = 5, COLUMNS = 6, SHARD_ROWS = 2, SHARD_COLUMNS = 4, STRIDE = 32, TILES = 4 };
    struct td_err err = {0};
    struct td_kernel_tile *tile = td_kernel_tile_create(b->device, 0, 0, 0, &err);
    int code = -1;
    uint32_t shard = 0;
    const struct td_core_at at = {.core = (uint16_t)td_device_core(b->device, "BRISC")};
    assert_non_null(tile);
    const int64_t to = td_kernel_tile_alloc(tile, SHARD_ROWS * SHARD_COLUMNS * STRIDE, &err);
    const int64_t base = td_kernel_tile_alloc(tile, 2 * SHARD_ROWS * SHARD_COLUMNS * STRIDE, &err);
    for (uint32_t row = 0; row < ROWS; row += SHARD_ROWS)
        for (uint32_t column = 0; column < COLUMNS; column += SHARD_COLUMNS, shard++)
            for (uint32_t i = 0; i < SHARD_ROWS * SHARD_COLUMNS; i++) {
                const uint32_t r = row + i / SHARD_COLUMNS, c = column + i % SHARD_COLUMNS;
                const uint32_t page = r < ROWS && c < COLUMNS ? r * COLUMNS + c : ~0u;
                const uint32_t in_tile = shard / TILES * SHARD_ROWS * SHARD_COLUMNS + i;
                check(td_device_write(b->device, 0, shard % 2, shard % TILES / 2,
                                      (uint32_t)base + in_tile * STRIDE, &page, sizeof page, &err),
                      &err);
            }
    check(td_kernel_tile_args(tile, at.core, (uint32_t[]){(uint32_t)base, ROWS * COLUMNS, (uint32_t)to}, 3,
                              &err),
          &err);
    check(td_kernel_tile_common(tile, at.core, common, common_count, &err), &err);
    check(td_kernel_tile_write(tile, &err), &err);
    prepare(b, tile, at, kernel);
    check(live_run(b, 0, &code, &err), &err);
    td_kernel_tile_destroy(tile);
    return code;
}

static void pages_of_shards_are_where_their_shard_is(void **state)
{
    (void)state;
    struct live_board *b = start();
    const struct td_board *board = td_device_board(b->device);
    const struct td_tile_at last = td_board_tile(board, 0, 1, 1), first = td_board_tile(board, 0, 0, 0);
    const uint32_t columns = (uint32_t)last.x << 24 | (uint32_t)first.x << 8;
    const uint32_t common[] = {
        2, 4, 5, 6, 2, 4, columns | first.y << 16 | first.y, columns | last.y << 16 | last.y};
    assert_int_equal(run_on_shards(b, "tt_sharded", NULL, 0), 0);
    assert_int_equal(run_on_shards(b, "tt_sharded_shapes", common + 2, 6), 0);
    assert_int_equal(run_on_shards(b, "tt_sharded_common", common, 8), 0);
    live_board_stop(b);
}

static void a_tensor_described_as_in_another_year_is_refused(void **state)
{
    (void)state;
    struct live_board *b = start();
    assert_int_equal(run_on_shards(b, "tt_sharded_2025", NULL, 0), 134); /* as abort() ends a launch */
    assert_int_equal(run_on_shards(b, "tt_sharded_year", NULL, 0), 0);
    live_board_stop(b);
}

static void objects_of_2026_move_data(void **state)
{
    (void)state;
    struct live_board *b = start();
    struct td_err err = {0};
    struct td_kernel_tile *tiles[4];
    int code = -1;
    const struct td_tile_at first = td_board_tile(td_device_board(b->device), 0, 0, 0);
    const struct td_tile_at last = td_board_tile(td_device_board(b->device), 0, 1, 1);
    fill_pages(b);
    for (uint16_t i = 0; i < 4; i++) {
        tiles[i] = td_kernel_tile_create(b->device, 0, i % 2, i / 2, &err);
        assert_non_null(tiles[i]);
        check(td_kernel_tile_cb(tiles[i], 0, PAGE_BYTES, 3, 8, &err), &err);
        assert_int_equal(td_kernel_tile_semaphore(tiles[i], 0, &err), 0);
        const int64_t words = td_kernel_tile_alloc(tiles[i], 16, &err);
        const uint32_t args[] = {FROM, TO, (uint32_t)words, last.x, last.y, first.x, first.y};
        check(td_kernel_tile_args(tiles[i], 0, args, sizeof args / sizeof *args, &err), &err);
        check(td_kernel_tile_write(tiles[i], &err), &err);
    }
    prepare(b, tiles[0], (struct td_core_at){.core = (uint16_t)td_device_core(b->device, "BRISC")},
            "tt_objects");
    check(live_run(b, 0, &code, &err), &err);
    assert_int_equal(code, 0);
    check_pages(b, 7);
    for (unsigned i = 0; i < 4; i++)
        td_kernel_tile_destroy(tiles[i]);
    live_board_stop(b);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct live_board *b = start();
    struct td_err err = {0};
    static const uint32_t args[TD_KERNEL_ARGS_MAX + 1] = {0};
    assert_null(td_kernel_tile_create(b->device, 0, 9, 9, &err));
    struct td_kernel_tile *tile = td_kernel_tile_create(b->device, 0, 0, 0, &err);
    assert_int_equal(td_kernel_tile_cb(tile, 64, 4, 1, 8, &err), TD_E_USAGE);
    assert_int_equal(td_kernel_tile_cb(tile, 1, 6, 1, 8, &err), TD_E_USAGE);
    assert_int_equal(td_kernel_tile_cb(tile, 1, 4, 0, 8, &err), TD_E_USAGE);
    assert_int_equal(td_kernel_tile_cb(tile, 1, 4, 4, 8, &err), 0);
    assert_int_equal(td_kernel_tile_cb(tile, 1, 4, 4, 8, &err), TD_E_USAGE);
    assert_int_equal(td_kernel_tile_cb(tile, 2, 1u << 30, 64, 8, &err), TD_E_LIMIT);
    assert_int_equal(td_kernel_tile_alloc(tile, UINT32_MAX, &err), TD_E_LIMIT);
    assert_int_equal(td_kernel_tile_args(tile, 0, args, TD_KERNEL_ARGS_MAX + 1, &err), TD_E_USAGE);
    assert_int_equal(td_kernel_tile_args(tile, 5, args, 1, &err), TD_E_USAGE);
    for (int i = 0; i < 16; i++)
        assert_int_equal(td_kernel_tile_semaphore(tile, 0, &err), i);
    assert_int_equal(td_kernel_tile_semaphore(tile, 0, &err), TD_E_LIMIT);
    td_kernel_tile_destroy(tile);
    live_board_stop(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_pass_through_circular_buffers),
        cmocka_unit_test(tiles_meet_by_semaphores_and_multicast),
        cmocka_unit_test(cores_of_a_tile_send_each_other_words),
        cmocka_unit_test(a_buffer_from_a_tile_to_others_keeps_its_pages),
        cmocka_unit_test(pages_of_shards_are_where_their_shard_is),
        cmocka_unit_test(a_tensor_described_as_in_another_year_is_refused),
        cmocka_unit_test(objects_of_2026_move_data),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
