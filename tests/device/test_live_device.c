/* Programs on a simulated board: loading, launching, waiting, and what goes wrong with them. */
#include "host/base/clock.h"
#include "host/device/drain/sync.h"
#include "host/transport/sim/shm.h"
#include "host/transport/card/simbar.h"
#include "proto/device/noc.h"
#include "target/include/tendril/cb.h"
#include "tests/device/live_board.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static const struct td_core_at brisc = {0, 0, 0, 0};

static struct live_board *start(const char *const *options)
{
    struct live_board *b = live_board_start(options);
    if (!b)
        skip();
    return b;
}

static void prepare(struct live_board *b, struct td_core_at at, const char *kernel, uint32_t arg)
{
    struct td_err err = {0};
    if (td_device_load(b->device, at, live_kernel(b, kernel, at.core), &err) ||
        td_device_prepare(b->device, at, 1, arg, &err))
        fail_msg("%s", err.text);
}

static void programs_run_alike_without_an_agent(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    int code = -1;
    live_prepare_all(b, "zones", 1, 5000);
    assert_int_equal(live_run(b, 0, &code, &err), 0);
    assert_int_equal(code, 0);
    live_board_stop(b);
}

static void exit_codes_come_back(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    int code = -1;
    for (uint16_t core = 0; core < 5; core++)
        prepare(b, (struct td_core_at){0, 1, 1, core}, "ending", core == 3 ? 42 : 0);
    assert_int_equal(live_run(b, 0, &code, &err), 0);
    assert_int_equal(code, 42);
    live_board_stop(b);
}

static void a_core_that_faults_is_named_with_its_symbol_and_can_be_used_again(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    int code = -1;
    prepare(b, (struct td_core_at){0, 1, 0, 4}, "ending", 0xA0000000);
    assert_int_equal(live_run(b, 0, &code, &err), TD_E_GONE);
    print_message("%s\n", err.text);
    assert_non_null(strstr(err.text, "core TRISC2 of tile 1,0 on chip 0 stopped: write"));
    assert_non_null(strstr(err.text, "(write_to+0x") ?: strstr(err.text, "(main+0x"));
    assert_non_null(strstr(err.text, "0xa0000000"));
    err = (struct td_err){0};
    prepare(b, (struct td_core_at){0, 1, 0, 4}, "ending", 0);
    assert_int_equal(live_run(b, 0, &code, &err), 0);
    live_board_stop(b);
}

static void waiting_ends_after_its_time_and_can_be_taken_up_again(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    uint32_t word = 0, address = td_device_board(b->device)->data_base;
    int code = -1;
    assert_int_equal(td_device_write(b->device, 0, 0, 0, address, &word, 4, &err), 0);
    prepare(b, brisc, "waiting", address);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    assert_int_equal(td_device_wait(b->device, 20, &code, &err), TD_E_TIMEOUT);
    assert_non_null(strstr(err.text, "BRISC of tile 0,0"));
    assert_int_equal(td_device_load(b->device, brisc, live_kernel(b, "zones", 0), NULL), TD_E_USAGE);
    assert_int_equal(td_device_prepare(b->device, brisc, 1, 1, NULL), TD_E_USAGE);
    word = 1;
    assert_int_equal(td_device_write(b->device, 0, 0, 0, address, &word, 4, NULL), 0);
    assert_int_equal(td_device_wait(b->device, 20000, &code, NULL), 0);
    assert_int_equal(td_device_read(b->device, 0, 0, 0, address, &word, 4, NULL), 0);
    assert_int_equal(word, 1);
    live_board_stop(b);
}

