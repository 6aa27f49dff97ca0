/* Sums of operations: launches in any order give what a calculation over all launches gives. */
#include "host/report/ops/op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LAUNCHES 4000
#define GIVEN    600

struct given {
    struct td_op_sum op[GIVEN];
    struct td_op_core cores[GIVEN][64];
    size_t count;
};

static int keep_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct given *g = self;
    assert_true(g->count < GIVEN && op->core_count <= 64);
    memcpy(g->cores[g->count], op->cores, op->core_count * sizeof *op->cores);
    g->op[g->count] = *op;
    g->op[g->count].cores = g->cores[g->count];
    g->op[g->count++].name = NULL;
    return 0;
}

static struct td_op_clock clock_of(void *self, uint32_t device)
{
    return (struct td_op_clock){1000.0 + device, true};
}

static struct td_op_sums *create_sums(struct given *g)
{
    const struct td_op_sums_options options = {.self = g, .give = keep_op, .clock = clock_of};
    g->count = 0;
    struct td_op_sums *sums = td_op_sums_create(&options);
    assert_non_null(sums);
    return sums;
}

static const char *const riscs[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"};

/* `ops` operations, one after the other, on 2 devices with `cores` cores each. */
static size_t make_launches(struct td_op_launch *l, uint32_t ops, uint32_t cores)
{
    size_t count = 0;
    int64_t at[2] = {1000, 5000};
    for (uint32_t o = 1; o <= ops; o++) {
        const uint32_t device = o % 2;
        int64_t last = 0;
        for (uint32_t c = 0; c < cores; c++)
            for (unsigned r = 0; r < 5; r++) {
                if (rand() % 8 == 0)
                    continue;
                const int64_t start = at[device] + rand() % 300, kernel = start + 1 + rand() % 20;
                const int64_t end = kernel + 100 + rand() % 5000, fw_end = end + 1 + rand() % 30;
                l[count++] = (struct td_op_launch){.device = device,
                                                   .run_id = o << 10 | device,
                                                   .trace = o % 3 ? TD_OP_NO_TRACE : 7,
                                                   .replay = o % 3 ? TD_OP_NO_TRACE : o,
                                                   .x = (uint16_t)(1 + c % 8),
                                                   .y = (uint16_t)(1 + c / 8),
                                                   .lane = (uint8_t)r,
                                                   .risc = td_op_risc_find(riscs[r]),
                                                   .fw_start = start,
                                                   .fw_end = fw_end,
                                                   .kernel_start = kernel,
                                                   .kernel_end = end,
                                                   .wait = rand() % 100,
                                                   .cb_wait_front = r == 2 ? rand() % 50 : -1,
                                                   .cb_reserve_back = -1};
                last = fw_end > last ? fw_end : last;
            }
        at[device] = last + rand() % 1000;
    }
    assert_true(count <= LAUNCHES);
    return count;
}

static void shuffle(struct td_op_launch *l, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = (size_t)rand() % i;
        const struct td_op_launch other = l[k];
        l[k] = l[i - 1];
        l[i - 1] = other;
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a == TD_OP_NO_TIME || b < a ? b : a;
}
static int64_t greatest(int64_t a, int64_t b)
{
    return b > a ? b : a;
}

/* The operation, calculated from all launches. */
static void check_op(const struct td_op_sum *op, const struct td_op_launch *l, size_t count,
                     int64_t *previous_end)
{
    int64_t fw_start = TD_OP_NO_TIME, fw_end = TD_OP_NO_TIME, start = TD_OP_NO_TIME, end = TD_OP_NO_TIME;
    int64_t last_start = TD_OP_NO_TIME, data_start = TD_OP_NO_TIME, trisc1_start = TD_OP_NO_TIME;
    int64_t trisc1_end = TD_OP_NO_TIME, wait = 0, busy = 0, front = -1;
    int64_t core_start[9][9], core_end[9][9];
    uint32_t launches = 0, cores = 0;
    for (unsigned x = 0; x < 9; x++)
        for (unsigned y = 0; y < 9; y++)
            core_start[x][y] = core_end[x][y] = TD_OP_NO_TIME;
    for (size_t i = 0; i < count; i++) {
        if (l[i].run_id != op->run_id || l[i].device != op->device)
            continue;
        assert_int_equal(l[i].trace, op->trace);
        assert_int_equal(l[i].replay, op->replay);
        launches++;
        fw_start = least(fw_start, l[i].fw_start);
        fw_end = greatest(fw_end, l[i].fw_end);
        start = least(start, l[i].kernel_start);
        last_start = greatest(last_start, l[i].kernel_start);
        end = greatest(end, l[i].kernel_end);
        if (l[i].lane < 2)
            data_start = least(data_start, l[i].kernel_start);
        if (l[i].lane == 3) {
            trisc1_start = least(trisc1_start, l[i].kernel_start);
            trisc1_end = greatest(trisc1_end, l[i].kernel_end);
        }
        wait += l[i].wait;
        busy += l[i].kernel_end - l[i].kernel_start;
        if (l[i].lane == 2)
            front = (front < 0 ? 0 : front) + l[i].cb_wait_front;
        core_start[l[i].x][l[i].y] = least(core_start[l[i].x][l[i].y], l[i].kernel_start);
        core_end[l[i].x][l[i].y] = greatest(core_end[l[i].x][l[i].y], l[i].kernel_end);
    }
    int64_t min = 0, max = 0, sum = 0;
    for (unsigned x = 0; x < 9; x++)
        for (unsigned y = 0; y < 9; y++) {
            if (core_start[x][y] == TD_OP_NO_TIME)
                continue;
            const int64_t length = core_end[x][y] - core_start[x][y];
            min = cores && min < length ? min : length;
            max = max > length ? max : length;
            sum += length;
            cores++;
        }
    assert_int_equal(op->launches, launches);
    assert_int_equal(op->core_count, cores);
    assert_int_equal(op->open, 0);
    assert_int_equal(op->fw.first_start, fw_start);
    assert_int_equal(op->fw.last_end, fw_end);
    assert_int_equal(op->kernel.first_start, start);
    assert_int_equal(op->kernel.last_start, last_start);
    assert_int_equal(op->kernel.last_end, end);
    assert_int_equal(op->data_kernel.first_start, data_start);
    assert_int_equal(op->risc[TD_OP_TRISC1].first_start, trisc1_start);
    assert_int_equal(op->risc[TD_OP_TRISC1].last_end, trisc1_end);
    assert_int_equal(op->per_core_min, min);
    assert_int_equal(op->per_core_max, max);
    assert_true(op->per_core_avg > (double)sum / cores - 1e-6 &&
                op->per_core_avg < (double)sum / cores + 1e-6);
    assert_int_equal(op->wait, wait);
    assert_int_equal(op->busy, busy);
    assert_int_equal(op->cb_wait_front, front);
    assert_int_equal(op->cb_reserve_back, -1);
    assert_int_equal(op->latency, *previous_end == TD_OP_NO_TIME ? TD_OP_NO_TIME : start - *previous_end);
    *previous_end = end;
}

static struct td_op_launch launches[LAUNCHES];
static struct given given;

static void check_all(const struct given *g, size_t ops, size_t count)
{
    int64_t previous[2] = {TD_OP_NO_TIME, TD_OP_NO_TIME};
    assert_int_equal(g->count, ops);
    for (size_t i = 0; i < g->count; i++)
        check_op(&g->op[i], launches, count, &previous[g->op[i].device]);
}

static void launches_in_any_order_give_the_same_sums(void **state)
{
    struct td_err err = {0};
    srand(1);
    const size_t count = make_launches(launches, 40, 16);
    for (int round = 0; round < 3; round++) {
        struct td_op_sums *sums = create_sums(&given);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(td_op_sums_add(sums, &launches[i], &err), 0);
        assert_int_equal(td_op_sums_end(sums, &err), 0);
        check_all(&given, 40, count);
        assert_int_equal(td_op_sums_waiting(sums), 0);
        td_op_sums_destroy(sums);
        shuffle(launches, count);
    }
}

static int compare_kernel_starts(const void *a, const void *b)
{
    const struct td_op_launch *x = a, *y = b;
    return x->fw_start < y->fw_start ? -1 : x->fw_start > y->fw_start;
}

static void operations_are_given_as_the_time_passes(void **state)
{
    struct td_err err = {0};
    srand(2);
    const size_t count = make_launches(launches, 60, 12);
    qsort(launches, count, sizeof *launches, compare_kernel_starts);
    struct td_op_sums *sums = create_sums(&given);
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(td_op_sums_pass(sums, launches[i].device, launches[i].fw_start, 1000000, &err), 0);
        assert_int_equal(td_op_sums_add(sums, &launches[i], &err), 0);
        most = td_op_sums_waiting(sums) > most ? td_op_sums_waiting(sums) : most;
    }
    assert_true(given.count >= 56);
    assert_true(most <= 4); /* one or two on each of the two devices */
    assert_int_equal(td_op_sums_end(sums, &err), 0);
    check_all(&given, 60, count);
    td_op_sums_destroy(sums);
}

