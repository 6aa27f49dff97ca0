#include "host/agent/import/tt_device_log.h"
#include "host/agent/board/tt_zone_names.h"
#include "host/tt/csv_reader.h"
#include "host/tt/device_log_read.h"
#include "host/tt/json_list.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TEXT   UINT32_MAX
#define TIMER_IDS 65536u
#define NO_CHIP   UINT32_MAX
#define META_MAX  4096 /* bytes of meta data that are kept */

struct td_tt_device_log {
    const char *file;
    struct td_tt_lanes *lanes;
    struct td_dict *dict;
    struct td_tt_log_reader *reader;
    struct td_tt_log_head head;
    struct td_tt_device_log_counts counts;
    enum td_tt_noc_layout noc_layout;
    uint32_t chip;               /* of the last row */
    uint32_t srclocs[TIMER_IDS]; /* 1 + the location last seen with that id; 0: none */
    struct {
        uint32_t run_host_id, trace, replay, text;
    } launch; /* the last one, with its text */
};

/* ---- texts and locations */

uint32_t td_tt_launch_text(struct td_dict *dict, uint32_t run_host_id, uint32_t trace, uint32_t replay,
                           struct td_tt_text name)
{
    char text[300];
    int bytes = 0;
    if (run_host_id) {
        bytes = td_op_text(text, sizeof text, run_host_id);
        text[bytes++] = '\n';
        bytes += snprintf(text + bytes, sizeof text - (size_t)bytes, TD_FLOW_TEXT_FORMAT, "in",
                          TD_FLOW_LAUNCH, (unsigned long)run_host_id);
    }
    if (bytes && trace != TD_TT_NO_TRACE && replay != TD_TT_NO_TRACE) {
        text[bytes++] = '\n';
        bytes += td_replay_text(text + bytes, sizeof text - (size_t)bytes, trace, replay);
    }
    if (name.bytes)
        bytes += snprintf(text + bytes, sizeof text - (size_t)bytes, "%s" TD_OP_NAME_TEXT_PREFIX "%.*s",
                          bytes ? "\n" : "", (int)(name.bytes < 200 ? name.bytes : 200), name.at);
    return bytes ? td_dict_string(dict, text, (size_t)bytes) : 0;
}

static bool equals_string(const struct td_dict *dict, uint32_t string, struct td_tt_text text)
{
    return td_dict_text_bytes(dict, string) == text.bytes &&
           !memcmp(td_dict_text(dict, string), text.at, text.bytes);
}

/* The location of a row's zone. One timer id has one location, except after a collision of hashes. */
static uint32_t srcloc_of(struct td_tt_device_log *log, const struct td_tt_log_row *row)
{
    char number[32];
    struct td_tt_text name = row->zone;
    uint32_t *known = &log->srclocs[row->timer_id % TIMER_IDS];
    if (!name.bytes) {
        snprintf(number, sizeof number, "timer %" PRIu32, row->timer_id);
        name = td_tt_text_of(number);
    }
    if (*known) {
        const struct td_srcloc *srcloc = td_dict_get_srcloc(log->dict, *known - 1);
        if (srcloc->line == row->source_line && equals_string(log->dict, srcloc->name, name) &&
            equals_string(log->dict, srcloc->file, row->file))
            return *known - 1;
    }
    const uint32_t srcloc = td_tt_zone_srcloc(
        log->dict, &(struct td_tt_zone_source){.name = name, .file = row->file, .line = row->source_line});
    *known = srcloc + 1;
    return srcloc;
}

static uint32_t launch_text(struct td_tt_device_log *log, const struct td_tt_log_row *row)
{
    if (row->run_host_id == log->launch.run_host_id && row->trace_id == log->launch.trace &&
        row->trace_count == log->launch.replay)
        return log->launch.text;
    log->launch.run_host_id = row->run_host_id;
    log->launch.trace = row->trace_id;
    log->launch.replay = row->trace_count;
    log->launch.text =
        td_tt_launch_text(log->dict, row->run_host_id, row->trace_id, row->trace_count, TD_TT_TEXT_NONE);
    return log->launch.text;
}

/* The meta data as JSON again: with commas for semicolons. Returns its length. */
static size_t meta_json(const struct td_tt_log_row *row, char *json)
{
    const size_t bytes = row->meta.bytes < META_MAX ? row->meta.bytes : META_MAX - 1;
    for (size_t i = 0; i < bytes; i++)
        json[i] = row->meta.at[i] == ';' ? ',' : row->meta.at[i];
    json[bytes] = 0;
    return bytes;
}

/* ---- items */

static const char purpose[] = "for the events of a device log"; /* of td_fail_no_memory() */

