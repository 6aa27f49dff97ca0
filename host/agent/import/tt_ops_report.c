#include "host/agent/import/tt_ops_report.h"
#include "host/agent/import/tt_device_log.h"
#include "host/agent/import/tt_op_message.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/tt/csv_reader.h"
#include "host/tt/device_log_read.h"
#include "host/tt/ops_report_read.h"
#include "proto/track.h"
#include "proto/tt/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NS  (INT64_MAX / 4)
#define DEVICES 2048u /* a track's id has no room for more */

/* A row. Times are -1 if the report has none. */
struct op_row {
    int64_t host_start, host_end;   /* ns */
    int64_t start_cycle, end_cycle; /* of the firmware on the chip */
    int64_t message_ns;
    uint32_t name, message, device_text, host_text; /* strings */
    uint32_t chip;
    double mhz;
    size_t order; /* in the file */
};

struct td_tt_ops_import {
    const char *file;
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_tt_lanes *lanes;
    struct td_tt_report_reader *reader;
    struct op_row *rows;
    size_t count, capacity;
    struct td_tt_ops_counts counts;
    uint32_t columns_message; /* string */
};

static const char purpose[] = "for the operations of a report"; /* of td_fail_no_memory() */

/* ---- rows */

static int take_head(void *self, const struct td_tt_report_head *head, struct td_err *err)
{
    struct td_tt_ops_import *ops = self;
    ops->columns_message = td_tt_columns_message(ops->dict, head);
    return ops->columns_message == UINT32_MAX ? td_fail_no_memory(err, purpose) : 0;
}

/* A time of a column of either kind of report; -1: it is empty or the report has no such column. */
static int read_time(const struct td_tt_ops_import *ops, const struct td_tt_report_row *row, int ops_column,
                     int perf_column, int64_t *time, struct td_err *err)
{
    const int column = row->head->kind == TD_TT_OPS_REPORT ? ops_column : perf_column;
    uint64_t value = 0;
    bool has = false;
    const int bad = column < 0 ? 0 : td_tt_report_u64(row, ops->file, column, &value, &has, err);
    if (!bad && value > MAX_NS)
        return td_csv_fail(err, ops->file, row->line, "%" PRIu64 " is too large for a time", value);
    *time = has ? (int64_t)value : -1;
    return bad;
}

/* The chip's clock: cycles of the firmware in the duration that the report has for them, in whole MHz. */
static int read_mhz(const struct td_tt_ops_import *ops, const struct td_tt_report_row *row, struct op_row *op,
                    struct td_err *err)
{
    int64_t duration = -1;
    const int bad = read_time(ops, row, TD_TT_OPS_FW_DURATION, TD_TT_PERF_FW_DURATION, &duration, err);
    if (!bad && duration > 1000 && op->end_cycle > op->start_cycle)
        op->mhz =
            (double)(int64_t)(1000 * (double)(op->end_cycle - op->start_cycle) / (double)duration + 0.5);
    return bad;
}

static int read_times(const struct td_tt_ops_import *ops, const struct td_tt_report_row *row,
                      struct op_row *op, struct td_err *err)
{
    int bad = read_time(ops, row, TD_TT_OPS_HOST_START, -1, &op->host_start, err);
    bad = bad ? bad : read_time(ops, row, TD_TT_OPS_HOST_END, -1, &op->host_end, err);
    bad = bad ? bad : read_time(ops, row, TD_TT_OPS_FW_START, TD_TT_PERF_FW_START, &op->start_cycle, err);
    bad = bad ? bad : read_time(ops, row, TD_TT_OPS_FW_END, TD_TT_PERF_FW_END, &op->end_cycle, err);
    if (bad)
        return bad;
    if ((op->host_end >= 0 && op->host_end < op->host_start) ||
        (op->end_cycle >= 0 && op->end_cycle < op->start_cycle))
        return td_csv_fail(err, ops->file, row->line, "the operation ends before it begins");
    return read_mhz(ops, row, op, err);
}

static int read_place(const struct td_tt_ops_import *ops, const struct td_tt_report_row *row,
                      struct td_tt_op_facts *facts, struct td_err *err)
{
    const bool is_ops = row->head->kind == TD_TT_OPS_REPORT;
    const int columns[] = {is_ops ? (int)TD_TT_OPS_DEVICE_ID : (int)TD_TT_PERF_DEVICE_ID,
                           is_ops ? (int)TD_TT_OPS_TRACE_ID : (int)TD_TT_PERF_TRACE_ID,
                           is_ops ? (int)TD_TT_OPS_REPLAY : (int)TD_TT_PERF_REPLAY};
    uint32_t *const to[] = {&facts->device, &facts->trace, &facts->replay};
    bool has;
    int bad =
        td_tt_report_u64(row, ops->file, is_ops ? (int)TD_TT_OPS_CALL_COUNT : (int)TD_TT_PERF_CALL_COUNT,
                         &facts->id, &has, err);
    for (unsigned i = 0; i < 3 && !bad; i++) {
        uint64_t value;
        bad = td_tt_report_u64(row, ops->file, columns[i], &value, &has, err);
        if (!bad && value >= (i ? UINT32_MAX : DEVICES))
            return td_csv_fail(err, ops->file, row->line, "%" PRIu64 " is too large for a device or trace",
                               value);
        *to[i] = has ? (uint32_t)value : i ? TD_TT_NO_TRACE : 0;
    }
    return bad;
}

