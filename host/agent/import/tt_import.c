#include "host/agent/import/tt_import.h"
#include "host/agent/import/importer.h"
#include "host/agent/import/tt_device_log.h"
#include "host/agent/import/tt_noc_file.h"
#include "host/agent/import/tt_ops_data.h"
#include "host/base/grow.h"
#include "host/trace/trace.h"
#include "host/tt/device_log_read.h"
#include "host/tt/noc_trace_read.h"
#include "host/tt/ops_report_read.h"
#include "host/tt/sync_info_read.h"
#include "proto/chip_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HOST_NS_MAX 1e17 /* three years */

struct td_tt_import {
    struct td_hub *hub;
    struct td_tt_lanes *lanes;
    struct td_tt_import_counts counts;
    /* The file that is read: one of these. */
    struct td_tt_device_log *log;
    struct td_tt_noc_import *noc;
    struct td_tt_ops_import *ops;
    struct td_tt_ops_data *data;
    struct td_tt_sync_info *sync;
    /* Messages of programs and reports wait until the chips' clocks are known. */
    struct td_tt_ops_import **reports;
    size_t report_count, report_capacity;
    struct td_tt_ops_data **datas;
    size_t data_count, data_capacity;
    struct td_tt_sync_info *clocks; /* of sync_device_info.csv; NULL: none */
};

enum td_tt_file_kind td_tt_file_begins(const void *bytes, size_t count)
{
    if (td_tt_log_begins(bytes, count))
        return TD_TT_FILE_LOG;
    if (td_tt_report_begins(bytes, count))
        return TD_TT_FILE_REPORT;
    if (td_tt_ops_data_begins(bytes, count))
        return TD_TT_FILE_MESSAGES;
    if (td_tt_sync_begins(bytes, count))
        return TD_TT_FILE_CLOCKS;
    return td_tt_noc_begins(bytes, count) ? TD_TT_FILE_NOC : TD_TT_FILE_NONE;
}

/* By the clocks that the program measured: exact at the chip's first item. Its cycles are those of the log's
 * frequency, as in tt-metal's reports, so what the frequency differs from the measured one adds up later. */
static void relate_by_clocks(const struct td_tt_sync_info *clocks, struct td_tt_chip *chip)
{
    const int64_t cycle = chip->first_cycle == INT64_MAX ? 0 : chip->first_cycle;
    const double mhz = chip->mhz > 0 ? chip->mhz : 1000;
    double host_ns;
    if (chip->has_zero || !td_tt_sync_host_ns(clocks, chip->number, cycle, &host_ns) ||
        fabs(host_ns) > HOST_NS_MAX)
        return;
    chip->has_zero = chip->is_related = true;
    chip->zero_cycle = cycle - (int64_t)llround(host_ns * mhz / 1000);
}

static void relate_chip(void *self, struct td_tt_chip *chip)
{
    const struct td_tt_import *import = self;
    if (import->clocks)
        relate_by_clocks(import->clocks, chip);
    for (size_t i = 0; i < import->report_count; i++)
        td_tt_ops_import_relate(import->reports[i], chip);
    for (size_t i = 0; i < import->data_count; i++)
        td_tt_ops_data_relate(import->datas[i], import->lanes, chip);
}

struct td_tt_import *td_tt_import_create(struct td_hub *hub)
{
    struct td_tt_import *import = calloc(1, sizeof *import);
    if (!import)
        return NULL;
    import->hub = hub;
    import->lanes = td_tt_lanes_create(hub, TD_TT_WAITING_MAX);
    if (import->lanes) {
        td_tt_lanes_set_relate(import->lanes, relate_chip, import);
        return import;
    }
    free(import);
    return NULL;
}

void td_tt_import_destroy(struct td_tt_import *import)
{
    if (!import)
        return;
    td_tt_device_log_destroy(import->log);
    td_tt_noc_import_destroy(import->noc);
    td_tt_ops_import_destroy(import->ops);
    for (size_t i = 0; i < import->report_count; i++)
        td_tt_ops_import_destroy(import->reports[i]);
    free(import->reports);
    td_tt_ops_data_destroy(import->data);
    for (size_t i = 0; i < import->data_count; i++)
        td_tt_ops_data_destroy(import->datas[i]);
    free(import->datas);
    td_tt_sync_info_destroy(import->sync);
    td_tt_sync_info_destroy(import->clocks);
    td_tt_lanes_destroy(import->lanes);
    free(import);
}

int td_tt_import_begin_file(struct td_tt_import *import, const char *file, enum td_tt_file_kind kind,
                            struct td_err *err)
{
    struct td_dict *dict = td_hub_dict(import->hub);
    if (kind == TD_TT_FILE_LOG)
        import->log = td_tt_device_log_create(file, import->lanes, dict);
    else if (kind == TD_TT_FILE_NOC)
        import->noc = td_tt_noc_import_create(file, import->lanes, dict);
    else if (kind == TD_TT_FILE_MESSAGES)
        import->data = td_tt_ops_data_create(file, dict);
    else if (kind == TD_TT_FILE_CLOCKS)
        import->sync = td_tt_sync_info_create(file);
    else
        import->ops = td_tt_ops_import_create(file, import->hub, import->lanes);
    return import->log || import->noc || import->data || import->sync || import->ops
               ? 0
               : td_fail_no_memory(err, "to read tt-metal's files");
}

