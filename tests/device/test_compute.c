/* Kernels that compute, written for tt-metal: all five cores of a tile take part, and the results are
 * those of the host's arithmetic. */
#include "host/device/image/core_load.h"
#include "host/device/kernel_env.h"
#include "proto/device/kernel_env.h"
#include "tests/device/live_board.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIDE = 32, ELEMENTS = SIDE * SIDE, BF16 = 5, INT32 = 8, UINT16 = 9, BFP4_B = 7, TILES_MAX = 12 };
enum { FROM_A = 0x1000, FROM_B = 0x40000, TO = 0x80000 }; /* in each bank */

/* A matrix of tiles: rows x columns of them, each element row by row. */
struct matrix {
    uint32_t rows, columns; /* in tiles */
    union {
        float real;
        uint32_t word;
    } at[TILES_MAX * ELEMENTS];
};

static void check(int rc, const struct td_err *err)
{
    if (rc < 0)
        fail_msg("%s", err->text);
}

static float bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&value, &bits, 4);
    return value;
}

static size_t element(const struct matrix *m, uint32_t row, uint32_t column)
{
    return (size_t)row * m->columns * SIDE + column;
}

static void fill(struct matrix *m, uint32_t rows, uint32_t columns, uint32_t format, uint32_t seed)
{
    m->rows = rows;
    m->columns = columns;
    for (uint32_t i = 0; i < rows * columns * ELEMENTS; i++) {
        seed = seed * 1664525 + 1013904223;
        if (format == BF16)
            m->at[i].real = bf16((float)(int32_t)(seed >> 8 & 0xffff) / 8192 - 4);
        else
            m->at[i].word = format == INT32 ? seed : seed >> 20;
    }
}

