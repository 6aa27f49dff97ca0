/* Series against plain arrays that hold the same. */
#include "host/trace/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_ROWS (5 * TD_SERIES_ROWS + 17)

struct plain {
    struct td_store *store;
    struct td_series series;
    unsigned columns;
    uint64_t count;
    int64_t cells[TD_SERIES_COLUMNS][MAX_ROWS];
};

static uint64_t state = 88172645463325252u;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static struct plain *start(unsigned columns, int loose)
{
    struct plain *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->store = td_store_create(0);
    assert_non_null(p->store);
    p->columns = columns;
    td_series_init(&p->series, p->store, columns, loose);
    return p;
}

static void end(struct plain *p)
{
    td_store_destroy(p->store);
    free(p);
}

static void append(struct plain *p, const int64_t *row)
{
    assert_int_equal(td_series_append(&p->series, row), 0);
    for (unsigned c = 0; c < p->columns; c++)
        p->cells[c][p->count] = row[c];
    p->count++;
}

static void check_read(struct plain *p, unsigned column, uint64_t first, uint64_t count)
{
    static int64_t values[MAX_ROWS + 1];
    values[count] = 0x5a5a5a5a;
    td_series_read(&p->series, column, first, count, values);
    assert_memory_equal(values, &p->cells[column][first], count * sizeof *values);
    assert_int_equal(values[count], 0x5a5a5a5a);
}

static void check_all(struct plain *p)
{
    int64_t row[TD_SERIES_COLUMNS];
    assert_int_equal(td_series_count(&p->series), p->count);
    for (uint64_t i = 0; i < p->count; i++) {
        td_series_row(&p->series, i, row);
        for (unsigned c = 0; c < p->columns; c++) {
            assert_true(row[c] == p->cells[c][i]);
            assert_true(td_series_get(&p->series, i, c) == p->cells[c][i]);
        }
    }
    for (unsigned c = 0; c < p->columns; c++) {
        check_read(p, c, 0, p->count);
        for (int i = 0; p->count && i < 20; i++) {
            uint64_t first = any() % p->count;
            check_read(p, c, first, any() % (p->count - first + 1));
        }
    }
}

/* Of `width` bytes around a base: 0 is constant. */
static int64_t of_width(int64_t base, unsigned width)
{
    return (int64_t)((uint64_t)base + (width ? any() >> (64 - 8 * width) : 0));
}

static void a_row_of_all_widths(struct plain *p, const int64_t *bases)
{
    int64_t row[TD_SERIES_COLUMNS];
    for (unsigned c = 0; c < p->columns; c++)
        row[c] = of_width(bases[c], (c + (unsigned)(p->count >> TD_SERIES_LOG2_ROWS)) % 9);
    append(p, row);
}

static void every_number_of_columns_and_every_width_reads_back(void **unused)
{
    static const uint64_t lengths[] = {0,
                                       1,
                                       15,
                                       16,
                                       17,
                                       63,
                                       64,
                                       65,
                                       TD_SERIES_ROWS - 1,
                                       TD_SERIES_ROWS,
                                       TD_SERIES_ROWS + 1,
                                       2 * TD_SERIES_ROWS,
                                       MAX_ROWS};
    for (unsigned columns = 1; columns <= TD_SERIES_COLUMNS; columns++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            int64_t bases[TD_SERIES_COLUMNS];
            for (unsigned c = 0; c < columns; c++)
                bases[c] = (int64_t)any();
            struct plain *p = start(columns, 0);
            while (p->count < lengths[i])
                a_row_of_all_widths(p, bases);
            check_all(p);
            assert_int_equal(td_series_seal(&p->series), 0);
            check_all(p);
            end(p);
        }
    }
    (void)unused;
}

static void extremes_of_the_range_survive(void **unused)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MAX, -1, 0, 1, INT64_MIN + 1, INT64_MAX - 1};
    struct plain *p = start(3, 0);
    while (p->count < MAX_ROWS) {
        int64_t row[3] = {ends[any() % 7], ends[p->count % 2], p->count % 2 ? INT64_MAX : INT64_MAX - 255};
        append(p, row);
    }
    check_all(p);
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all(p);
    end(p);
    (void)unused;
}

/* Differences that just fit a width, and those that are one too large. */
static void spans_at_the_edge_of_each_width_survive(void **unused)
{
    for (unsigned width = 1; width <= 8; width++) {
        uint64_t most = UINT64_MAX >> (64 - 8 * width);
        struct plain *p = start(2, 0);
        while (p->count < 2 * TD_SERIES_ROWS) {
            int64_t base = INT64_MIN + (int64_t)width;
            int64_t row[2] = {(int64_t)((uint64_t)base + (any() % 3 ? any() % 7 : most)),
                              (int64_t)((uint64_t)base + (any() % 3 ? any() % 7 : most + 1))};
            append(p, row);
        }
        assert_int_equal(td_series_seal(&p->series), 0);
        check_all(p);
        end(p);
    }
    (void)unused;
}

