/* What the client makes of records that this machine's kernel cannot write: counters of the processor, vertical blanks
 * of a display, the energy that processors report. The records are made up, the items are decoded. */
#include "host/client/collect/power.h"
#include "host/client/collect/put_records.h"
#include "host/wire/items.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define PROTOCOL 82

static int refuse(void *self, const uint8_t *bytes, size_t count)
{
    return -1; /* all items fit into the open frame */
}

static void begin_encoder(struct td_encoder *encoder)
{
    assert_int_equal(td_encoder_init(encoder, td_wire_release_for(PROTOCOL)), 0);
    encoder->send = refuse;
    encoder->since = INT64_MIN;
    td_records_session_begins();
}

/* The bytes of the items that were put since the last call. */
static size_t take_items(struct td_encoder *encoder, uint8_t *bytes)
{
    return td_packer_set_aside(encoder->packer, bytes);
}

static void counters_become_items_with_place_and_time(void **state)
{
    static uint8_t bytes[TD_WIRE_FRAME_MAX];
    static const enum td_item items[TD_PERF_KIND_COUNT] = {
        [TD_PERF_CYCLES] = TD_ITEM_HwSampleCpuCycle,
        [TD_PERF_INSTRUCTIONS] = TD_ITEM_HwSampleInstructionRetired,
        [TD_PERF_CACHE_REFERENCES] = TD_ITEM_HwSampleCacheReference,
        [TD_PERF_CACHE_MISSES] = TD_ITEM_HwSampleCacheMiss,
        [TD_PERF_BRANCHES] = TD_ITEM_HwSampleBranchRetired,
        [TD_PERF_BRANCH_MISSES] = TD_ITEM_HwSampleBranchMiss};
    struct td_encoder encoder;
    begin_encoder(&encoder);
    for (int kind = TD_PERF_CYCLES; kind <= TD_PERF_BRANCH_MISSES; kind++) {
        const struct td_perf_record record = {.kind = (enum td_perf_kind)kind,
                                              .pid = 7,
                                              .tid = 8,
                                              .time = 1000 + kind,
                                              .ip = 0x401000u + (unsigned)kind};
        struct td_wire_view view;
        size_t at = 0;
        assert_int_equal(td_records_put(&encoder, &record), 0);
        const size_t count = take_items(&encoder, bytes);
        assert_int_equal(td_wire_next(encoder.release, bytes, count, &at, &view, NULL), 1);
        assert_int_equal(view.item, items[kind]);
        const struct td_wire_HwSampleCpuCycle item =
            td_wire_get_HwSampleCpuCycle(view.payload, encoder.release);
        assert_true(item.ip == record.ip && item.time == record.time);
        assert_int_equal(td_wire_next(encoder.release, bytes, count, &at, &view, NULL), 0);
    }
    td_encoder_finish(&encoder);
}

static void a_vertical_blank_becomes_an_item_of_its_display(void **state)
{
    static uint8_t bytes[TD_WIRE_FRAME_MAX];
    struct td_encoder encoder;
    struct td_wire_view view;
    size_t at = 0;
    begin_encoder(&encoder);
    const struct td_perf_record record = {.kind = TD_PERF_VSYNC, .time = 5000, .display = 2};
    assert_int_equal(td_records_put(&encoder, &record), 0);
    const size_t count = take_items(&encoder, bytes);
    assert_int_equal(td_wire_next(encoder.release, bytes, count, &at, &view, NULL), 1);
    assert_int_equal(view.item, TD_ITEM_FrameVsync);
    const struct td_wire_FrameVsync item = td_wire_get_FrameVsync(view.payload, encoder.release);
    assert_true(item.id == 2 && item.time == 5000);
    td_encoder_finish(&encoder);
}

/* ---- power ---- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_domain(const char *root, const char *folder, const char *name, const char *energy)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(path, "name", name);
    write_file(path, "max_energy_range_uj", "262143328850\n");
    write_file(path, "energy_uj", energy);
}

/* The energy in the reports of one turn. */
static unsigned reported(struct td_encoder *encoder, struct td_power *power, int64_t now_ms,
                         uint64_t energy[8])
{
    static uint8_t bytes[TD_WIRE_FRAME_MAX];
    struct td_wire_view view;
    unsigned reports = 0;
    size_t at = 0;
    assert_int_equal(td_power_send(power, encoder, now_ms), 0);
    const size_t count = take_items(encoder, bytes);
    while (td_wire_next(encoder->release, bytes, count, &at, &view, NULL) == 1) {
        assert_int_equal(view.item, TD_ITEM_SysPowerReport);
        assert_true(reports < 8);
        energy[reports++] = td_wire_get_SysPowerReport(view.payload, encoder->release).delta;
    }
    return reports;
}

/* As the Linux kernel lays out two packages, of which the first has parts, and the whole platform. */
static void the_energy_of_each_domain_is_reported(void **state)
{
    char root[] = "/tmp/tendril-power-XXXXXX", folder[100];
    struct td_power power = {.looked = true};
    struct td_encoder encoder;
    uint64_t energy[8];
    assert_non_null(mkdtemp(root));
    make_domain(root, "intel-rapl:0", "package-0\n", "262143328000\n");
    make_domain(root, "intel-rapl:0:0", "core\n", "1000\n");
    make_domain(root, "intel-rapl:0:1", "dram\n", "2000\n");
    make_domain(root, "intel-rapl:1", "package-1\n", "3000\n");
    make_domain(root, "intel-rapl:2", "psys\n", "4000\n");
    td_power_look(&power, root);
    assert_int_equal(power.count, 5);
    assert_string_equal(power.domains[0].name, "package-0");
    assert_string_equal(power.domains[1].name, "package-0:core");
    assert_string_equal(power.domains[2].name, "package-0:dram");
    assert_string_equal(power.domains[4].name, "psys");
    begin_encoder(&encoder);
    assert_int_equal(reported(&encoder, &power, 1000, energy), 5);
    snprintf(folder, sizeof folder, "%s/intel-rapl:0", root);
    write_file(folder, "energy_uj", "150\n"); /* the counter began again */
    snprintf(folder, sizeof folder, "%s/intel-rapl:0:1", root);
    write_file(folder, "energy_uj", "2750\n");
    assert_int_equal(reported(&encoder, &power, 1050, energy), 0); /* it is not time yet */
    assert_int_equal(reported(&encoder, &power, 1100, energy), 5);
    assert_int_equal(energy[0], 1000);
    assert_int_equal(energy[1], 0);
    assert_int_equal(energy[2], 750);
    td_power_close(&power);
    td_encoder_finish(&encoder);
    snprintf(folder, sizeof folder, "rm -r %s", root);
    assert_int_equal(system(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_become_items_with_place_and_time),
        cmocka_unit_test(a_vertical_blank_becomes_an_item_of_its_display),
        cmocka_unit_test(the_energy_of_each_domain_is_reported),
    };
    setenv("TRACY_NO_SYSTEM_TRACING", "0", 1); /* the tests' environment turns it off */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