/* Where an element of a tile is in L1: faces of 16 x 16, one after the other. */
static size_t place(uint32_t row, uint32_t column)
{
    return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

/* Between the matrix and the tiles in DRAM. */
static void move_matrix(struct live_board *b, struct matrix *m, uint64_t base, uint32_t format, int to_board)
{
    const uint32_t bytes = format == INT32 ? 4 : 2;
    uint8_t tile[4 * ELEMENTS];
    struct td_err err = {0};
    for (uint32_t n = 0; n < m->rows * m->columns; n++) {
        const struct td_kernel_page at =
            td_kernel_dram_page(td_device_board(b->device), base, bytes * ELEMENTS, n);
        if (!to_board)
            check(td_device_dram_read(b->device, 0, at.bank, at.address, tile, bytes * ELEMENTS, &err), &err);
        for (uint32_t row = 0; row < SIDE; row++)
            for (uint32_t column = 0; column < SIDE; column++) {
                uint32_t *word =
                    &m->at[element(m, n / m->columns * SIDE + row, n % m->columns * SIDE + column)].word;
                uint8_t *in_tile = tile + bytes * place(row, column);
                uint32_t value = format == BF16 ? *word >> 16 : *word;
                if (to_board)
                    memcpy(in_tile, &value, bytes);
                value = 0;
                memcpy(&value, in_tile, bytes);
                *word = format == BF16 ? value << 16 : value;
            }
        if (to_board)
            check(td_device_dram_write(b->device, 0, at.bank, at.address, tile, bytes * ELEMENTS, &err),
                  &err);
    }
}

struct job {
    const char *kernel;
    uint32_t format, common;
    uint32_t rows, columns, depth; /* of the reader; columns 0: tile by tile */
    uint32_t args[3];              /* of the kernel that computes */
    uint32_t buffered;             /* tiles of each circular buffer */
};

static void prepare(struct live_board *b, struct td_kernel_tile *tile, const char *core, const char *kernel,
                    const uint32_t *args, size_t count)
{
    struct td_err err = {0};
    const int number = td_device_core(b->device, core);
    const struct td_core_at at = {.core = (uint16_t)number};
    check(number, &err);
    check(td_kernel_tile_args(tile, (uint32_t)number, args, count, &err), &err);
    check(td_device_load(b->device, at, live_kernel(b, kernel, at.core), &err), &err);
    check(td_device_prepare(b->device, at, 1, td_kernel_tile_env(tile, at.core), &err), &err);
}

/* Runs the job on the five cores of tile 0,0. Returns what the launch did. */
static int run_job(struct live_board *b, const struct job *job, uint32_t results, int drain,
                   struct td_err *err)
{
    static const char *const triscs[] = {"TRISC0", "TRISC1", "TRISC2"};
    const uint32_t bytes = job->format == INT32 ? 4 * ELEMENTS : 2 * ELEMENTS;
    struct td_kernel_tile *tile = td_kernel_tile_create(b->device, 0, 0, 0, err);
    int code = -1;
    assert_non_null(tile);
    for (uint32_t cb = 0; cb <= 16; cb += cb == 1 ? 15 : 1)
        check(td_kernel_tile_cb(tile, cb, bytes, job->buffered, job->format, err), err);
    prepare(b, tile, "NCRISC", "tt_tiles", (uint32_t[]){FROM_A, FROM_B, job->rows, job->columns, job->depth},
            5);
    prepare(b, tile, "BRISC", "tt_results", (uint32_t[]){TO, results}, 2);
    for (int i = 0; i < 3; i++) {
        prepare(b, tile, triscs[i], job->kernel, job->args, 3);
        check(
            td_kernel_tile_common(tile, (uint32_t)td_device_core(b->device, triscs[i]), &job->common, 1, err),
            err);
    }
    check(td_kernel_tile_write(tile, err), err);
    const int rc = live_run(b, drain, &code, err);
    if (rc >= 0)
        assert_int_equal(code, 0);
    td_kernel_tile_destroy(tile);
    return rc;
}

static struct live_board *start(void)
{
    static const char *const in_virtual_time[] = {"--clock", "insn", NULL};
    struct live_board *b = live_board_start(in_virtual_time);
    if (!b)
        skip();
    return b;
}

static struct matrix a, b_matrix, result;

/* As many results as pairs of tiles, of numbers by these seeds. */
static void run_pairs(struct live_board *b, const struct job *job, uint32_t seed_a, uint32_t seed_b)
{
    struct td_err err = {0};
    fill(&a, job->rows, 1, job->format, seed_a);
    fill(&b_matrix, job->rows, 1, job->format, seed_b);
    move_matrix(b, &a, FROM_A, job->format, 1);
    move_matrix(b, &b_matrix, FROM_B, job->format, 1);
    check(run_job(b, job, job->rows, 0, &err), &err);
    result.rows = job->rows;
    result.columns = 1;
    move_matrix(b, &result, TO, job->format, 0);
}

static void run_elementwise(struct live_board *b, uint32_t format, uint32_t kind)
{
    const struct job job = {"tt_compute", format, kind, 8, 0, 0, {8}, 2};
    run_pairs(b, &job, 1, 2 + kind);
    for (uint32_t i = 0; i < 8 * ELEMENTS; i++) {
        const float x = a.at[i].real, y = b_matrix.at[i].real;
        const uint32_t m = a.at[i].word, n = b_matrix.at[i].word;
        if (format == BF16)
            assert_true(result.at[i].real == bf16(kind == 0 ? x + y : kind == 1 ? x - y : x * y));
        else
            assert_int_equal(result.at[i].word, (kind == 0   ? m + n
                                                 : kind == 1 ? m - n
                                                             : m * n) &
                                                    (format == UINT16 ? 0xffff : ~0u));
    }
}

static void tiles_are_added_subtracted_and_multiplied(void **state)
{
    (void)state;
    struct live_board *b = start();
    for (uint32_t kind = 0; kind < 3; kind++) {
        run_elementwise(b, BF16, kind);
        run_elementwise(b, INT32, kind);
    }
    run_elementwise(b, UINT16, 0);
    live_board_stop(b);
}

static float product(uint32_t row, uint32_t column, uint32_t depth)
{
    float sum = 0;
    for (uint32_t k = 0; k < depth * SIDE; k++) {
        sum += a.at[element(&a, row, k)].real * b_matrix.at[element(&b_matrix, k, column)].real;
        if (k % SIDE == SIDE - 1)
            sum = bf16(sum);
    }
    return sum;
}

static uint32_t integer_product(uint32_t row, uint32_t column, uint32_t depth)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < depth * SIDE; k++)
        sum += a.at[element(&a, row, k)].word * b_matrix.at[element(&b_matrix, k, column)].word;
    return sum;
}