static void constant_columns_cost_next_to_nothing(void **unused)
{
    struct plain *p = start(8, 0);
    int64_t row[8] = {INT64_MIN, INT64_MAX, 0, 5, -5, 1, 2, 3};
    while (p->count < 5 * TD_SERIES_ROWS)
        append(p, row);
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all(p);
    assert_true(td_series_bytes(&p->series) < p->count);
    end(p);
    (void)unused;
}

static uint64_t after_by_looking(const struct plain *p, unsigned column, int64_t value)
{
    uint64_t i = 0;
    while (i < p->count && p->cells[column][i] <= value)
        i++;
    return i;
}

static void check_after(struct plain *p, int64_t value)
{
    assert_int_equal(td_series_after(&p->series, 0, value), after_by_looking(p, 0, value));
}

static void check_all_after(struct plain *p)
{
    check_after(p, INT64_MIN);
    check_after(p, INT64_MAX);
    check_after(p, 0);
    for (uint64_t i = 0; i < p->count; i += 1 + any() % 5) {
        check_after(p, p->cells[0][i]);
        check_after(p, (int64_t)((uint64_t)p->cells[0][i] - 1)); /* INT64_MIN wraps to INT64_MAX */
        check_after(p, (int64_t)((uint64_t)p->cells[0][i] + 1));
    }
}

/* Compares a column of the chunk that begins at row `first` with the bytes that it is packed in. */
static void check_packed(struct plain *p, uint64_t first, unsigned column, unsigned width)
{
    struct td_series_packed packed;
    assert_true(td_series_get_packed(&p->series, first, column, &packed));
    assert_int_equal(packed.width, width);
    for (unsigned i = 0; i < TD_SERIES_ROWS; i++)
        assert_true(td_pack_get(packed.bytes, i, packed.base, packed.width) == p->cells[column][first + i]);
}

static void a_packed_column_can_be_read_as_its_bytes(void **unused)
{
    struct plain *p = start(3, 0);
    struct td_series_packed packed;
    for (int64_t i = 0; i < 2 * TD_SERIES_ROWS + 1; i++) {
        append(p, (int64_t[]){-7, -100 + (int64_t)(any() % 200), 1000 * i});
        assert_true(i >= TD_SERIES_ROWS || !td_series_get_packed(&p->series, 0, 0, &packed));
    }
    for (uint64_t first = 0; first < 2 * TD_SERIES_ROWS; first += TD_SERIES_ROWS) {
        td_series_prefetch(&p->series, first);
        check_packed(p, first, 0, 0);
        check_packed(p, first, 1, 1);
        assert_false(td_series_get_packed(&p->series, first, 2, &packed)); /* on a line */
    }
    assert_false(td_series_get_packed(&p->series, 2 * TD_SERIES_ROWS, 0, &packed));
    end(p);
    (void)unused;
}

/* Times with steps of about 1,000 need two bytes a row for themselves, and one for the difference to a line. */
static void columns_that_rise_evenly_are_packed_small(void **unused)
{
    struct plain *p = start(2, 0);
    int64_t row[2] = {-500000, INT64_MIN};
    while (p->count < 5 * TD_SERIES_ROWS) {
        append(p, row);
        row[0] += 1000;
        row[1] += 990 + (int64_t)(any() % 20);
    }
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all(p);
    check_all_after(p);
    assert_true(td_series_bytes(&p->series) < 5 * p->count / 2);
    end(p);
    (void)unused;
}

static void the_last_row_may_change_at_every_length(void **unused)
{
    struct plain *p = start(2, 0);
    for (uint64_t i = 0; i < 3 * TD_SERIES_ROWS; i++) {
        int64_t row[2] = {(int64_t)i, -1};
        append(p, row);
        for (int64_t j = 0; j < 3; j++) {
            int64_t value = (int64_t)(any() >> any() % 64);
            assert_true(td_series_get_last(&p->series, 1) == p->cells[1][i]);
            td_series_set_last(&p->series, 1, value);
            p->cells[1][i] = value;
            assert_true(td_series_get(&p->series, i, 1) == value);
        }
    }
    check_all(p);
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all(p);
    end(p);
    (void)unused;
}

static void loose_rows_change_until_sealed(void **unused)
{
    struct plain *p = start(5, 1);
    int64_t bases[5] = {0, -7, INT64_MAX - 70000, 1, 2};
    while (p->count < MAX_ROWS) {
        a_row_of_all_widths(p, bases);
        uint64_t row = any() % p->count;
        unsigned column = (unsigned)(any() % 5);
        p->cells[column][row] = (int64_t)any();
        td_series_set(&p->series, row, column, p->cells[column][row]);
    }
    check_all(p);
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all(p);
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all(p);
    end(p);
    (void)unused;
}

