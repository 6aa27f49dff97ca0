/* Memory that runs out at any allocation while traces of other programs are imported: there is a trace, or one error;
 * nothing crashes or leaks. */
#include "host/agent/import/importer.h"
#include "host/trace/trace.h"
#include "tests/base/failing_memory.h"
#include "tests/tt/tt_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int import_bytes(struct td_hub *hub, const struct td_importer *importer, const uint8_t *bytes,
                        size_t count, struct td_err *err)
{
    void *reader = importer->create(hub);
    bool cut;
    int bad = reader ? importer->feed(reader, bytes, count, err) : td_fail_no_memory(err, NULL);
    bad = bad ? bad : importer->end_file(reader, &cut, err);
    importer->destroy(reader);
    return bad;
}

/* Returns whether all of it was imported. */
static bool import_all(const struct td_importer *importer, const uint8_t *bytes, size_t count)
{
    struct td_err err = {0};
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = dict ? td_trace_create(dict) : NULL;
    struct td_hub *hub = trace ? td_hub_create(dict) : NULL;
    int bad = hub ? td_hub_add_sink(hub, td_trace_sink(trace)) : TD_E_NOMEM;
    if (bad)
        td_fail_no_memory(&err, NULL);
    else
        bad = import_bytes(hub, importer, bytes, count, &err);
    bad = bad ? bad : td_trace_finish(trace, &err);
    if (bad) {
        assert_int_equal(bad, TD_E_NOMEM);
        assert_int_equal(err.code, TD_E_NOMEM);
        assert_non_null(strstr(err.text, "memory"));
    }
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return !bad;
}

/* The seeds of the fuzz targets, after their first byte. */
static void an_import_without_memory_is_one_error(void **state)
{
    (void)state;
    static const char *const seeds[] = {
        "fuzz_chrome_trace/damaged",  "fuzz_chrome_trace/operations", "fuzz_chrome_trace/flows",
        "fuzz_fuchsia_trace/records", "fuzz_fuchsia_trace/providers", "fuzz_folded/stacks",
        "fuzz_perf_script/events",    "fuzz_speedscope/profiles",     "fuzz_firefox/processed",
        "fuzz_firefox/gecko",         "fuzz_perfetto/events",         "fuzz_perfetto/older",
        "fuzz_perfetto/kernel",       "fuzz_perfetto/samples",        "fuzz_pprof/cpu"};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char path[1000];
        size_t count;
        snprintf(path, sizeof path, "%s/tests/data/fuzz/%s", TD_SOURCE_DIR, seeds[i]);
        uint8_t *bytes = tt_file_read(path, &count);
        const struct td_importer *importer = td_importer_of(bytes + 1, count - 1);
        assert_non_null(importer);
        unsigned failures = 0;
        bool complete = false;
        for (long after = 0; !complete; after++) {
            memory_fails(after);
            const long before = memory_failures();
            const bool imported = import_all(importer, bytes + 1, count - 1);
            complete = imported && memory_failures() == before;
            failures += memory_failures() != before;
            memory_fails(-1);
        }
        assert_true(failures > 20);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_import_without_memory_is_one_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