/* 24 products of tiles, of 4 passes of 16 ticks each: the kernel fails if it took less. */
static void matrices_are_multiplied_in_the_time_of_the_unit(void **state)
{
    (void)state;
    struct live_board *b = start();
    struct td_err err = {0};
    for (uint32_t format = BF16; format <= INT32; format += INT32 - BF16) {
        const struct job job = {"tt_matmul", format, 0, 2, 3, 4, {6, 4, 24 * 4 * 16}, 3};
        fill(&a, 2, 4, format, 7);
        fill(&b_matrix, 4, 3, format, 8);
        move_matrix(b, &a, FROM_A, format, 1);
        move_matrix(b, &b_matrix, FROM_B, format, 1);
        check(run_job(b, &job, 6, 0, &err), &err);
        result.rows = 2;
        result.columns = 3;
        move_matrix(b, &result, TO, format, 0);
        for (uint32_t row = 0; row < 2 * SIDE; row++)
            for (uint32_t column = 0; column < 3 * SIDE; column++) {
                const size_t at = element(&result, row, column);
                if (format == BF16)
                    assert_true(result.at[at].real == product(row, column, 4));
                else
                    assert_int_equal(result.at[at].word, integer_product(row, column, 4));
            }
    }
    live_board_stop(b);
}

static void functions_of_tiles_are_computed_in_dst(void **state)
{
    (void)state;
    struct live_board *b = start();
    const struct job job = {"tt_unary", BF16, 0, 4, 0, 0, {4}, 4};
    struct td_err err = {0};
    fill(&a, 4, 1, BF16, 3);
    move_matrix(b, &a, FROM_A, BF16, 1);
    move_matrix(b, &a, FROM_B, BF16, 1);
    check(run_job(b, &job, 4, 0, &err), &err);
    result.rows = 4;
    result.columns = 1;
    move_matrix(b, &result, TO, BF16, 0);
    for (uint32_t i = 0; i < 4 * ELEMENTS; i++) {
        const float want = bf16(expf(-a.at[i ^ ELEMENTS].real)); /* the other tile of the pair */
        assert_true(result.at[i].real == want);
    }
    live_board_stop(b);
}

static void all_five_cores_record_their_part(void **state)
{
    (void)state;
    struct live_board *b = start();
    const struct job job = {"tt_matmul", BF16, 0, 2, 3, 4, {6, 4, 24 * 4 * 16}, 3};
    struct td_err err = {0};
    fill(&a, 2, 4, BF16, 7);
    fill(&b_matrix, 4, 3, BF16, 8);
    move_matrix(b, &a, FROM_A, BF16, 1);
    move_matrix(b, &b_matrix, FROM_B, BF16, 1);
    live_drain(b, TD_POLICY_BLOCK);
    check(run_job(b, &job, 6, 1, &err), &err);
    live_finish(b);
    const struct td_board *board = td_device_board(b->device);
    for (uint32_t core = 0; core < board->core_count; core++) {
        const uint64_t want = strcmp(board->cores[core].name, "NCRISC") == 0 ? 24 : 6;
        assert_true(b->lanes[core].zones >= want);
    }
    live_board_stop(b);
}

/* ---- broadcasts, reductions and the like: tt_more.cpp */

enum { MORE_ADD_COLUMN, MORE_SUB_ROW, MORE_MUL_SCALAR, MORE_SUM_ROW, MORE_MAX_COLUMN, MORE_SUM_ALL };
enum { MORE_TRANSPOSE = 6, MORE_REUSE, MORE_PARAMETER, MORE_BINARY, MORE_TILIZE, MORE_UNTILIZE };