/* What the row says of the chip itself. */
static int describe_chip(const struct td_tt_ops_import *ops, const struct td_tt_report_row *row,
                         uint32_t number, struct td_err *err)
{
    const bool is_ops = row->head->kind == TD_TT_OPS_REPORT;
    const struct td_tt_text arch =
        row->values[is_ops ? (int)TD_TT_OPS_DEVICE_ARCH : (int)TD_TT_PERF_DEVICE_ARCH];
    const struct td_tt_text cores =
        row->values[is_ops ? (int)TD_TT_OPS_WORKER_COUNT : (int)TD_TT_PERF_WORKER_COUNT];
    struct td_tt_chip *chip = td_tt_lanes_chip(ops->lanes, number);
    if (!chip)
        return td_fail_no_memory(err, purpose);
    if (!chip->arch[0])
        snprintf(chip->arch, sizeof chip->arch, "%.*s", (int)arch.bytes, arch.at);
    if (!chip->worker_cores && !td_tt_text_u32(cores, &chip->worker_cores))
        chip->worker_cores = 0;
    return 0;
}

static void count_row(struct td_tt_ops_import *ops, const struct td_tt_op_facts *facts)
{
    ops->counts.device += facts->kind == TD_TT_MESSAGE_DEVICE_OP;
    ops->counts.host += facts->kind == TD_TT_MESSAGE_FALL_BACK_OP;
    ops->counts.signposts += facts->kind == TD_TT_MESSAGE_SIGNPOST;
}

static int take_row(void *self, const struct td_tt_report_row *row, struct td_err *err)
{
    struct td_tt_ops_import *ops = self;
    struct op_row op = {.message_ns = -1};
    struct td_tt_op_facts facts = {.row = row};
    char id[100];
    int bad = read_times(ops, row, &op, err);
    bad = bad ? bad : read_place(ops, row, &facts, err);
    if (bad)
        return bad;
    facts.name =
        row->values[row->head->kind == TD_TT_OPS_REPORT ? (int)TD_TT_OPS_OP_CODE : (int)TD_TT_PERF_OP_NAME];
    facts.kind = row->head->kind == TD_TT_PERF_REPORT || op.start_cycle >= 0 ? TD_TT_MESSAGE_DEVICE_OP
                 : td_tt_text_is(row->values[TD_TT_OPS_OP_TYPE], TD_TT_OP_TYPE_SIGNPOST)
                     ? TD_TT_MESSAGE_SIGNPOST
                     : TD_TT_MESSAGE_FALL_BACK_OP;
    count_row(ops, &facts);
    bad = op.start_cycle >= 0 ? describe_chip(ops, row, facts.device, err) : 0;
    if (bad)
        return bad;
    op.chip = facts.device;
    op.name = td_dict_string(ops->dict, facts.name.at, facts.name.bytes);
    op.message = td_tt_op_message(ops->dict, &facts);
    snprintf(id, sizeof id, TD_TT_OP_ZONE_FORMAT "%s", (unsigned)facts.id,
             facts.kind == TD_TT_MESSAGE_DEVICE_OP ? "\n" : "");
    if (facts.kind == TD_TT_MESSAGE_DEVICE_OP)
        snprintf(id + strlen(id), sizeof id - strlen(id), TD_FLOW_TEXT_FORMAT, "out", TD_FLOW_LAUNCH,
                 (unsigned long)facts.id);
    op.host_text = td_dict_cstring(ops->dict, id);
    op.device_text =
        td_tt_launch_text(ops->dict, (uint32_t)facts.id, facts.trace, facts.replay, TD_TT_TEXT_NONE);
    if (op.name == UINT32_MAX || op.message == UINT32_MAX || op.host_text == UINT32_MAX ||
        op.device_text == UINT32_MAX ||
        td_grow(&ops->rows, &ops->capacity, ops->count + 1, sizeof *ops->rows))
        return td_fail_no_memory(err, purpose);
    op.order = ops->count;
    ops->rows[ops->count++] = op;
    return 0;
}

/* ---- clocks */

/* The clock of the operation with the longest firmware time, whose quotient is the most exact. */
static double mhz_of(const struct td_tt_ops_import *ops, uint32_t chip)
{
    int64_t longest = -1;
    double mhz = 0;
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_row *op = &ops->rows[i];
        if (op->chip != chip || op->mhz <= 0 || op->end_cycle - op->start_cycle <= longest)
            continue;
        longest = op->end_cycle - op->start_cycle;
        mhz = op->mhz;
    }
    return mhz;
}

