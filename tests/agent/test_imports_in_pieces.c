/* Files of other formats, the seeds of the fuzz targets: what is kept does not depend on the pieces in which bytes come; a
 * file that breaks off anywhere is kept up to there; the format is found by its first bytes. */
#include "tests/agent/import_check.h"
#include "tests/tt/tt_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

struct import_case {
    const struct td_importer *importer;
    const char *seed; /* without its first byte */
    int64_t kept;
};
static const struct import_case cases[] = {
    {&td_import_folded, "fuzz_folded/stacks", 7},
    {&td_import_perf_script, "fuzz_perf_script/events", 6},
    {&td_import_speedscope, "fuzz_speedscope/profiles", 8},
    {&td_import_firefox, "fuzz_firefox/processed", 11},
    {&td_import_firefox, "fuzz_firefox/gecko", 10},
    {&td_import_perfetto, "fuzz_perfetto/events", 8},
    {&td_import_perfetto, "fuzz_perfetto/older", 6},
    {&td_import_perfetto, "fuzz_perfetto/kernel", 5},
    {&td_import_perfetto, "fuzz_perfetto/samples", 4},
    {&td_import_perfetto, "fuzz_perfetto/packed", 2},
    {&td_import_pprof, "fuzz_pprof/cpu", 11},
};
#define CASES (sizeof cases / sizeof *cases)

static uint8_t *read_seed(const struct import_case *of, size_t *count)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/tests/data/fuzz/%s", TD_SOURCE_DIR, of->seed);
    uint8_t *bytes = tt_file_read(path, count);
    assert_true(*count > 1);
    --*count;
    return bytes;
}

static void the_format_is_found_by_the_first_bytes(void **state)
{
    for (size_t i = 0; i < CASES; i++) {
        size_t count;
        uint8_t *bytes = read_seed(&cases[i], &count);
        assert_ptr_equal(td_importer_of(bytes + 1, count), cases[i].importer);
        free(bytes);
    }
}

static void the_same_is_kept_in_pieces_of_any_size(void **state)
{
    static const size_t pieces[] = {1, 2, 7, 100, 1000000};
    for (size_t i = 0; i < CASES; i++) {
        size_t count;
        uint8_t *bytes = read_seed(&cases[i], &count);
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++)
            assert_int_equal(import_check(cases[i].importer, bytes + 1, count, pieces[p]), cases[i].kept);
        free(bytes);
    }
}

static void what_breaks_off_is_no_more_than_the_whole(void **state)
{
    for (size_t i = 0; i < CASES; i++) {
        size_t count;
        uint8_t *bytes = read_seed(&cases[i], &count);
        const size_t step = 1 + count / 500;
        for (size_t n = 0; n < count; n += step)
            assert_true(import_check(cases[i].importer, bytes + 1, n, 64) <= cases[i].kept);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_format_is_found_by_the_first_bytes),
        cmocka_unit_test(the_same_is_kept_in_pieces_of_any_size),
        cmocka_unit_test(what_breaks_off_is_no_more_than_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
