/* Memory that runs out at any allocation while tt-metal's files are imported: there is a trace, or one
 * error; nothing crashes or leaks. */
#include "host/agent/import/tt_import.h"
#include "host/trace/fill.h"
#include "host/trace/trace.h"
#include "tests/base/failing_memory.h"
#include "tests/tt/tt_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char report[] = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,HOST END TS,DEVICE "
                             "FW START CYCLE,DEVICE FW END CYCLE\n"
                             "\"Unti\"\"lize\",tt_dnn_device,1024,0,5000,6000,2170879416472,2170879425938\n"
                             "start,signpost,,,7000,,,\n"
                             "(torch) numel,python_fallback,3,,7000,8000,,\n";

static const char messages[] =
    "MessageName;total_ns\n"
    "`TT_DNN_DEVICE_OP: \"Untilize\", 5, 0, false, 1024 ->\n{}`;5000\nplain;6000\n";

struct file {
    const char *name;
    const void *bytes;
    size_t count;
};

static int import_file(struct td_tt_import *import, const struct file *file, struct td_err *err)
{
    bool cut;
    const enum td_tt_file_kind kind = td_tt_file_begins(file->bytes, file->count);
    assert_int_not_equal(kind, TD_TT_FILE_NONE);
    int bad = td_tt_import_begin_file(import, file->name, kind, err);
    for (size_t at = 0; at < file->count && !bad; at += 5000) /* so that rows and objects are carried over */
        bad = td_tt_import_feed(import, (const uint8_t *)file->bytes + at,
                                file->count - at < 5000 ? file->count - at : 5000, err);
    return bad ? bad : td_tt_import_end_file(import, &cut, err);
}

/* Returns whether all of it was imported. */
static bool import_all(const struct file *files, size_t count)
{
    struct td_err err = {0};
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = dict ? td_trace_create(dict) : NULL;
    struct td_hub *hub = trace ? td_hub_create(dict) : NULL;
    struct td_tt_import *import = hub ? td_tt_import_create(hub) : NULL;
    int bad = import ? td_hub_add_sink(hub, td_trace_sink(trace)) : TD_E_NOMEM;
    if (bad)
        td_fail_no_memory(&err, NULL);
    for (size_t i = 0; i < count && !bad; i++)
        bad = import_file(import, &files[i], &err);
    bad = bad ? bad : td_tt_import_close(import, &err);
    bad = bad ? bad : td_trace_finish(trace, &err);
    if (bad) {
        assert_int_equal(bad, TD_E_NOMEM);
        assert_int_equal(err.code, TD_E_NOMEM);
        assert_non_null(strstr(err.text, "memory"));
    }
    td_tt_import_destroy(import);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return !bad;
}

static void an_import_without_memory_is_one_error(void **state)
{
    (void)state;
    struct file files[] = {{"report.csv", report, sizeof report - 1},
                           {.name = "log.csv"},
                           {.name = "noc_trace_dev1_Op_ID7.json"},
                           {"data.csv", messages, sizeof messages - 1}};
    uint8_t *log = tt_file_read(tt_file_data("profile_log_device.wh_13col.csv"), &files[1].count);
    uint8_t *noc = tt_file_read(tt_file_data("noc_trace_json_1x2_BLOCK_TO_2x4_HEIGHT.json"), &files[2].count);
    files[1].bytes = log;
    files[2].bytes = noc;
    bool complete = false;
    unsigned failures = 0;
    for (long after = 0; !complete; after++) {
        memory_fails(after);
        const long before = memory_failures();
        const bool imported = import_all(files, 4);
        complete = imported && memory_failures() == before;
        failures += memory_failures() != before;
        memory_fails(-1);
    }
    assert_true(failures > 100);
    free(log);
    free(noc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_import_without_memory_is_one_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
