#include "host/report/tt/log_csv.h"
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/report/ops/trace_source.h"
#include "host/tt/noc_trace.h"
#include "host/tt/zone_hash.h"
#include "proto/track_text.h"

#include <stdlib.h>
#include <string.h>

/* A source location as a log has it. */
struct log_zone {
    struct td_tt_text name, file;
    uint32_t line;
    uint16_t timer_id;
    bool used;
    char *own[2]; /* texts that had tabs or newlines; NULL: name and file are of the dictionary */
};

struct td_log_csv {
    FILE *to;
    const struct td_trace *trace;
    const struct td_dict *dict;
    enum td_tt_log_era era;
    struct log_zone *zones;
    size_t zone_room;
    struct td_chip_clock chip; /* of the device whose row was written last */
    struct td_op_clock clock;
    bool has_chip;
    char meta[256]; /* of the row of a counter */
    uint64_t rows;
};

static void set_chip(struct td_log_csv *log, uint32_t device)
{
    if (log->has_chip && log->chip.chip == device)
        return;
    log->chip = td_trace_source_chip(log->trace, device);
    log->chip.chip = device;
    log->clock = (struct td_op_clock){log->chip.mhz, false};
    log->has_chip = true;
}

static uint32_t first_device(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_core_place place;
    uint32_t least = UINT32_MAX;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        if (td_core_place_of(dict, t, &place) && place.device < least)
            least = place.device;
    return least == UINT32_MAX ? 0 : least;
}

struct td_log_csv *td_log_csv_create(FILE *to, const struct td_trace *trace, enum td_tt_log_era era)
{
    struct td_log_csv *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    *log = (struct td_log_csv){.to = to, .trace = trace, .dict = td_trace_dict(trace), .era = era};
    set_chip(log, first_device(trace));
    struct td_tt_log_head head = {.frequency_mhz = log->chip.mhz > 0 ? log->chip.mhz : 1000, .era = era};
    snprintf(head.arch, sizeof head.arch, "%s", log->chip.arch[0] ? log->chip.arch : "unknown");
    head.max_compute_cores = era >= TD_TT_LOG_ERA_2025C ? log->chip.worker_cores : 0;
    if (to)
        td_tt_log_write_head(to, &head);
    return log;
}

void td_log_csv_destroy(struct td_log_csv *log)
{
    if (!log)
        return;
    for (size_t i = 0; i < log->zone_room; i++) {
        free(log->zones[i].own[0]);
        free(log->zones[i].own[1]);
    }
    free(log->zones);
    free(log);
}

uint64_t td_log_csv_rows(const struct td_log_csv *log)
{
    return log->rows;
}

static struct td_tt_text text_of(const struct td_dict *dict, uint32_t string)
{
    return (struct td_tt_text){td_dict_text(dict, string), td_dict_text_bytes(dict, string)};
}

/* NULL: no memory. */
/* The text as it is in a list of lines. False: no memory. */
static bool make_cell(struct td_tt_text *text, char **own)
{
    if (!td_cell_is_changed(text->at, text->bytes))
        return true;
    const size_t room = 2 * text->bytes + 1;
    if (!(*own = malloc(room)))
        return false;
    *text = td_tt_text_of(td_cell_copy(*own, room, text->at));
    return true;
}

static const struct log_zone *take_zone(struct td_log_csv *log, uint32_t srcloc)
{
    const size_t had = log->zone_room;
    if (srcloc >= had) {
        if (td_grow(&log->zones, &log->zone_room, (size_t)srcloc + 1, sizeof *log->zones) < 0)
            return NULL;
        memset(log->zones + had, 0, (log->zone_room - had) * sizeof *log->zones);
    }
    struct log_zone *zone = &log->zones[srcloc];
    if (!zone->used) {
        const struct td_srcloc *s = td_dict_get_srcloc(log->dict, srcloc);
        struct td_tt_zone_source source = {td_tt_text_of(td_dict_zone_name(log->dict, srcloc)),
                                           text_of(log->dict, s->file), s->line};
        if (!make_cell(&source.name, &zone->own[0]) || !make_cell(&source.file, &zone->own[1]))
            return NULL;
        zone->name = source.name;
        zone->file = source.file;
        zone->line = s->line;
        zone->timer_id = td_tt_zone_hash(&source);
        zone->used = true;
    }
    return zone;
}

