/* A report of a trace. */
#include "host/base/grow.h"
#include "host/report/log_csv.h"
#include "host/report/report_internal.h"
#include "host/report/trace_source.h"

#include <stdlib.h>

struct trace_report {
    struct report report; /* first: callbacks get its address */
    const struct td_trace *trace;
    struct td_log_csv *log;
    uint32_t *cores;
    size_t core_count, core_room;
};

static struct td_op_clock clock_of(void *self, uint32_t device)
{
    return td_trace_source_clock(((struct trace_report *)self)->trace, device);
}

static struct td_chip_clock chip_of(void *self, uint32_t device)
{
    return td_trace_source_chip(((struct trace_report *)self)->trace, device);
}

static int find_cores(struct trace_report *t)
{
    const struct td_dict *dict = td_trace_dict(t->trace);
    struct td_core_place place;
    for (uint32_t track = 0; track < td_dict_track_count(dict); track++) {
        if (!td_core_place_of(dict, track, &place))
            continue;
        if (td_grow(&t->cores, &t->core_room, t->core_count + 1, sizeof *t->cores) < 0)
            return TD_E_NOMEM;
        t->cores[t->core_count++] = (uint32_t)place.x << 16 | place.y;
    }
    t->report.cores = t->cores;
    t->report.core_count = t->core_count;
    return 0;
}

static int open_log(struct trace_report *t, struct td_err *err)
{
    struct report *r = &t->report;
    int rc = td_report_open_(r, TD_REPORT_LOG, err);
    rc = rc ? rc : td_report_open_(r, TD_REPORT_ZONES, err);
    if (rc < 0 || (!r->stream[TD_REPORT_LOG].to && !r->stream[TD_REPORT_ZONES].to))
        return rc;
    FILE *to = r->stream[TD_REPORT_LOG].to;
    t->log = td_log_csv_create(to, t->trace,
                               r->options->log_columns == 13 ? TD_TT_LOG_ERA_2025A : TD_TT_LOG_ERA_2025C);
    return t->log ? 0 : td_fail_no_memory(err, "for the report");
}

static int read_trace(struct trace_report *t, struct td_err *err)
{
    struct report *r = &t->report;
    struct td_core_marks marks = {0};
    for (size_t i = 0; i < r->options->call_count; i++)
        if (td_host_ops_add_call_name(&r->host, td_tt_text_of(r->options->calls[i])) < 0)
            return td_fail_no_memory(err, "for the report");
    if (find_cores(t) < 0)
        return td_fail_no_memory(err, "for the report");
    int rc = td_host_ops_read_trace(&r->host, t->trace, err);
    rc = rc ? rc : open_log(t, err);
    if (rc == 0 && t->log)
        marks = td_log_csv_marks(t->log);
    rc = rc ? rc : td_trace_source_read(t->trace, r->sums, t->log ? &marks : NULL, &r->result->zones, err);
    if (rc == 0 && t->log)
        r->result->log_rows = td_log_csv_rows(t->log);
    if (rc == 0 && r->stream[TD_REPORT_ZONES].to)
        rc = td_log_csv_zone_sources(t->log, r->stream[TD_REPORT_ZONES].to);
    return rc ? rc : td_report_write_(r, err);
}

int td_report_trace(const struct td_trace *trace, const struct td_report_options *options,
                    struct td_report_result *result, struct td_err *err)
{
    struct trace_report t = {.report = {.options = options, .result = result}, .trace = trace};
    *result = (struct td_report_result){0};
    int rc = td_report_begin_(&t.report, clock_of, chip_of, err);
    rc = rc ? rc : read_trace(&t, err);
    td_log_csv_destroy(t.log);
    rc = td_report_end_(&t.report, rc, err);
    free(t.cores);
    return rc;
}