static struct td_op_launch launch_at(int64_t start, int64_t end)
{
    return (struct td_op_launch){.run_id = 1024,
                                 .trace = TD_OP_NO_TRACE,
                                 .replay = TD_OP_NO_TRACE,
                                 .x = 1,
                                 .y = 1,
                                 .fw_start = TD_OP_NO_TIME,
                                 .fw_end = TD_OP_NO_TIME,
                                 .kernel_start = start,
                                 .kernel_end = end,
                                 .cb_wait_front = -1,
                                 .cb_reserve_back = -1};
}

static void a_number_that_runs_again_is_another_operation(void **state)
{
    struct td_err err = {0};
    struct td_op_sums *sums = create_sums(&given);
    for (int64_t i = 0; i < 5; i++) {
        struct td_op_launch l = launch_at(100 * i, 100 * i + 30);
        assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
        l.lane = 1;
        l.risc = TD_OP_NCRISC;
        assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    }
    assert_int_equal(td_op_sums_end(sums, &err), 0);
    assert_int_equal(given.count, 5);
    for (int64_t i = 0; i < 5; i++) {
        assert_int_equal(given.op[i].kernel.first_start, 100 * i);
        assert_int_equal(given.op[i].launches, 2);
        assert_int_equal(given.op[i].fw.last_end, 100 * i + 30); /* without FW zones */
        assert_int_equal(given.op[i].latency, i ? 70 : TD_OP_NO_TIME);
    }
    td_op_sums_destroy(sums);
}