static void a_core_is_stopped_and_used_again_while_others_run(void **state)
{
    struct live_board *b = start(NULL);
    const struct td_core_at other = {0, 1, 0, 2}, third = {0, 1, 1, 1};
    struct td_err err = {0};
    uint32_t word = 0, address = td_device_board(b->device)->data_base;
    int code = -1;
    assert_int_equal(td_device_write(b->device, 0, 0, 0, address, &word, 4, &err), 0);
    assert_int_equal(td_device_write(b->device, 0, 1, 0, address, &word, 4, &err), 0);
    prepare(b, brisc, "waiting", address);
    prepare(b, other, "waiting", address);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    /* A launch of one core while two others run, and a wait for it alone. */
    prepare(b, third, "ending", 42);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    assert_int_equal(td_device_wait_core(b->device, third, 20000, &code, &err), 0);
    assert_int_equal(code, 42);
    assert_int_equal(td_device_wait_core(b->device, third, 0, &code, NULL), TD_E_USAGE);
    assert_int_equal(td_device_wait_core(b->device, other, 20, &code, &err), TD_E_TIMEOUT);
    assert_int_equal(td_device_stop(b->device, other, &err), 0);
    prepare(b, other, "ending", 0xA0000000);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    /* Its fault does not stop the core that waits. */
    assert_int_equal(td_device_wait_core(b->device, other, 20000, &code, &err), TD_E_GONE);
    word = 1;
    assert_int_equal(td_device_write(b->device, 0, 0, 0, address, &word, 4, NULL), 0);
    assert_int_equal(td_device_wait(b->device, 20000, &code, &err), 0);
    live_board_stop(b);
}