/* The columns that all rows of a launch have. */
static struct td_tt_log_row begin_row(struct td_log_csv *log, const struct td_core_place *place,
                                      const struct td_op_launch *launch, int64_t time_ns)
{
    static const char *const names[] = {
#define TD_X(name, log_name) log_name,
        TD_OP_RISCS(TD_X)
#undef TD_X
    };
    set_chip(log, place->device);
    const int64_t cycle = td_wrap_add(log->chip.zero_cycle, td_op_cycles(&log->clock, time_ns));
    return (struct td_tt_log_row){
        .time_cycles = cycle < 0 ? 0 : (uint64_t)cycle,
        .chip = place->device,
        .core_x = place->x,
        .core_y = place->y,
        .run_id = launch->run_id,
        .run_host_id = launch->run_id,
        .trace_id = launch->trace,
        .trace_count = launch->replay,
        .logical_x = TD_TT_NO_PLACE,
        .logical_y = TD_TT_NO_PLACE,
        .risc = -1,
        .risc_name = td_tt_text_of(place->risc < TD_OP_OTHER_RISC ? names[place->risc] : place->name),
        .zone = TD_TT_TEXT_NONE,
        .file = TD_TT_TEXT_NONE,
        .meta = TD_TT_TEXT_NONE};
}

static void write_row(struct td_log_csv *log, const struct td_tt_log_row *row)
{
    if (log->to)
        td_tt_log_write_row(log->to, log->era, row);
    log->rows += log->to != NULL;
}

/* The line of a zone's text that is an object of JSON: meta data of an imported log. */
static struct td_tt_text meta_of(const struct td_dict *dict, uint32_t text)
{
    const char *all = td_dict_text(dict, text), *line;
    size_t at = 0, bytes;
    while (text && td_text_line(all, td_dict_text_bytes(dict, text), &at, &line, &bytes))
        if (bytes && *line == '{')
            return (struct td_tt_text){line, bytes};
    return TD_TT_TEXT_NONE;
}

static int on_zone(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                   const struct td_zone *zone, bool ends, struct td_err *err)
{
    struct td_log_csv *log = self;
    const struct log_zone *z = take_zone(log, zone->srcloc);
    if (!z)
        return td_fail_no_memory(err, NULL);
    if (ends && zone->end_ns == TD_OPEN)
        return 0;
    struct td_tt_log_row row = begin_row(log, place, launch, ends ? zone->end_ns : zone->start_ns);
    row.timer_id = z->timer_id;
    row.zone = z->name;
    row.file = z->file;
    row.source_line = z->line;
    row.type = ends ? TD_TT_ZONE_END : TD_TT_ZONE_START;
    if (!ends)
        row.meta = meta_of(log->dict, zone->text);
    write_row(log, &row);
    return 0;
}

void td_log_csv_op(struct td_log_csv *log, const struct td_op_sum *op)
{
    static const struct td_tt_zone_source source = {{"BRISC-FW", 8}, {"", 0}, 0};
    for (uint32_t i = 0; op->without_fw && i < op->core_count; i++) {
        const struct td_op_core *core = &op->cores[i];
        const struct td_core_place place = {
            .device = op->device, .x = core->x, .y = core->y, .risc = TD_OP_BRISC};
        const struct td_op_launch launch = {.run_id = op->run_id, .trace = op->trace, .replay = op->replay};
        for (int ends = 0; ends < 2; ends++) {
            const int64_t time = ends ? core->end : core->start;
            if (time == TD_OP_NO_TIME || (ends && core->open))
                continue;
            struct td_tt_log_row row = begin_row(log, &place, &launch, time);
            row.timer_id = td_tt_zone_hash(&source);
            row.zone = source.name;
            row.type = ends ? TD_TT_ZONE_END : TD_TT_ZONE_START;
            row.time_cycles += ends != 0; /* after all other rows of the operation when sorted by time */
            write_row(log, &row);
        }
    }
}