static void parts_of_a_launch_are_joined(void **state)
{
    struct td_err err = {0};
    struct td_op_sums *sums = create_sums(&given);
    struct td_op_launch l = launch_at(TD_OP_NO_TIME, TD_OP_NO_TIME);
    l.fw_start = 10;
    assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    l = launch_at(20, 80);
    assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    assert_int_equal(td_op_sums_pass(sums, 0, 1000000, 0, &err), 0);
    assert_int_equal(given.count, 0); /* the firmware has not ended */
    l = launch_at(TD_OP_NO_TIME, TD_OP_NO_TIME);
    l.fw_end = 90;
    assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    assert_int_equal(td_op_sums_pass(sums, 0, 1000000, 0, &err), 0);
    assert_int_equal(given.count, 1);
    assert_int_equal(given.op[0].fw.first_start, 10);
    assert_int_equal(given.op[0].kernel.first_start, 20);
    assert_int_equal(given.op[0].fw.last_end, 90);
    assert_int_equal(given.op[0].launches, 1);
    td_op_sums_destroy(sums);
}

static void a_launch_without_an_end_is_given_at_the_end_as_open(void **state)
{
    struct td_err err = {0};
    struct td_op_sums *sums = create_sums(&given);
    struct td_op_launch l = launch_at(20, 80);
    assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    l = launch_at(25, TD_OP_NO_TIME);
    l.x = 2;
    assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    assert_int_equal(td_op_sums_pass(sums, 0, 1000000, 0, &err), 0);
    assert_int_equal(given.count, 0);
    assert_int_equal(td_op_sums_end(sums, &err), 0);
    assert_int_equal(given.count, 1);
    assert_int_equal(given.op[0].open, 1);
    assert_int_equal(given.op[0].cores[1].open, 1);
    assert_int_equal(given.op[0].per_core_min, 60);
    assert_int_equal(given.op[0].per_core_max, 60);
    td_op_sums_destroy(sums);
}

/* Launches of one operation on two RISCs of `cores` tiles. */
static void add_op(struct td_op_sums *sums, uint32_t op, int cores, int64_t start, int64_t end,
                   int64_t odd_start)
{
    struct td_err err = {0};
    for (int c = 0; c < cores; c++)
        for (uint8_t r = 0; r < 2; r++) {
            struct td_op_launch l = launch_at(start + 10, end - 10);
            l.run_id = op;
            l.x = (uint16_t)(c + 1);
            l.lane = r;
            l.risc = r ? TD_OP_NCRISC : TD_OP_BRISC;
            l.fw_start = start;
            l.fw_end = end;
            if (c == 0 && r == 0 && odd_start)
                l.fw_start = (l.kernel_start = odd_start) - 10;
            assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
        }
}