void td_tt_ops_import_relate(const struct td_tt_ops_import *ops, struct td_tt_chip *chip)
{
    int64_t zero = INT64_MAX;
    bool is_related = false;
    if (chip->has_zero)
        return;
    if (chip->mhz <= 0)
        chip->mhz = mhz_of(ops, chip->number);
    const double mhz = chip->mhz > 0 ? chip->mhz : 1000;
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_row *op = &ops->rows[i];
        const bool has_host = op->host_start >= 0;
        if (op->start_cycle < 0 || op->chip != chip->number || (is_related && !has_host))
            continue;
        const int64_t since = has_host ? (int64_t)((double)op->host_start * mhz / 1000) : 0;
        if (op->start_cycle - since < zero || (has_host && !is_related))
            zero = op->start_cycle - since;
        is_related |= has_host;
    }
    if (zero == INT64_MAX)
        return;
    chip->has_zero = true;
    chip->is_related = is_related;
    chip->zero_cycle = zero;
}

int td_tt_ops_import_end_stream(struct td_tt_ops_import *ops, bool *cut, struct td_err *err)
{
    return td_tt_report_reader_end_stream(ops->reader, cut, err);
}

/* ---- events */

TD_COMPARE(compare_times, struct op_row, TD_UP(message_ns) TD_UP(order))

static const struct td_tt_chip *chip_of(const struct td_tt_ops_import *ops, uint32_t number)
{
    for (size_t i = 0; i < td_tt_lanes_chip_count(ops->lanes); i++)
        if (td_tt_lanes_chip_at(ops->lanes, i)->number == number)
            return td_tt_lanes_chip_at(ops->lanes, i);
    return NULL;
}

static int64_t host_ns(const struct td_tt_ops_import *ops, int64_t time_ns)
{
    return time_ns + td_tt_lanes_host_shift(ops->lanes);
}

/* The message of a row is at the operation's begin on the host, else on the chip. */
static void set_message_times(struct td_tt_ops_import *ops)
{
    for (size_t i = 0; i < ops->count; i++) {
        struct op_row *op = &ops->rows[i];
        const struct td_tt_chip *chip = op->start_cycle >= 0 ? chip_of(ops, op->chip) : NULL;
        op->message_ns = op->host_start >= 0 ? host_ns(ops, op->host_start)
                         : chip              ? td_tt_chip_ns(chip, op->start_cycle)
                                             : 0;
    }
}

static int add_zones(struct td_tt_ops_import *ops, struct td_tt_op_tracks *tracks, const struct op_row *op,
                     struct td_err *err)
{
    const struct td_tt_chip *chip = op->start_cycle >= 0 ? chip_of(ops, op->chip) : NULL;
    struct td_tt_op_zone zone = {.name = op->name};
    int bad = 0;
    if (op->host_start >= 0 && op->host_end >= 0) {
        zone.start_ns = host_ns(ops, op->host_start);
        zone.end_ns = host_ns(ops, op->host_end);
        zone.text = op->host_text;
        zone.chip = TD_TT_OP_HOST;
        bad = td_tt_op_tracks_add(tracks, &zone, err);
    }
    if (bad || !chip || op->end_cycle < 0)
        return bad;
    zone.start_ns = td_tt_chip_ns(chip, op->start_cycle);
    zone.end_ns = td_tt_chip_ns(chip, op->end_cycle);
    zone.text = op->device_text;
    zone.chip = op->chip;
    return td_tt_op_tracks_add(tracks, &zone, err);
}

int td_tt_ops_import_push(struct td_tt_ops_import *ops, struct td_tt_op_tracks *tracks, struct td_err *err)
{
    if (!ops->count)
        return 0;
    set_message_times(ops);
    qsort(ops->rows, ops->count, sizeof *ops->rows, compare_times);
    int bad = td_tt_op_tracks_message(tracks, ops->rows[0].message_ns, ops->columns_message, err);
    for (size_t i = 0; i < ops->count && !bad; i++) {
        bad = td_tt_op_tracks_message(tracks, ops->rows[i].message_ns, ops->rows[i].message, err);
        bad = bad ? bad : add_zones(ops, tracks, &ops->rows[i], err);
    }
    return bad;
}

/* ---- the interface */

struct td_tt_ops_import *td_tt_ops_import_create(const char *file, struct td_hub *hub,
                                                 struct td_tt_lanes *lanes)
{
    struct td_tt_ops_import *ops = calloc(1, sizeof *ops);
    if (!ops)
        return NULL;
    *ops = (struct td_tt_ops_import){.file = file, .hub = hub, .dict = td_hub_dict(hub), .lanes = lanes};
    ops->reader = td_tt_report_reader_create(file, &(struct td_tt_report_sink){take_head, take_row, ops});
    if (ops->reader)
        return ops;
    free(ops);
    return NULL;
}

void td_tt_ops_import_destroy(struct td_tt_ops_import *ops)
{
    if (!ops)
        return;
    td_tt_report_reader_destroy(ops->reader);
    free(ops->rows);
    free(ops);
}

int td_tt_ops_import_feed(struct td_tt_ops_import *ops, const void *bytes, size_t count, struct td_err *err)
{
    return td_tt_report_reader_feed(ops->reader, bytes, count, err);
}

const struct td_tt_ops_counts *td_tt_ops_import_get_counts(const struct td_tt_ops_import *ops)
{
    return &ops->counts;
}