static void settled_rows_stay_and_more_may_follow(void **unused)
{
    for (unsigned every = 1; every < 700; every += 1 + every / 3) {
        struct plain *p = start(5, 0);
        int64_t bases[5] = {0, -7, INT64_MAX - 70000, 1, 2};
        assert_int_equal(td_series_settle(&p->series), 0);
        while (p->count < MAX_ROWS) {
            a_row_of_all_widths(p, bases);
            p->cells[1][p->count - 1] = (int64_t)any();
            td_series_set_last(&p->series, 1, p->cells[1][p->count - 1]);
            if (p->count % every == 0)
                assert_int_equal(td_series_settle(&p->series), 0);
            if (p->count % every < 2)
                check_read(p, 1, 0, p->count);
        }
        check_all(p);
        assert_int_equal(td_series_settle(&p->series), 0);
        check_all(p);
        assert_int_equal(td_series_seal(&p->series), 0);
        check_all(p);
        end(p);
    }
    (void)unused;
}

static void what_is_sealed_takes_no_more_rows(void **unused)
{
    struct plain *p = start(1, 0);
    int64_t row = 1;
    assert_int_equal(td_series_seal(&p->series), 0);
    assert_int_equal(td_series_append(&p->series, &row), TD_E_USAGE);
    assert_int_equal(td_series_count(&p->series), 0);
    end(p);
    p = start(1, 0);
    append(p, &row);
    assert_int_equal(td_series_seal(&p->series), 0);
    assert_int_equal(td_series_append(&p->series, &row), TD_E_USAGE);
    check_all(p);
    end(p);
    (void)unused;
}

static void after_finds_the_first_greater_row(void **unused)
{
    for (unsigned steps = 0; steps < 12; steps++) {
        for (uint64_t count = 0; count <= MAX_ROWS; count = count ? 5 * count + any() % 3 : 1) {
            struct plain *p = start(2, 0);
            int64_t row[2] = {-1000000, 7};
            while (p->count < count) {
                /* Many equal ones, over whole chunks too, with larger and larger steps between them. */
                row[0] += any() % 700 < 3 * steps + 1 ? (int64_t)(any() >> (63 - 4 * steps)) : 0;
                append(p, row);
            }
            check_all_after(p);
            assert_int_equal(td_series_seal(&p->series), 0);
            check_all_after(p);
            end(p);
        }
    }
    (void)unused;
}

static void after_knows_the_ends_of_the_range(void **unused)
{
    struct plain *p = start(1, 0);
    for (uint64_t i = 0; i < 3 * TD_SERIES_ROWS + 5; i++) {
        int64_t row = i < TD_SERIES_ROWS + 9 ? INT64_MIN : INT64_MAX;
        append(p, &row);
    }
    check_all_after(p);
    assert_int_equal(td_series_seal(&p->series), 0);
    check_all_after(p);
    end(p);
    (void)unused;
}

static void millions_of_rows_find_their_chunks(void **unused)
{
    struct td_store *store = td_store_create(0);
    struct td_series s;
    const uint64_t count = 3000000;
    td_series_init(&s, store, 2, 0);
    for (uint64_t i = 0; i < count; i++) {
        int64_t row[2] = {(int64_t)(i * 3), (int64_t)(i * i)};
        assert_int_equal(td_series_append(&s, row), 0);
    }
    assert_int_equal(td_series_seal(&s), 0);
    for (uint64_t i = 0; i < count; i += 1 + any() % 50) {
        assert_true(td_series_get(&s, i, 0) == (int64_t)(i * 3));
        assert_true(td_series_get(&s, i, 1) == (int64_t)(i * i));
        assert_int_equal(td_series_after(&s, 0, (int64_t)(i * 3)), i + 1);
    }
    assert_true(td_series_bytes(&s) < 9 * count);
    td_store_destroy(store);
    (void)unused;
}

static void a_small_series_is_small(void **unused)
{
    struct td_store *store = td_store_create(0);
    struct td_series s[10];
    uint64_t memory, file;
    for (int i = 0; i < 10; i++) {
        int64_t row[5] = {i, 2, 3, 4, 5};
        td_series_init(&s[i], store, 5, 0);
        for (int k = 0; k < 10; k++)
            assert_int_equal(td_series_append(&s[i], row), 0);
    }
    td_store_usage(store, &memory, &file);
    assert_true(memory <= 64 << 10);
    assert_int_equal(file, 0);
    td_store_destroy(store);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_columns_and_every_width_reads_back),
        cmocka_unit_test(extremes_of_the_range_survive),
        cmocka_unit_test(spans_at_the_edge_of_each_width_survive),
        cmocka_unit_test(constant_columns_cost_next_to_nothing),
        cmocka_unit_test(a_packed_column_can_be_read_as_its_bytes),
        cmocka_unit_test(columns_that_rise_evenly_are_packed_small),
        cmocka_unit_test(the_last_row_may_change_at_every_length),
        cmocka_unit_test(loose_rows_change_until_sealed),
        cmocka_unit_test(settled_rows_stay_and_more_may_follow),
        cmocka_unit_test(what_is_sealed_takes_no_more_rows),
        cmocka_unit_test(after_finds_the_first_greater_row),
        cmocka_unit_test(after_knows_the_ends_of_the_range),
        cmocka_unit_test(millions_of_rows_find_their_chunks),
        cmocka_unit_test(a_small_series_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
