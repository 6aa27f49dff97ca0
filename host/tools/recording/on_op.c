#include "host/tools/recording/on_op.h"
#include "host/base/interrupt.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/report/report.h"
#include "host/base/json.h"
#include "host/tools/recording/source_options.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static double span_ns(const struct td_op_sum *op, const struct td_op_span *span)
{
    return td_op_ns(&op->clock, td_op_length(span->first_start, span->last_end));
}

static void print_json(FILE *to, const struct td_op_sum *op)
{
    struct td_json j = {.to = to, .one_line = 1};
    td_json_object(&j, NULL);
    td_json_uint(&j, "device", op->device);
    td_json_uint(&j, "id", op->run_id);
    td_json_string(&j, "name", op->name);
    if (op->trace != TD_OP_NO_TRACE) {
        td_json_uint(&j, "trace", op->trace);
        td_json_uint(&j, "replay", op->replay);
    }
    td_json_uint(&j, "cores", op->core_count);
    td_json_int(&j, "start_ns", (int64_t)td_op_ns(&op->clock, op->fw.first_start));
    td_json_double(&j, "fw_ns", span_ns(op, &op->fw));
    td_json_double(&j, "kernel_ns", span_ns(op, &op->kernel));
    td_json_double(&j, "core_min_ns", td_op_ns(&op->clock, op->per_core_min));
    td_json_double(&j, "core_max_ns", td_op_ns(&op->clock, op->per_core_max));
    td_json_double(&j, "wait_ns", td_op_ns(&op->clock, op->wait));
    if (op->latency != TD_OP_NO_TIME)
        td_json_double(&j, "latency_ns", td_op_ns(&op->clock, op->latency));
    if (op->gap != TD_OP_NO_TIME)
        td_json_double(&j, "gap_ns", td_op_ns(&op->clock, op->gap));
    td_json_double(&j, "shared_ns", td_op_ns(&op->clock, op->shared));
    if (op->doubt)
        td_json_string(&j, "implausible", td_op_doubt_text(op->doubt));
    td_json_uint(&j, "open", op->open);
    td_json_end_object(&j);
}

/* Prints an operation as a line; as an object of JSON on one line, if `json`. */
static void print_op(FILE *to, const struct td_op_sum *op, bool json)
{
    if (json) {
        print_json(to, op);
    } else {
        fprintf(to, "device %" PRIu32 " op %-8" PRIu32 " %3" PRIu32 " cores  kernel %12.0f ns  %s%s%s%s%s\n",
                op->device, op->run_id, op->core_count, span_ns(op, &op->kernel), TD_PLAIN(op->name),
                op->open ? "  (has no end)" : "", op->doubt ? "  (implausible: " : "",
                td_op_doubt_text(op->doubt), op->doubt ? ")" : "");
    }
    fflush(to);
}

/* ---- following ---- */

static int print_line(void *self, const struct td_op_sum *op, struct td_err *err)
{
    print_op(stdout, op, self != NULL);
    return ferror(stdout) ? td_fail_errno(err, "cannot print") : 0;
}

int on_op_print_all(const char *address, bool json, struct td_err *err)
{
    struct source_options sources = {.addresses = {.words = {address}, .count = 1}};
    struct td_recorder_options options = {.interrupted = td_interrupt_count()};
    struct td_recorder_result result;
    struct td_op_follow follow;
    struct td_trace *trace = NULL;
    int rc = source_options_parse(&sources, &options, err);
    if (rc < 0)
        return rc;
    td_interrupt_catch();
    td_op_follow_init(&follow, print_line, json ? &follow : NULL);
    td_recorder_on_op(&options, &follow);
    rc = td_recorder_run(&options, &trace, &result, err);
    if (rc >= 0)
        rc = td_op_follow_finish(&follow, err);
    td_op_follow_free(&follow);
    td_trace_destroy(trace);
    return rc;
}

/* ---- record --report ---- */

static int write_line(void *self, const struct td_op_sum *op, struct td_err *err)
{
    struct op_report *report = self;
    print_op(report->lines, op, true);
    return ferror(report->lines) ? td_fail_errno(err, "cannot write operations.jsonl") : 0;
}

int op_report_begin(struct op_report *report, struct td_recorder_options *options, struct td_err *err)
{
    char path[4200];
    if (!report->folder)
        return 0;
    if (strlen(report->folder) > 3500)
        return td_fail(err, TD_E_USAGE, "--report: the path is too long");
    int rc = td_folder_make(report->folder, err);
    snprintf(path, sizeof path, "%s/operations.jsonl", report->folder);
    report->lines = rc < 0 ? NULL : fopen(path, "we");
    if (!report->lines)
        return rc < 0 ? rc : td_fail_errno(err, "cannot write %s", path);
    td_op_follow_init(&report->follow, write_line, report);
    td_recorder_on_op(options, &report->follow);
    return 0;
}

int op_report_end(struct op_report *report, const struct td_trace *trace, bool quiet, struct td_err *err)
{
    char date[TD_REPORT_DATE];
    struct td_report_result result;
    if (!report->lines)
        return 0;
    const struct td_report_options options = {
        .out = report->folder, .date = date, .files = (1u << TD_REPORT_FILE_COUNT) - 1, .log_columns = 15};
    td_report_date(date, time(NULL));
    int rc = trace ? td_op_follow_finish(&report->follow, err) : 0;
    td_op_follow_free(&report->follow);
    if (!td_stream_close(report->lines) && rc == 0)
        rc = td_fail_errno(err, "cannot write operations.jsonl");
    report->lines = NULL;
    if (rc == 0 && trace)
        rc = td_report_trace(trace, &options, &result, err);
    if (rc == 0 && trace && !quiet)
        printf("report       %" PRIu64 " operations in %s\n", result.operations, TD_PLAIN(result.reports));
    return rc;
}