static int add_item(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                    enum td_tt_item_kind kind, uint32_t what, uint64_t value, struct td_err *err)
{
    const struct td_tt_item item = {
        .cycle = (int64_t)row->time_cycles, .value = value, .what = what, .kind = kind};
    return what == NO_TEXT ? td_fail_no_memory(err, purpose) : td_tt_lanes_add(log->lanes, lane, &item, err);
}

static int add_begin(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                     struct td_err *err)
{
    char json[META_MAX];
    const uint32_t launch = launch_text(log, row);
    const uint32_t meta = row->meta.bytes ? td_dict_string(log->dict, json, meta_json(row, json)) : 0;
    if (launch == NO_TEXT || meta == NO_TEXT ||
        (row->run_host_id &&
         td_tt_lanes_note_launch(log->lanes, row->chip, row->run_host_id, (int64_t)row->time_cycles)))
        return td_fail_no_memory(err, purpose);
    return add_item(log, lane, row, TD_TT_ITEM_BEGIN, srcloc_of(log, row), (uint64_t)launch << 32 | meta,
                    err);
}

static int add_message(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                       const char *text, struct td_err *err)
{
    return add_item(log, lane, row, TD_TT_ITEM_MESSAGE, td_dict_passing_string(log->dict, text, strlen(text)),
                    0, err);
}

struct counter {
    struct td_tt_text name;
    uint64_t value, ref;
};

static bool read_counter(struct td_tt_text json, struct counter *counter)
{
    struct td_tt_json_member member;
    size_t at = 0;
    bool has_value = false;
    *counter = (struct counter){.name = TD_TT_TEXT_NONE};
    while (td_tt_json_next(json, &at, &member) > 0)
        if (td_tt_text_is(member.key, TD_TT_META_COUNTER))
            counter->name = member.value;
        else if (td_tt_text_is(member.key, TD_TT_META_VALUE))
            has_value = td_tt_text_u64(member.value, &counter->value);
        else if (td_tt_text_is(member.key, TD_TT_META_REF))
            td_tt_text_u64(member.value, &counter->ref);
    return counter->name.bytes && has_value;
}

/* A message, and a point of a plot: a part of what the counter refers to, as a percentage. */
static int add_counter(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                       const struct counter *counter, struct td_err *err)
{
    char name[100], text[300];
    snprintf(name, sizeof name, "%.*s", (int)counter->name.bytes, counter->name.at);
    snprintf(text, sizeof text, TD_COUNTER_TEXT_FORMAT, name, counter->value, counter->ref);
    const int bad = add_message(log, lane, row, text, err);
    if (bad)
        return bad;
    snprintf(text, sizeof text, "%s (%s)", name, td_tt_lanes_name(log->lanes, lane));
    struct td_plot plot = {
        .name = td_dict_cstring(log->dict, text), .format = counter->ref ? 2 : 0, .fill = 1};
    const double value =
        counter->ref ? 100.0 * (double)counter->value / (double)counter->ref : (double)counter->value;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return add_item(log, lane, row, TD_TT_ITEM_PLOT,
                    plot.name == NO_TEXT ? NO_TEXT : td_dict_plot(log->dict, &plot), bits, err);
}

static int add_noc(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                   struct td_err *err)
{
    const enum td_tt_noc_layout known = td_tt_noc_layout_look(log->noc_layout, row->data);
    if (known != log->noc_layout)
        td_tt_lanes_set_noc_layout(
            log->lanes, td_tt_noc_layout_of(known, log->head.columns, log->head.max_compute_cores));
    log->noc_layout = known;
    log->counts.noc_events++;
    return add_item(log, lane, row, TD_TT_ITEM_NOC, 0, row->data, err);
}

static int add_data(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                    struct td_err *err)
{
    char json[META_MAX], label[100], text[sizeof json + sizeof label + 30]; /* 30: a number and separators */
    struct counter counter;
    if (row->timer_id == TD_TT_TIMER_NOC && row->type == TD_TT_TS_DATA)
        return add_noc(log, lane, row, err);
    const size_t bytes = meta_json(row, json);
    if (bytes && read_counter((struct td_tt_text){json, bytes}, &counter))
        return add_counter(log, lane, row, &counter, err);
    struct td_tt_text name = row->zone;
    if (!name.bytes) {
        snprintf(text, sizeof text, row->timer_id == TD_TT_TIMER_NOC_DEBUG ? "NoC debug" : "timer %" PRIu32,
                 row->timer_id);
        name = td_tt_text_of(text);
    }
    if (!bytes)
        return add_item(log, lane, row, TD_TT_ITEM_DATA, td_dict_string(log->dict, name.at, name.bytes),
                        row->data, err);
    snprintf(label, sizeof label, "%.*s", (int)(name.bytes < 90 ? name.bytes : 90), name.at);
    snprintf(text, sizeof text, TD_DATA_TEXT_FORMAT " %s", label, row->data, json);
    return add_message(log, lane, row, text, err);
}