/* Of rows or columns of the tile at `x`: `step` from one element to the next. */
static float sum_of(const float *x, uint32_t step)
{
    float sum = 0;
    for (uint32_t i = 0; i < SIDE; i++)
        sum += x[i * step];
    return sum;
}

static float max_of(const float *x, uint32_t step)
{
    float most = x[0];
    for (uint32_t i = 1; i < SIDE; i++)
        most = fmaxf(most, x[i * step]);
    return most;
}

static float sum_of_all(const float *x)
{
    float columns[SIDE];
    for (uint32_t i = 0; i < SIDE; i++)
        columns[i] = sum_of(x + i, SIDE);
    return sum_of(columns, 1);
}

/* Of element `at` of the tile, whose operands are x and y. */
static float more_wanted(uint32_t kind, const float *x, const float *y, uint32_t at)
{
    const uint32_t row = at / SIDE, column = at % SIDE;
    switch (kind) {
    case MORE_ADD_COLUMN:
        return x[at] + y[row * SIDE];
    case MORE_SUB_ROW:
        return x[at] - y[column];
    case MORE_MUL_SCALAR:
        return x[at] * y[0];
    case MORE_SUM_ROW:
        return column ? 0 : sum_of(x + at, 1) * y[0];
    case MORE_MAX_COLUMN:
        return row ? 0 : max_of(x + at, SIDE) * y[0];
    case MORE_SUM_ALL:
        return at ? 0 : sum_of_all(x) * (y[0] * y[0]);
    case MORE_TRANSPOSE:
        return x[column * SIDE + row];
    case MORE_REUSE:
        return y[at] - x[at];
    case MORE_PARAMETER:
        return fminf(fmaxf(bf16(x[at] + 0.5f), 0), 2);
    default:
        return fmaxf(bf16(x[at] * y[at]), y[at]);
    }
}

static void run_more(struct live_board *b, uint32_t kind)
{
    const struct job job = {"tt_more", BF16, kind, 4, 0, 0, {4}, 2};
    run_pairs(b, &job, 11 + kind, 31 + kind);
}

static void broadcasts_reductions_and_functions_of_two_tiles_are_those_of_the_host(void **state)
{
    (void)state;
    struct live_board *b = start();
    float x[ELEMENTS], y[ELEMENTS];
    for (uint32_t kind = MORE_ADD_COLUMN; kind <= MORE_BINARY; kind++) {
        run_more(b, kind);
        for (uint32_t tile = 0; tile < 4; tile++) {
            for (uint32_t at = 0; at < ELEMENTS; at++) {
                x[at] = a.at[tile * ELEMENTS + at].real;
                y[at] = b_matrix.at[tile * ELEMENTS + at].real;
            }
            for (uint32_t at = 0; at < ELEMENTS; at++)
                if (result.at[tile * ELEMENTS + at].real != bf16(more_wanted(kind, x, y, at)))
                    fail_msg("kind %u, tile %u, element %u: %g, not %g", kind, tile, at,
                             (double)result.at[tile * ELEMENTS + at].real,
                             (double)bf16(more_wanted(kind, x, y, at)));
        }
    }
    live_board_stop(b);
}

/* The place in L1, in elements, of element `at` of 32 rows of two tiles. */
static uint32_t in_rows(uint32_t tile, uint32_t at)
{
    return at / SIDE * 2 * SIDE + tile * SIDE + at % SIDE;
}

