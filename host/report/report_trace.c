/* A report of a trace. */
#include "host/base/grow.h"
#include "host/report/tt/log_csv.h"
#include "host/report/noc/noc_json.h"
#include "host/report/noc/op_measures.h"
#include "host/report/report_internal.h"
#include "host/report/ops/trace_source.h"

#include <stdlib.h>

struct trace_report {
    struct report_work report; /* first: callbacks get its address */
    const struct td_trace *trace;
    struct td_log_csv *log;          /* NULL: not wanted */
    struct td_noc_json *noc;         /* NULL: not wanted */
    struct td_op_measures *measures; /* NULL: not wanted */
    struct td_core_marks takers[3];  /* what takes zones and messages */
    size_t taker_count;
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

static void log_op(struct report_work *r, const struct td_op_sum *op)
{
    struct td_log_csv *log = ((struct trace_report *)r)->log;
    if (log && op->run_id)
        td_log_csv_op(log, op);
}

static int find_cores(struct trace_report *t)
{
    const struct td_dict *dict = td_trace_dict(t->trace);
    struct td_core_place place;
    for (uint32_t track = 0; track < td_dict_track_count(dict); track++) {
        if (!td_core_place_of(dict, track, &place))
            continue;
        if (TD_APPEND(t->cores, t->core_count, t->core_room, (uint32_t)place.x << 16 | place.y) < 0)
            return TD_E_NOMEM;
    }
    t->report.cores = t->cores;
    t->report.core_count = t->core_count;
    return 0;
}

static int open_log(struct trace_report *t, struct td_err *err)
{
    struct report_work *r = &t->report;
    int rc = td_report_open_(r, TD_REPORT_LOG, err);
    rc = rc ? rc : td_report_open_(r, TD_REPORT_ZONES, err);
    if (rc < 0 || (!r->stream[TD_REPORT_LOG].to && !r->stream[TD_REPORT_ZONES].to))
        return rc;
    FILE *to = r->stream[TD_REPORT_LOG].to;
    t->log = td_log_csv_create(to, t->trace,
                               r->options->log_columns == 13 ? TD_TT_LOG_ERA_2025A : TD_TT_LOG_ERA_2025C);
    return t->log ? 0 : td_fail_no_memory(err, "for the report");
}

/* All takers get what is in the launches. */
static int on_zone(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                   const struct td_zone *zone, bool ends, struct td_err *err)
{
    struct trace_report *t = self;
    int rc = 0;
    for (size_t i = 0; i < t->taker_count && rc == 0; i++)
        rc = t->takers[i].zone(t->takers[i].self, place, launch, zone, ends, err);
    return rc;
}

static int on_message(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                      const struct td_message *message, struct td_err *err)
{
    struct trace_report *t = self;
    int rc = 0;
    for (size_t i = 0; i < t->taker_count && rc == 0; i++)
        rc = t->takers[i].message(t->takers[i].self, place, launch, message, err);
    return rc;
}

static int on_end(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                  struct td_err *err)
{
    struct trace_report *t = self;
    int rc = 0;
    for (size_t i = 0; i < t->taker_count && rc == 0; i++)
        rc = t->takers[i].end ? t->takers[i].end(t->takers[i].self, place, launch, err) : 0;
    return rc;
}

static int open_noc(struct trace_report *t, struct td_err *err)
{
    if (!td_report_wants_(&t->report, TD_REPORT_NOC))
        return 0;
    t->noc = td_noc_json_create(t->report.result->logs, t->trace, &t->report.host);
    return t->noc ? 0 : td_fail_no_memory(err, "for the report");
}

static int open_measures(struct trace_report *t, struct td_err *err)
{
    if (!td_report_wants_(&t->report, TD_REPORT_OPS))
        return 0;
    t->measures = td_op_measures_create(t->trace);
    t->report.rows.measures = t->measures;
    return t->measures ? 0 : td_fail_no_memory(err, "for the report");
}

static void list_takers(struct trace_report *t)
{
    if (t->log)
        t->takers[t->taker_count++] = td_log_csv_marks(t->log);
    if (t->noc)
        t->takers[t->taker_count++] = td_noc_json_marks(t->noc);
    if (t->measures)
        t->takers[t->taker_count++] = td_op_measures_marks(t->measures);
}

static int read_trace(struct trace_report *t, struct td_err *err)
{
    struct report_work *r = &t->report;
    const struct td_core_marks marks = {t, on_zone, on_message, on_end};
    for (size_t i = 0; i < r->options->call_count; i++)
        if (td_host_ops_add_call_name(&r->host, td_tt_text_of(r->options->calls[i])) < 0)
            return td_fail_no_memory(err, "for the report");
    if (find_cores(t) < 0)
        return td_fail_no_memory(err, "for the report");
    int rc = td_host_ops_read_trace(&r->host, t->trace, err);
    rc = rc ? rc : open_log(t, err);
    rc = rc ? rc : open_noc(t, err);
    rc = rc ? rc : open_measures(t, err);
    list_takers(t);
    if (rc == 0)
        rc = td_trace_source_read(t->trace, r->sums, t->taker_count ? &marks : NULL, &r->result->zones, err);
    if (rc == 0 && t->log)
        r->result->log_rows = td_log_csv_rows(t->log);
    if (rc == 0 && r->stream[TD_REPORT_ZONES].to)
        rc = td_log_csv_zone_sources(t->log, r->stream[TD_REPORT_ZONES].to);
    if (rc == 0 && t->noc)
        rc = td_noc_json_finish(t->noc, &r->result->noc_traces, err);
    if (r->result->noc_traces)
        r->result->written |= TD_REPORT_BIT(NOC);
    return rc ? rc : td_report_write_(r, err);
}

int td_report_trace(const struct td_trace *trace, const struct td_report_options *options,
                    struct td_report_result *result, struct td_err *err)
{
    struct trace_report t = {.report = {.options = options, .result = result, .on_op = log_op},
                             .trace = trace};
    *result = (struct td_report_result){0};
    int rc = td_report_begin_(&t.report, clock_of, chip_of, err);
    rc = rc ? rc : read_trace(&t, err);
    td_log_csv_destroy(t.log);
    td_noc_json_destroy(t.noc);
    rc = td_report_end_(&t.report, rc, err);
    td_op_measures_destroy(t.measures);
    free(t.cores);
    return rc;
}
