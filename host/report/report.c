#include "host/report/ops/op_label.h"
#include "host/report/tt/ops_csv.h"
#include "host/report/report_internal.h"
#include "proto/tt/device_log.h"

#include <inttypes.h>

static void count_op(struct td_report_result *result, const struct td_op_sum *op)
{
    result->operations++;
    result->open += op->open != 0;
    result->overlaps += !op->doubt && op->shared > 0;
    if (op->doubt && !result->doubted++)
        snprintf(result->first_doubted, sizeof result->first_doubted,
                 "op %" PRIu32 " on device %" PRIu32 ": %s", op->run_id, op->device,
                 td_op_doubt_text(op->doubt));
}

static int give_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct report_work *r = self;
    count_op(r->result, op);
    if (r->on_op)
        r->on_op(r, op);
    if (td_report_wants_(r, TD_REPORT_OP_TO_OP) && !r->latency) {
        int rc = td_report_open_(r, TD_REPORT_OP_TO_OP, err);
        if (rc < 0)
            return rc;
        r->latency = td_core_latency_create(r->stream[TD_REPORT_OP_TO_OP].to, r->cores, r->core_count);
        if (!r->latency)
            return td_fail_no_memory(err, "for the report");
    }
    if ((r->latency && td_core_latency_add(r->latency, op) < 0) || td_report_rows_add(&r->rows, op) < 0)
        return td_fail_no_memory(err, "for the report");
    if (!r->options->take)
        return 0;
    char label[512];
    op->name = td_op_label(&r->host, op, label, sizeof label);
    return r->options->take(r->options->self, op, err);
}

int td_report_begin_(struct report_work *r, struct td_op_clock (*clock)(void *self, uint32_t device),
                     struct td_chip_clock (*chip)(void *self, uint32_t device), struct td_err *err)
{
    const struct td_op_sums_options sums = {.self = r, .give = give_op, .clock = clock};
    r->rows = (struct td_report_rows){.host = &r->host, .chip = chip, .self = r};
    r->sums = td_op_sums_create(&sums);
    if (!r->sums)
        return td_fail_no_memory(err, "for the report");
    return td_report_folders_make(r->options, r->result, err);
}

int td_report_open_(struct report_work *r, enum td_report_file file, struct td_err *err)
{
    char path[TD_REPORT_PATH];
    if (!td_report_wants_(r, file))
        return 0;
    td_report_path(path, r->options, r->result, file);
    return td_report_stream_open(&r->stream[file], path, err);
}

/* A line for each device: its frequency in cycles a ns and, if it is known, its cycle at the host's time 0. */
static void write_sync(FILE *to, const struct td_report_rows *rows)
{
    static const char *const columns[] = {
#define TD_X(name, column) column,
        TD_TT_SYNC_COLUMNS(TD_X)
#undef TD_X
    };
    for (unsigned i = 0; i < TD_TT_SYNC_COLUMN_COUNT; i++)
        fprintf(to, "%s%s", i ? "," : "", columns[i]);
    fputc('\n', to);
    for (uint32_t device = 0; device < 1024; device++) {
        const struct td_chip_clock chip = rows->chip(rows->self, device);
        if (!(chip.mhz > 0))
            continue;
        const uint64_t millionths = (uint64_t)(chip.mhz * 1000 + 0.5);
        fprintf(to, "%" PRIu32 ",", device);
        if (chip.zero_cycle)
            fprintf(to, "0,0,%" PRId64 ",0,0.00,0,0,%" PRId64 ".00,", chip.zero_cycle, chip.zero_cycle);
        else
            fputs(",,,,,,,,", to);
        fprintf(to, "%" PRIu64 ".%06" PRIu64 ",%s,1.0,0\n", millionths / 1000000, millionths % 1000000,
                chip.zero_cycle ? "1.0,0" : ",");
    }
}

int td_report_write_(struct report_work *r, struct td_err *err)
{
    r->result->host_operations = r->host.count;
    r->result->signposts = r->host.signpost_count;
    r->result->cut = r->host.cut;
    r->result->unmatched = r->rows.unmatched;
    int rc = td_report_rows_finish(&r->rows) < 0 ? td_fail_no_memory(err, "for the report") : 0;
    rc = rc ? rc : td_report_open_(r, TD_REPORT_OPS, err);
    if (rc == 0 && r->stream[TD_REPORT_OPS].to && td_ops_csv_write(r->stream[TD_REPORT_OPS].to, &r->rows) < 0)
        rc = td_fail_no_memory(err, "for the report");
    rc = rc ? rc : td_report_open_(r, TD_REPORT_PERF, err);
    if (rc == 0 && r->stream[TD_REPORT_PERF].to &&
        td_perf_csv_write(r->stream[TD_REPORT_PERF].to, &r->rows) < 0)
        rc = td_fail_no_memory(err, "for the report");
    rc = rc ? rc : td_report_open_(r, TD_REPORT_SYNC, err);
    if (rc == 0 && r->stream[TD_REPORT_SYNC].to)
        write_sync(r->stream[TD_REPORT_SYNC].to, &r->rows);
    return rc;
}

int td_report_end_(struct report_work *r, int rc, struct td_err *err)
{
    for (int file = 0; file < TD_REPORT_FILE_COUNT; file++) {
        const bool was_open = r->stream[file].to != NULL;
        const int closed = td_report_stream_close(&r->stream[file], rc == 0, err);
        rc = rc ? rc : closed;
        if (rc == 0 && was_open)
            r->result->written |= 1u << file;
    }
    td_core_latency_destroy(r->latency);
    td_op_sums_destroy(r->sums);
    td_report_rows_free(&r->rows);
    td_host_ops_free(&r->host);
    return rc;
}