/* Where in L1 element `at` of tile `tile` is, and the place of the element of rows that belongs to it. */
static void rows_become_tiles_and_tiles_become_rows(void **state)
{
    (void)state;
    struct live_board *b = start();
    for (uint32_t kind = MORE_TILIZE; kind <= MORE_UNTILIZE; kind++) {
        run_more(b, kind);
        for (uint32_t pair = 0; pair < 4; pair += 2)
            for (uint32_t i = 0; i < 2 * ELEMENTS; i++) {
                const uint32_t tile = i / ELEMENTS, at = i % ELEMENTS;
                const uint32_t in_l1 = in_rows(tile, at); /* as a number of an element of two tiles in L1 */
                const uint32_t l1_tile = in_l1 / ELEMENTS;
                const struct matrix *tiles = kind == MORE_TILIZE ? &result : &a,
                                    *rows = kind == MORE_TILIZE ? &a : &result;
                uint32_t element_at = 0;
                while (place(element_at / SIDE, element_at % SIDE) != in_l1 % ELEMENTS)
                    element_at++;
                assert_true(tiles->at[(pair + tile) * ELEMENTS + at].real ==
                            rows->at[(pair + l1_tile) * ELEMENTS + element_at].real);
            }
    }
    live_board_stop(b);
}

/* ---- functions of tiles, by their names: tt_functions.cpp */

enum { OF_ONE, OF_ONE_AND_NUMBERS, OF_DST, OF_KINDS, OF_INTEGERS, OF_TWO_OF_INTEGERS, GROUPS };