/* "NAME: NUMBER": sets name and data, returns what follows the number; NULL: another form. */
static const char *read_value(const char *text, struct td_tt_text *name, uint64_t *value)
{
    const char *colon = NULL;
    for (const char *at = text; (at = strstr(at, ": ")); at++)
        colon = at;
    if (!colon || colon[2] < '0' || colon[2] > '9')
        return NULL;
    char *end;
    *value = strtoull(colon + 2, &end, 10);
    *name = (struct td_tt_text){text, (size_t)(colon - text)};
    return end;
}

/* A counter of the hardware: its row has all in the meta data. */
static bool read_counter(struct td_log_csv *log, const char *text, struct td_tt_log_row *row)
{
    char name[64];
    uint64_t ref;
    if (sscanf(text, "counter %63[^:\"\\]: %19" SCNu64 " of %19" SCNu64, name, &row->data, &ref) != 3)
        return false;
    const int n = snprintf(log->meta, sizeof log->meta,
                           "{\"" TD_TT_META_COUNTER "\": \"%s\", \"" TD_TT_META_VALUE "\": %" PRIu64
                           ", \"" TD_TT_META_REF "\": %" PRIu64 "}",
                           td_plain(name), row->data, ref);
    row->meta = (struct td_tt_text){log->meta, (size_t)n};
    row->type = TD_TT_TS_DATA;
    return true;
}

/* A message of a core that came from a marker with a row of its own; false: it is none. */
static bool read_marker(struct td_log_csv *log, const char *text, struct td_tt_log_row *row)
{
    struct td_tt_noc_event noc = {0};
    uint32_t number;
    const char *rest;
    if (td_tt_noc_text_read(td_tt_text_of(text), &noc)) {
        row->type = TD_TT_TS_DATA;
        row->timer_id = TD_TT_TIMER_NOC;
        row->data = td_tt_noc_encode(
            log->era >= TD_TT_LOG_ERA_2025C ? TD_TT_NOC_LAYOUT_NOW : TD_TT_NOC_LAYOUT_BEFORE, &noc);
        return true;
    }
    if (sscanf(text, "event %9" SCNu32, &number) == 1) {
        row->type = TD_TT_TS_EVENT;
        row->timer_id = number;
        return true;
    }
    if (read_counter(log, text, row))
        return true;
    rest = read_value(text, &row->zone, &row->data);
    if (!rest || (*rest && strncmp(rest, " ticks", 6) != 0))
        return false;
    row->type = *rest ? TD_TT_ZONE_TOTAL : TD_TT_TS_DATA;
    const struct td_tt_zone_source source = {row->zone, TD_TT_TEXT_NONE, 0};
    row->timer_id = td_tt_zone_hash(&source);
    return true;
}

static int on_message(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                      const struct td_message *message, struct td_err *err)
{
    struct td_log_csv *log = self;
    struct td_tt_log_row row = begin_row(log, place, launch, message->time_ns);
    if (read_marker(log, td_dict_text(log->dict, message->text), &row))
        write_row(log, &row);
    return 0;
}

struct td_core_marks td_log_csv_marks(struct td_log_csv *log)
{
    return (struct td_core_marks){log, on_zone, on_message, NULL};
}

int td_log_csv_zone_sources(const struct td_log_csv *log, FILE *to)
{
    for (size_t i = 0; i < log->zone_room; i++) {
        const struct log_zone *z = &log->zones[i];
        const struct td_tt_zone_source source = {z->name, z->file, z->line};
        char text[8192];
        if (!z->used)
            continue;
        const int n = td_tt_zone_source_text(text, sizeof text, &source);
        if (n > 0 && (size_t)n < sizeof text)
            fputs(text, to);
    }
    return 0;
}