int td_tt_import_feed(struct td_tt_import *import, const uint8_t *bytes, size_t count, struct td_err *err)
{
    if (import->log)
        return td_tt_device_log_feed(import->log, bytes, count, err);
    if (import->noc)
        return td_tt_noc_import_feed(import->noc, bytes, count, err);
    if (import->data)
        return td_tt_ops_data_feed(import->data, bytes, count, err);
    if (import->sync)
        return td_tt_sync_info_feed(import->sync, bytes, count, err);
    return td_tt_ops_import_feed(import->ops, bytes, count, err);
}

static int end_log(struct td_tt_import *import, bool *cut, struct td_err *err)
{
    const int bad = td_tt_device_log_end_stream(import->log, cut, err);
    const struct td_tt_device_log_counts *counts = td_tt_device_log_get_counts(import->log);
    import->counts.rows += counts->rows;
    import->counts.noc_events += counts->noc_events;
    import->counts.odd += counts->odd;
    td_tt_device_log_destroy(import->log);
    import->log = NULL;
    return bad;
}

static int end_noc(struct td_tt_import *import, bool *cut, struct td_err *err)
{
    bool moved = false;
    const int bad = td_tt_noc_import_end_stream(import->noc, cut, &moved, err);
    import->counts.noc_events += td_tt_noc_import_events(import->noc);
    import->counts.moved += moved;
    td_tt_noc_import_destroy(import->noc);
    import->noc = NULL;
    return bad;
}

static int end_report(struct td_tt_import *import, bool *cut, struct td_err *err)
{
    const int bad = td_tt_ops_import_end_stream(import->ops, cut, err);
    const struct td_tt_ops_counts *counts = td_tt_ops_import_get_counts(import->ops);
    if (bad)
        return bad;
    if (td_grow(&import->reports, &import->report_capacity, import->report_count + 1,
                sizeof *import->reports))
        return td_fail_no_memory(err, "to read tt-metal's files");
    import->counts.ops.device += counts->device;
    import->counts.ops.host += counts->host;
    import->counts.ops.signposts += counts->signposts;
    import->reports[import->report_count++] = import->ops;
    import->ops = NULL;
    return 0;
}

static int end_data(struct td_tt_import *import, bool *cut, struct td_err *err)
{
    const int bad = td_tt_ops_data_end_stream(import->data, cut, err);
    if (bad)
        return bad;
    if (td_grow(&import->datas, &import->data_capacity, import->data_count + 1, sizeof *import->datas))
        return td_fail_no_memory(err, "to read tt-metal's files");
    import->counts.messages += td_tt_ops_data_messages(import->data);
    import->datas[import->data_count++] = import->data;
    import->data = NULL;
    return 0;
}

/* Of several such files, the last one counts. */
static int end_clocks(struct td_tt_import *import, bool *cut, struct td_err *err)
{
    const int bad = td_tt_sync_info_end_stream(import->sync, cut, err);
    td_tt_sync_info_destroy(import->clocks);
    import->clocks = import->sync;
    import->sync = NULL;
    import->counts.clocks = (uint32_t)td_tt_sync_info_devices(import->clocks);
    return bad;
}

int td_tt_import_end_file(struct td_tt_import *import, bool *cut, struct td_err *err)
{
    return import->log    ? end_log(import, cut, err)
           : import->noc  ? end_noc(import, cut, err)
           : import->data ? end_data(import, cut, err)
           : import->sync ? end_clocks(import, cut, err)
                          : end_report(import, cut, err);
}

static int note_chip(struct td_tt_import *import, const struct td_tt_chip *chip, struct td_err *err)
{
    char text[240];
    struct td_chip_clock clock = {
        .chip = chip->number,
        .mhz = chip->mhz > 0 ? chip->mhz : 1000,
        .worker_cores = chip->worker_cores,
        .zero_cycle = chip->zero_cycle,
    };
    snprintf(clock.arch, sizeof clock.arch, "%s", chip->arch);
    for (char *c = clock.arch; *c; c++)
        if (*c == ' ')
            *c = '_';
    int bytes = snprintf(text, sizeof text, TD_NOTE_CHIP_CLOCK ": ");
    bytes += td_chip_clock_text(text + bytes, sizeof text - (size_t)bytes, &clock);
    const struct td_event event = {.kind = TD_EVENT_APP_INFO,
                                   .subject = td_dict_string(td_hub_dict(import->hub), text, (size_t)bytes)};
    if (event.subject == UINT32_MAX)
        return td_fail_no_memory(err, "to read tt-metal's files");
    return td_hub_push(import->hub, &event, 1, err);
}