/* Of element `at` of tile `n` of a group; x and y are its operands there, `xs` and `ys` the whole tiles. */
static float real_wanted(uint32_t group, uint32_t n, const float *xs, const float *ys, uint32_t at)
{
    const float x = xs[at], y = ys[at], r = fmodf(x, 1.5f);
    const uint32_t row = at / SIDE, column = at % SIDE;
    const float of_one[] = {-x,        fabsf(x),           x * x,         ceilf(x),
                            floorf(x), truncf(x),          x - truncf(x), (float)((x > 0) - (x < 0)),
                            x == 0,    1 / (1 + expf(-x)), tanhf(x),      x / 2 * (1 + erff(x / sqrtf(2)))};
    const float with_numbers[] = {
        x - 1.5f, 1.5f - x, x < 0 ? x / 4 : x,    fmaxf(x, 1), fminf(fmaxf(x, -1), 2), x * x,
        x > 0.5f, r,        r < 0 ? r + 1.5f : r, 3,           logf(1 + expf(x)),      x > 0.5f ? x : 3};
    const float of_dst[] = {x - y,         y - x, x / y,           fminf(x, y),      fmaxf(x, y),
                            y > 0 ? x : 0, y,     x + y * (y - x), x + 0.5f * y * y, x < y,
                            atan2f(x, y),  y};
    const float of_kinds[] = {truncf(x),
                              xs[column * SIDE + row],
                              rintf(x * 10) / 10,
                              x * x * x,
                              fminf(fmaxf(x, 0), 2),
                              1.25f,
                              fmaxf(x, 1),
                              fminf(x, 1),
                              -logf(1 + expf(-x)),
                              x + ys[5 * SIDE + column],
                              x - ys[31 * SIDE + column],
                              x + ys[row * SIDE]};
    return (group == OF_ONE               ? of_one
            : group == OF_ONE_AND_NUMBERS ? with_numbers
            : group == OF_DST             ? of_dst
                                          : of_kinds)[n];
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t magnitude(uint32_t x)
{
    return (int32_t)x < 0 ? 0 - x : x;
}

static uint32_t integer_wanted(uint32_t group, uint32_t n, uint32_t x, uint32_t y)
{
    const int32_t i = (int32_t)x, j = (int32_t)y;
    const int64_t rest = j ? (int64_t)i % j : 0, quotient = j ? (int64_t)i / j : 0;
    const int is_other_sign = rest && (rest < 0) != (j < 0);
    const uint32_t of_one[] = {x & 0x0ff0,
                               ~x,
                               x << 3,
                               (uint32_t)(i >> 3),
                               magnitude(x),
                               0 - x,
                               x + 7,
                               7 - x,
                               i > 5 ? x : 5,
                               i > 0,
                               i < -100  ? (uint32_t)-100
                               : i > 100 ? 100
                                         : x,
                               x == 0};
    const uint32_t of_two[] = {x ^ y,
                               x << (y & 15),
                               x >> (y & 15),
                               x + y,
                               x - y,
                               x * y,
                               i > j ? x : y,
                               x < y ? x : y,
                               greatest_divisor(magnitude(x), magnitude(y)),
                               (uint32_t)(quotient - is_other_sign),
                               (uint32_t)(rest + (is_other_sign ? j : 0)),
                               i < j};
    return (group == OF_INTEGERS ? of_one : of_two)[n];
}

/* Functions of the host's library are rounded at other places than those of the unit. */
static int is_near(float got, float want)
{
    return got == want || (isnan(got) && isnan(want)) || fabsf(got - want) <= fabsf(want) / 64 + 1e-6f;
}

static void functions_of_tiles_have_the_values_that_their_names_say(void **state)
{
    (void)state;
    struct live_board *b = start();
    static float xs[ELEMENTS], ys[ELEMENTS];
    for (uint32_t group = 0; group < GROUPS; group++) {
        const uint32_t format = group < OF_INTEGERS ? BF16 : INT32;
        const struct job job = {"tt_functions", format, group, TILES_MAX, 0, 0, {TILES_MAX}, 2};
        run_pairs(b, &job, 51 + group, 71 + group);
        for (uint32_t n = 0; n < TILES_MAX; n++) {
            for (uint32_t at = 0; at < ELEMENTS; at++) {
                xs[at] = a.at[n * ELEMENTS + at].real;
                ys[at] = b_matrix.at[n * ELEMENTS + at].real;
            }
            for (uint32_t at = 0; at < ELEMENTS; at++) {
                const size_t i = n * ELEMENTS + at;
                if (format == INT32)
                    assert_int_equal(result.at[i].word,
                                     integer_wanted(group, n, a.at[i].word, b_matrix.at[i].word));
                else if (!is_near(result.at[i].real, real_wanted(group, n, xs, ys, at)))
                    fail_msg("group %u, function %u: %g of %g and %g, not %g", group, n,
                             (double)result.at[i].real, (double)xs[at], (double)ys[at],
                             (double)real_wanted(group, n, xs, ys, at));
            }
        }
    }
    live_board_stop(b);
}

static void an_unknown_format_faults_the_unpacker(void **state)
{
    (void)state;
    struct live_board *b = start();
    const struct job job = {"tt_compute", BFP4_B, 0, 1, 0, 0, {1}, 2};
    struct td_err err = {0};
    assert_true(run_job(b, &job, 1, 0, &err) < 0);
    if (!strstr(err.text, "TRISC0"))
        fail_msg("%s", err.text);
    live_board_stop(b);
}

/* Linked for a card, which has no such engine: the file is refused there, and runs on a simulated board. */
static void a_kernel_that_computes_is_loaded_on_simulated_boards_only(void **state)
{
    (void)state;
    struct td_board board;
    struct td_err err = {0};
    const char *path = TD_BINARY_DIR "/tests/device_kernels/tt_compute.wormhole.TRISC1.elf";
    if (access(path, R_OK))
        skip();
    check(td_board_load(&board, "wormhole", NULL, NULL, &err), &err);
    struct td_image *image = td_image_open(path, &err);
    assert_non_null(image);
    assert_true(td_core_load_check(&board, 3, image, "k.elf", &err) < 0);
    assert_string_equal(err.text, "k.elf uses the compute engine that only simulated boards have, and board "
                                  "wormhole is none");
    board.simulated = 1;
    check(td_core_load_check(&board, 3, image, "k.elf", &err), &err);
    td_image_close(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_added_subtracted_and_multiplied),
        cmocka_unit_test(matrices_are_multiplied_in_the_time_of_the_unit),
        cmocka_unit_test(functions_of_tiles_are_computed_in_dst),
        cmocka_unit_test(broadcasts_reductions_and_functions_of_two_tiles_are_those_of_the_host),
        cmocka_unit_test(functions_of_tiles_have_the_values_that_their_names_say),
        cmocka_unit_test(rows_become_tiles_and_tiles_become_rows),
        cmocka_unit_test(all_five_cores_record_their_part),
        cmocka_unit_test(an_unknown_format_faults_the_unpacker),
        cmocka_unit_test(a_kernel_that_computes_is_loaded_on_simulated_boards_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