static void times_that_cannot_be_right_are_in_doubt(void **state)
{
    static const enum td_op_doubt doubts[] = {TD_OP_DOUBT_NONE, TD_OP_DOUBT_EARLY, TD_OP_DOUBT_NONE,
                                              TD_OP_DOUBT_TWO_AT_ONCE, TD_OP_DOUBT_NONE};
    struct td_err err = {0};
    const int64_t first = INT64_C(900000000000);
    struct td_op_sums *sums = create_sums(&given);
    add_op(sums, 1, 2, first, first + 1000, 76000000);           /* the first one: before the others */
    add_op(sums, 2, 2, first + 2000, first + 3000, 0);           /* right */
    add_op(sums, 3, 1, first + 4000, first + 5000, first + 500); /* the tile ran 2 meanwhile */
    add_op(sums, 4, 2, first + 6000, first + 7000, first + 6100);
    assert_int_equal(td_op_sums_end(sums, &err), 0);
    td_op_sums_destroy(sums);
    assert_int_equal(given.count, 4);
    for (size_t i = 0; i < given.count; i++) {
        const struct td_op_sum *op = &given.op[i];
        assert_int_equal(op->doubt, doubts[op->run_id]);
        if (op->run_id == 2)
            assert_int_equal(op->gap, 1020);
    }
    assert_int_equal(td_op_doubt_of_launch(10, 100, 20, 90), TD_OP_DOUBT_NONE);
    assert_int_equal(td_op_doubt_of_launch(10, 100, 5, 90), TD_OP_DOUBT_OUTSIDE);
    assert_int_equal(td_op_doubt_of_launch(10, 100, 20, 110), TD_OP_DOUBT_OUTSIDE);
    assert_int_equal(td_op_doubt_of_launch(10, 100, 20, 15), TD_OP_DOUBT_ENDS_FIRST);
    assert_int_equal(td_op_doubt_of_launch(10, TD_OP_NO_TIME, TD_OP_NO_TIME, 15), TD_OP_DOUBT_NONE);
}

static void a_time_in_which_several_operations_ran_counts_once(void **state)
{
    struct td_err err = {0};
    const int64_t times[][2] = {{1000, 101000}, {20000, 60000}, {61000, 70000}, {102000, 103000}};
    const int64_t gaps[] = {TD_OP_NO_TIME, 0, 0, 1020}, shared[] = {0, 39980, 8980, 0};
    struct td_op_sums *sums = create_sums(&given);
    for (uint32_t i = 0; i < 4; i++) {
        struct td_op_launch l = launch_at(times[i][0] + 10, times[i][1] - 10);
        l.run_id = i + 1;
        l.x = i % 3 ? 2 : 1;
        assert_int_equal(td_op_sums_add(sums, &l, &err), 0);
    }
    assert_int_equal(td_op_sums_end(sums, &err), 0);
    td_op_sums_destroy(sums);
    assert_int_equal(given.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(given.op[i].gap, gaps[i]);
        assert_int_equal(given.op[i].shared, shared[i]);
        assert_int_equal(given.op[i].doubt, TD_OP_DOUBT_NONE);
    }
    assert_int_equal(given.op[1].latency, -80980); /* as tt-metal's scripts */
}

static void clocks_convert_exactly(void **state)
{
    const struct td_op_clock cycles = {1350, true}, ns = {1350, false}, unknown = {0, false};
    assert_true(td_op_ns(&cycles, 1350) == 1000.0);
    assert_int_equal(td_op_cycles(&cycles, 1350), 1350);
    assert_true(td_op_ns(&ns, 1000) == 1000.0);
    assert_int_equal(td_op_cycles(&ns, 1000), 1350);
    assert_int_equal(td_op_cycles(&ns, INT64_C(1000000000000003)), INT64_C(1350000000000004));
    assert_int_equal(td_op_cycles(&unknown, 77), 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_in_any_order_give_the_same_sums),
        cmocka_unit_test(operations_are_given_as_the_time_passes),
        cmocka_unit_test(a_number_that_runs_again_is_another_operation),
        cmocka_unit_test(parts_of_a_launch_are_joined),
        cmocka_unit_test(a_launch_without_an_end_is_given_at_the_end_as_open),
        cmocka_unit_test(times_that_cannot_be_right_are_in_doubt),
        cmocka_unit_test(a_time_in_which_several_operations_ran_counts_once),
        cmocka_unit_test(clocks_convert_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