static int push_reports(struct td_tt_import *import, struct td_err *err)
{
    struct td_tt_op_tracks *tracks = td_tt_op_tracks_create(import->hub);
    int bad = tracks ? 0 : td_fail_no_memory(err, "for the operations of a report");
    for (size_t i = 0; i < import->report_count && !bad; i++)
        bad = td_tt_ops_import_push(import->reports[i], tracks, err);
    for (size_t i = 0; i < import->data_count && !bad; i++)
        bad = td_tt_ops_data_push(import->datas[i], tracks, td_tt_lanes_host_shift(import->lanes), err);
    bad = bad ? bad : td_tt_op_tracks_push(tracks, err);
    td_tt_op_tracks_destroy(tracks);
    return bad;
}

int td_tt_import_close(struct td_tt_import *import, struct td_err *err)
{
    int bad = td_tt_lanes_end_stream(import->lanes, err);
    if (!bad && (import->report_count || import->data_count))
        bad = push_reports(import, err);
    for (size_t i = 0; i < td_tt_lanes_chip_count(import->lanes) && !bad; i++)
        bad = note_chip(import, td_tt_lanes_chip_at(import->lanes, i), err);
    return bad;
}

struct td_tt_import_counts td_tt_import_get_counts(const struct td_tt_import *import)
{
    struct td_tt_import_counts counts = import->counts;
    counts.lanes = *td_tt_lanes_get_counts(import->lanes);
    return counts;
}

/* ---- as a format of `tendril import` */

static bool tt_file_begins(const uint8_t *bytes, size_t count)
{
    return td_tt_file_begins(bytes, count) != TD_TT_FILE_NONE;
}

static void *create_tt(struct td_hub *hub)
{
    return td_tt_import_create(hub);
}

static void destroy_tt(void *self)
{
    td_tt_import_destroy(self);
}

static int begin_tt_file(void *self, const char *file, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_tt_import_begin_file(self, file, td_tt_file_begins(bytes, count), err);
}

static int feed_tt(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_tt_import_feed(self, bytes, count, err);
}

static int end_tt_file(void *self, bool *cut, struct td_err *err)
{
    return td_tt_import_end_file(self, cut, err);
}

static int close_tt(void *self, struct td_err *err)
{
    return td_tt_import_close(self, err);
}

static void report_odd(const struct td_import_lines *to, uint64_t count, const char *one, const char *many)
{
    if (count)
        td_import_line(to, true, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

static void report_tt(void *self, const struct td_import_lines *to)
{
    const struct td_tt_import_counts counts = td_tt_import_get_counts(self);
    const struct td_tt_lane_counts *lanes = &counts.lanes;
    report_odd(to, lanes->open, "zone has no end in the file; it ends at the last time of its core",
               "zones have no end in the file; they end at the last times of their cores");
    report_odd(to, lanes->crossing,
               "zone ends after a zone around it has ended; one of them is on another line",
               "zones end after zones around them have ended; some are on other lines");
    report_odd(to, lanes->unmatched, "zone has an end, but no begin; it is left out",
               "zones have an end, but no begin; they are left out");
    report_odd(to, lanes->late, "row comes long after later ones of its core; its time was changed",
               "rows come long after later ones of their cores; their times were changed");
    report_odd(to, counts.odd, "row has a type that is not known; it is left out",
               "rows have a type that is not known; they are left out");
    report_odd(to, counts.moved, "NoC trace was moved after the times before; its times begin at 0",
               "NoC traces were moved after the times before; their times begin at 0");
    if (counts.clocks)
        td_import_line(to, false, "clocks       of %" PRIu32 " devices", counts.clocks);
    if (counts.rows)
        td_import_line(to, false, "rows         %" PRIu64 " of device logs", counts.rows);
    if (lanes->cores) {
        td_import_line(to, false, "cores        %" PRIu32 " on %" PRIu32 " chips", lanes->cores,
                       lanes->chips);
        td_import_line(to, false, "zones        %" PRIu64, lanes->zones);
        td_import_line(to, false,
                       "messages     %" PRIu64 ", of them %" PRIu64 " NoC events; %" PRIu64 " plot points",
                       lanes->messages, counts.noc_events, lanes->plot_points);
    }
    if (counts.messages)
        td_import_line(to, false, "host         %" PRIu64 " messages", counts.messages);
    if (counts.ops.device || counts.ops.host || counts.ops.signposts)
        td_import_line(to, false,
                       "operations   %" PRIu64 " on chips, %" PRIu64 " on the host, %" PRIu64 " signposts",
                       counts.ops.device, counts.ops.host, counts.ops.signposts);
}

const struct td_importer td_import_tt = {
    .name = "a file of tt-metal",
    .about = "It is of any year: a device log (profile_log_device.csv), a report of operations "
             "(ops_perf_results_*.csv, cpp_device_perf_report.csv), messages of a program "
             "(tracy_ops_data.csv) or a "
             "NoC trace (noc_trace_*.json). Several of these become one trace. FILE can be a folder that has "
             "them, or "
             "has them in its folder .logs.",
    .begins = tt_file_begins,
    .create = create_tt,
    .destroy = destroy_tt,
    .begin_file = begin_tt_file,
    .feed = feed_tt,
    .end_file = end_tt_file,
    .close = close_tt,
    .report = report_tt,
};