static void a_launch_takes_up_to_64_arguments(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    uint32_t args[65];
    int code = -1;
    for (uint32_t i = 0; i < 65; i++)
        args[i] = i;
    assert_int_equal(td_device_load(b->device, brisc, live_kernel(b, "sum", 0), &err), 0);
    static const struct {
        size_t count;
        int code;
    } cases[] = {{64, (64 + 63 * 64 / 2) & 0xff}, {3, 3 + 3}, {0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(td_device_prepare_args(b->device, brisc, 1, args, cases[i].count, &err), 0);
        assert_int_equal(live_run(b, 0, &code, &err), 0);
        assert_int_equal(code, cases[i].code);
    }
    assert_int_equal(td_device_prepare(b->device, brisc, 1, 9, &err), 0);
    assert_int_equal(live_run(b, 0, &code, &err), 0);
    assert_int_equal(code, 1 + 9);
    assert_int_equal(td_device_prepare_args(b->device, brisc, 1, args, 65, &err), TD_E_USAGE);
    assert_int_equal(td_device_load(b->device, brisc, live_kernel(b, "ending", 0), &err), 0);
    /* One that does not use td_arg_at(): all of its uses may be in markers that are off. */
    assert_int_equal(td_device_prepare_args(b->device, brisc, 1, args, 2, &err), 0);
    live_board_stop(b);
}

static void circular_buffers_are_laid_out_one_after_the_other(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    const uint32_t base = td_device_board(b->device)->data_base;
    uint32_t next = base + 4, cb = 0;
    struct td_cb got;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(td_device_cb(b->device, 0, 0, 0, 100, 4, &next, &cb, &err), 0);
        assert_int_equal(cb, base + 64 + i * (64 + 448));
        assert_int_equal(next, cb + 64 + 448);
        assert_int_equal(td_device_read(b->device, 0, 0, 0, cb, &got, sizeof got, &err), 0);
        assert_true(got.base == cb + 64 && got.page_bytes == 100 && got.pages == 4 && got.pushed == 0);
    }
    const uint32_t wrong[][2] = {{4, 0}, {0, 4}, {6, 2}, {1u << 20, 2}, {1u << 30, 1u << 30}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(td_device_cb(b->device, 0, 0, 0, wrong[i][0], wrong[i][1], &next, &cb, &err),
                         TD_E_USAGE);
    next = base - 64;
    assert_int_equal(td_device_cb(b->device, 0, 0, 0, 4, 4, &next, &cb, &err), TD_E_USAGE);
    live_board_stop(b);
}

/* Launches the kernel `deep` with so many calls; with `spins` it never ends. The result of the wait. */
static int run_deep(struct live_board *b, struct td_core_at at, uint32_t calls, uint32_t spins,
                    struct td_err *err)
{
    const uint32_t args[2] = {calls, spins};
    int code = -1;
    *err = (struct td_err){0};
    assert_int_equal(td_device_prepare_args(b->device, at, 1, args, 2, err), 0);
    return live_run(b, 0, &code, err);
}

static void a_stack_overflow_is_named_while_the_core_runs(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    for (uint16_t core = 0; core < 5; core++) {
        const struct td_core_at at = {0, 0, 0, core};
        /* One call more each time, until the words at the stack's end are hit and none below them. */
        uint32_t calls = td_device_board(b->device)->cores[core].local_bytes / 64;
        assert_int_equal(td_device_load(b->device, at, live_kernel(b, "deep", core), &err), 0);
        while (run_deep(b, at, calls, 0, &err) == 0)
            calls++;
        assert_non_null(strstr(err.text, "stack overflow; pc"));
        assert_int_equal(run_deep(b, at, calls, 1, &err), TD_E_GONE);
        assert_non_null(strstr(err.text, "stack overflow; pc"));
    }
    live_board_stop(b);
}

/* As many calls as fit, by halves: what overflows by far may damage the image, so it is loaded each time. */
static void with_its_stack_in_l1_a_core_has_more_of_it_and_an_overflow_is_named(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    const struct td_core_at at = {0, 0, 0, 2};
    const struct td_core_desc *core = &td_device_board(b->device)->cores[2];
    uint32_t fits = 0, most = core->code_bytes / 32;
    while (most - fits > 1) {
        const uint32_t calls = fits + (most - fits) / 2;
        assert_int_equal(td_device_load(b->device, at, live_kernel(b, "deep_in_l1", 2), &err), 0);
        if (run_deep(b, at, calls, 0, &err) == 0)
            fits = calls;
        else
            most = calls;
    }
    assert_true(fits * 32 > 8 * core->local_bytes);
    assert_int_equal(td_device_load(b->device, at, live_kernel(b, "deep_in_l1", 2), &err), 0);
    assert_int_equal(run_deep(b, at, most, 0, &err), TD_E_GONE);
    assert_non_null(strstr(err.text, "stack overflow; pc"));
    live_board_stop(b);
}

static void an_elf_for_another_core_or_none_of_ours_is_refused(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    assert_int_equal(
        td_device_load(b->device, (struct td_core_at){0, 0, 0, 1}, live_kernel(b, "zones", 0), &err),
        TD_E_FORMAT);
    assert_non_null(strstr(err.text, "was built for BRISC and cannot run on NCRISC"));
    err = (struct td_err){0};
    assert_int_equal(td_device_load(b->device, brisc, "/proc/self/exe", &err), TD_E_FORMAT);
    err = (struct td_err){0};
    assert_int_equal(td_device_load(b->device, brisc, "/nonexistent.elf", &err), TD_E_NOTFOUND);
    assert_int_equal(td_device_prepare(b->device, brisc, 1, 1, NULL), TD_E_USAGE);
    assert_int_equal(
        td_device_load(b->device, (struct td_core_at){0, 2, 0, 0}, live_kernel(b, "zones", 0), NULL),
        TD_E_USAGE);
    assert_int_equal(
        td_device_load(b->device, (struct td_core_at){0, 0, 0, 5}, live_kernel(b, "zones", 0), NULL),
        TD_E_USAGE);
    live_board_stop(b);
}

/* A copy of the ELF with one word of its table in .td_image changed. */
static void spoil_table(const char *from, const char *to, int index, uint32_t value)
{
    static char bytes[1 << 22];
    FILE *f = fopen(from, "r");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    const uint32_t head[2] = {TD_IMAGE_MAGIC, TD_DEVICE_PROTO_VERSION};
    char *table = memmem(bytes, n, head, sizeof head);
    assert_non_null(table);
    memcpy(table + 4 * index, &value, 4);
    f = fopen(to, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void an_elf_of_another_version_or_layout_is_refused(void **state)
{
    struct live_board *b = start(NULL);
    char path[200];
    struct td_err err = {0};
    snprintf(path, sizeof path, "%s/spoiled.elf", b->run_dir);
    spoil_table(live_kernel(b, "zones", 0), path, TD_IMAGE_version, TD_DEVICE_PROTO_VERSION + 1);
    assert_int_equal(td_device_load(b->device, brisc, path, &err), TD_E_VERSION);
    assert_non_null(strstr(err.text, "rebuild"));
    err = (struct td_err){0};
    spoil_table(live_kernel(b, "zones", 0), path, TD_IMAGE_lane_base, 0x800);
    assert_int_equal(td_device_load(b->device, brisc, path, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "another board"));
    err = (struct td_err){0};
    spoil_table(live_kernel(b, "zones", 0), path, TD_IMAGE_ring_slots, 64);
    assert_int_equal(td_device_load(b->device, brisc, path, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "rings of 64 slots"));
    err = (struct td_err){0};
    spoil_table(live_kernel(b, "zones", 0), path, TD_IMAGE_ring, 0x780);
    assert_int_equal(td_device_load(b->device, brisc, path, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "its ring is at 0x780"));
    err = (struct td_err){0};
    spoil_table(live_kernel(b, "zones", 0), path, TD_IMAGE_uses, (1 + TD_NIU_BLACKHOLE) << TD_IMAGE_CHIP_BIT);
    assert_int_equal(td_device_load(b->device, brisc, path, &err), TD_E_FORMAT);
    assert_non_null(strstr(err.text, "was linked for tiles of Blackhole, and board"));
    live_board_stop(b);
}

static void a_loaded_elf_is_announced_by_its_build_id(void **state)
{
    struct live_board *b = start(NULL);
    prepare(b, brisc, "zones", 1);
    struct td_image *image = td_image_open(live_kernel(b, "zones", 0), NULL);
    assert_non_null(image);
    char id[17], path[200];
    td_build_id_text(td_image_build_id(image), id);
    snprintf(path, sizeof path, "%s/%s.elf", b->run_dir, id);
    assert_int_equal(access(path, R_OK), 0);
    const struct td_image *found = td_images_find(b->images, td_image_build_id(image), NULL);
    assert_non_null(found);
    int work = 0;
    for (uint32_t i = 0; i < td_image_site_count(found); i++)
        if (td_image_site(found, i) && strcmp(td_image_site(found, i)->name, "work") == 0) {
            work++;
            assert_string_equal(td_image_site(found, i)->function, "main");
        }
    assert_int_equal(work, 1);
    td_image_close(image);
    live_board_stop(b);
}

static void dram_keeps_what_is_written_to_each_bank(void **state)
{
    struct live_board *b = start(NULL);
    const struct td_board *board = td_device_board(b->device);
    for (uint32_t bank = 0; bank < board->dram_banks; bank++)
        assert_int_equal(td_device_dram_write(b->device, 0, bank, 64, &bank, 4, NULL), 0);
    for (uint32_t bank = 0; bank < board->dram_banks; bank++) {
        uint32_t word = 99;
        assert_int_equal(td_device_dram_read(b->device, 0, bank, 64, &word, 4, NULL), 0);
        assert_int_equal(word, bank);
    }
    uint32_t word = 0;
    assert_int_equal(td_device_dram_read(b->device, 0, board->dram_banks, 0, &word, 4, NULL), TD_E_USAGE);
    assert_true(td_device_dram_read(b->device, 0, 0, board->dram_bank_bytes - 2, &word, 4, NULL) < 0);
    live_board_stop(b);
}

static void a_board_that_dies_ends_the_wait(void **state)
{
    struct live_board *b = start(NULL);
    struct td_err err = {0};
    int code;
    prepare(b, brisc, "waiting", td_device_board(b->device)->data_base);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    kill(b->pid, SIGKILL);
    assert_int_equal(td_device_wait(b->device, 60000, &code, &err), TD_E_GONE);
    live_board_stop(b);
}

/* Largest error of the map over 100,000 points of its span, against what the simulator says is true. */
static double worst_error_ns(const struct td_sync *s, const struct td_bar_header *bar, double ns)
{
    uint64_t first, last;
    uint32_t seed = 1;
    double worst = 0;
    td_sync_span(s, &first, &last);
    for (int i = 0; i < 100000; i++) {
        uint64_t ticks = first + (uint64_t)((double)(last - first) * (rand_r(&seed) / (RAND_MAX + 1.0)));
        long double since =
            (long double)(int64_t)(ticks - bar->truth_base_ticks) / bar->truth_ticks_per_host_tick;
        long double host = (long double)bar->truth_base_host + since;
        worst = fmax(worst, fabs((double)(td_sync_to_host(s, ticks) - host)) * ns);
    }
    return worst;
}

/* The bound follows from the reads that this machine manages: one of 20 within a microsecond and a half, five
 * times a second, on a machine that has a processor left for the simulator. On one that has none, only its
 * truth can be tested. */
static void check_clock(const char *drift)
{
    const char *options[] = {"--offset-ns", "5000000000", "--drift-ppm", drift, NULL};
    struct live_board *b = start(options);
    struct td_transport *t = td_device_transport(b->device);
    struct td_tile_at at = td_board_tile(td_device_board(b->device), 0, 0, 0);
    struct td_sync *s = td_sync_create(td_device_board(b->device)->frequency_hz);
    double ns = td_host_ns_per_tick(50);
    struct td_err err = {0};
    int good = 0, samples = 40;
    int64_t good_ns = td_mono_ns(), gap_ns = 0; /* the last good one, the longest time without one */
    for (int i = 0; i < samples; i++) {
        struct td_clock_sample best = {0, UINT64_MAX, 0}, one;
        for (int k = 0; k < 20; k++) {
            if (t->ops->clock(t, at, &one, &err))
                fail_msg("%s", err.text);
            if (one.host_after - one.host_before < best.host_after - best.host_before)
                best = one;
        }
        if ((double)(best.host_after - best.host_before) * ns < 1500) {
            good++;
            gap_ns = td_mono_ns() - good_ns > gap_ns ? td_mono_ns() - good_ns : gap_ns;
            good_ns = td_mono_ns();
        }
        assert_int_equal(td_sync_add(s, &best), 0);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_int_equal(td_sync_sample(s, t, at, 20, &(struct td_clock_sample){0}, &err), 0);
    gap_ns = td_mono_ns() - good_ns > gap_ns ? td_mono_ns() - good_ns : gap_ns;
    double bound = td_sync_bound_ns(s, ns), worst = worst_error_ns(s, td_simbar_header(t), ns);
    print_message(
        "drift %s ppm: %d of %d samples good, %.0f ms without, bound %.0f ns, worst true error %.0f "
        "ns\n",
        drift, good, samples, (double)gap_ns / 1e6, bound, worst);
    assert_true(worst <= bound);
    if (gap_ns < 200000000)
        assert_true(bound < 2000);
    td_sync_destroy(s);
    live_board_stop(b);
}

static void the_clock_is_known_to_two_microseconds_and_better_than_its_bound(void **state)
{
    check_clock("100");
    check_clock("-100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_run_alike_without_an_agent),
        cmocka_unit_test(exit_codes_come_back),
        cmocka_unit_test(a_core_that_faults_is_named_with_its_symbol_and_can_be_used_again),
        cmocka_unit_test(waiting_ends_after_its_time_and_can_be_taken_up_again),
        cmocka_unit_test(a_core_is_stopped_and_used_again_while_others_run),
        cmocka_unit_test(a_launch_takes_up_to_64_arguments),
        cmocka_unit_test(circular_buffers_are_laid_out_one_after_the_other),
        cmocka_unit_test(a_stack_overflow_is_named_while_the_core_runs),
        cmocka_unit_test(with_its_stack_in_l1_a_core_has_more_of_it_and_an_overflow_is_named),
        cmocka_unit_test(an_elf_for_another_core_or_none_of_ours_is_refused),
        cmocka_unit_test(an_elf_of_another_version_or_layout_is_refused),
        cmocka_unit_test(a_loaded_elf_is_announced_by_its_build_id),
        cmocka_unit_test(dram_keeps_what_is_written_to_each_bank),
        cmocka_unit_test(a_board_that_dies_ends_the_wait),
        cmocka_unit_test(the_clock_is_known_to_two_microseconds_and_better_than_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