static int add_instant(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                       struct td_err *err)
{
    char name[200], text[300];
    snprintf(name, sizeof name, "%.*s", (int)(row->zone.bytes < 190 ? row->zone.bytes : 190), row->zone.at);
    if (row->type == TD_TT_ZONE_TOTAL)
        snprintf(text, sizeof text, TD_TOTAL_TEXT_FORMAT, name, row->data);
    else if (name[0])
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, TD_EVENT_TEXT_FORMAT, row->timer_id);
    return add_message(log, lane, row, text, err);
}

static int add_row(struct td_tt_device_log *log, uint32_t lane, const struct td_tt_log_row *row,
                   struct td_err *err)
{
    switch (row->type) {
    case TD_TT_ZONE_START:
        return add_begin(log, lane, row, err);
    case TD_TT_ZONE_END:
        return add_item(log, lane, row, TD_TT_ITEM_END, srcloc_of(log, row), 0, err);
    case TD_TT_TS_DATA:
    case TD_TT_TS_DATA_16B:
        return add_data(log, lane, row, err);
    default:
        return add_instant(log, lane, row, err);
    }
}

/* ---- rows */

static int take_head(void *self, const struct td_tt_log_head *head, struct td_err *err)
{
    struct td_tt_device_log *log = self;
    (void)err;
    log->head = *head;
    td_tt_lanes_set_noc_layout(
        log->lanes, td_tt_noc_layout_of(TD_TT_NOC_LAYOUT_UNKNOWN, head->columns, head->max_compute_cores));
    if (head->era == TD_TT_LOG_ERA_STREAMING) /* zones of any length, in order of their ends */
        td_tt_lanes_keep_all(log->lanes);
    return 0;
}

/* Sets the clock of the row's chip, or compares it with that of another file. */
static int set_clock(struct td_tt_device_log *log, const struct td_tt_log_row *row, struct td_err *err)
{
    struct td_tt_chip *chip = td_tt_lanes_chip(log->lanes, row->chip);
    const double mhz = log->head.frequency_mhz;
    if (!chip)
        return td_fail_no_memory(err, purpose);
    log->chip = row->chip;
    if (chip->mhz > 0 && mhz > 0 && fabs(chip->mhz - mhz) > 1)
        return td_csv_fail(err, log->file, row->line,
                           "chip %" PRIu32 " has %.0f MHz here, and %.0f MHz in another file", row->chip, mhz,
                           chip->mhz);
    if (mhz > 0)
        chip->mhz = mhz;
    if (log->head.arch[0])
        snprintf(chip->arch, sizeof chip->arch, "%s", log->head.arch);
    if (log->head.max_compute_cores)
        chip->worker_cores = log->head.max_compute_cores;
    return 0;
}

static int take_row(void *self, const struct td_tt_log_row *row, struct td_err *err)
{
    struct td_tt_device_log *log = self;
    struct td_err why = {0};
    log->counts.rows++;
    if (row->type == TD_TT_NO_MARKER && log->head.columns >> TD_TT_LOG_TYPE & 1) {
        log->counts.odd++;
        return 0;
    }
    const int64_t lane =
        td_tt_lanes_find(log->lanes, row->chip, row->core_x, row->core_y, row->risc_name, &why);
    if (lane == TD_E_NOMEM)
        return td_fail_no_memory(err, purpose);
    if (lane < 0)
        return td_csv_fail(err, log->file, row->line, "%s", why.text);
    const int bad = row->chip == log->chip ? 0 : set_clock(log, row, err);
    return bad ? bad : add_row(log, (uint32_t)lane, row, err);
}

/* ---- the interface */

struct td_tt_device_log *td_tt_device_log_create(const char *file, struct td_tt_lanes *lanes,
                                                 struct td_dict *dict)
{
    struct td_tt_device_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->file = file;
    log->lanes = lanes;
    log->dict = dict;
    log->chip = NO_CHIP;
    log->reader = td_tt_log_reader_create(file, &(struct td_tt_log_sink){take_head, take_row, log});
    if (log->reader)
        return log;
    free(log);
    return NULL;
}

void td_tt_device_log_destroy(struct td_tt_device_log *log)
{
    if (!log)
        return;
    td_tt_log_reader_destroy(log->reader);
    free(log);
}

int td_tt_device_log_feed(struct td_tt_device_log *log, const void *bytes, size_t count, struct td_err *err)
{
    return td_tt_log_reader_feed(log->reader, bytes, count, err);
}

int td_tt_device_log_end_stream(struct td_tt_device_log *log, bool *cut, struct td_err *err)
{
    return td_tt_log_reader_end_stream(log->reader, cut, err);
}

const struct td_tt_device_log_counts *td_tt_device_log_get_counts(const struct td_tt_device_log *log)
{
    return &log->counts;
}
