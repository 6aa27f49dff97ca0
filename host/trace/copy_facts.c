/* Facts about a whole source: the program, the crash, app info and notes. */
#include "host/trace/copy_internal.h"
#include "proto/bill_text.h"
#include "proto/chip_map.h"
#include "proto/chip_text.h"
#include "proto/clock_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- app info ---- */

static bool is_key(const char *text, size_t bytes, const char *key)
{
    return strlen(key) == bytes && !memcmp(text, key, bytes);
}

/* The kind of the note; TD_NOTE_KIND_COUNT: none. */
static enum td_note_kind kind_of(const char *key, size_t bytes)
{
    unsigned kind = 0;
    while (kind < TD_NOTE_KIND_COUNT && !is_key(key, bytes, td_notes[kind].key))
        kind++;
    return (enum td_note_kind)kind;
}

/* True: the line is not copied, because the copy will have one of its own. */
static bool add_to_sum(struct td_copier *copier, enum td_note_kind kind, const char *value)
{
    if (kind == TD_NOTE_KIND_COUNT || td_notes[kind].merge == TD_MERGE_LINES)
        return false;
    if (td_notes[kind].merge == TD_MERGE_NONE)
        return true;
    const double number = strtod(value, NULL);
    copier->has_sum[kind] = 1;
    if (td_notes[kind].merge == TD_MERGE_SUM)
        copier->sums[kind] += number;
    else if (number > copier->sums[kind])
        copier->sums[kind] = number;
    return true;
}

static uint32_t add_line(struct copy_run *run, const char *key, size_t key_bytes, const char *value)
{
    if (is_key(key, key_bytes, TD_NOTE_CHIP)) {
        char *rest;
        unsigned long chip = strtoul(value, &rest, 10);
        return td_copy_format_(run, TD_NOTE_CHIP ": %lu%s", chip + run->chip_shift, rest);
    }
    return td_copy_format_(run, "%.*s%s%s: %s", (int)key_bytes, key, key_bytes ? ": " : "",
                           run->options->label, value);
}

/* ---- lines about a chip ---- */

enum chip_line { NO_CHIP_LINE, LEAVE_CHIP_LINE_OUT, PUT_CHIP_LINE };

/* Chips without cores in the source have no number in `to`. */
static bool renumber_chip(const struct copy_run *run, uint32_t *chip)
{
    if (run->cores_apart || *chip >= COPY_CHIPS || !run->chips[*chip])
        return false;
    *chip += run->chip_shift;
    return true;
}

/* The chip's clock by the times of `to`: the cycle at its time 0, and cycles of its microsecond. */
static void move_clock(struct td_chip_clock *clock, const struct td_time_line *line)
{
    const long double zero_ns =
        ((long double)line->drift * (long double)line->at_ns - (long double)line->offset_ns) /
        (1 + (long double)line->drift);
    const long double cycles = zero_ns * (long double)clock->mhz / 1000;
    if (clock->zero_cycle && fabsl(cycles) < 4e18L && llabs(clock->zero_cycle) < INT64_C(4000000000000000000))
        clock->zero_cycle += llroundl(cycles);
    else
        clock->zero_cycle = 0;
    clock->mhz /= 1 + line->drift;
}

/* Lines that begin with a chip's number need no label: TD_NOTE_CHIP says of which source the chip is. */
static enum chip_line take_chip_line(struct copy_run *run, const char *key, size_t key_bytes,
                                     const char *value, int64_t *string)
{
    struct td_chip_clock clock;
    struct td_chip_map map;
    struct td_clock_part part;
    struct td_bill bill;
    char text[TD_CHIP_MAP_BYTES + TD_BILL_BYTES];
    bool kept;
    if (is_key(key, key_bytes, TD_NOTE_CHIP_CLOCK) && td_chip_clock_read(value, &clock)) {
        kept = renumber_chip(run, &clock.chip);
        move_clock(&clock, &run->options->clock);
        td_chip_clock_text(text, sizeof text, &clock);
    } else if (is_key(key, key_bytes, TD_NOTE_CHIP_MAP) && td_chip_map_read(value, &map)) {
        kept = renumber_chip(run, &map.chip);
        td_chip_map_text(text, &map);
    } else if (is_key(key, key_bytes, TD_NOTE_CLOCK_PART) && td_clock_part_read(value, &part)) {
        kept = renumber_chip(run, &part.chip);
        part.from_ns = td_time_line_at(&run->options->clock, part.from_ns);
        td_clock_part_text(text, sizeof text, &part);
    } else if (is_key(key, key_bytes, TD_NOTE_BILL) && td_bill_read(value, &bill)) {
        kept = renumber_chip(run, &bill.chip);
        td_bill_text(text, &bill);
    } else {
        return NO_CHIP_LINE;
    }
    if (!kept)
        return LEAVE_CHIP_LINE_OUT;
    *string = td_copy_format_(run, "%.*s: %s", (int)key_bytes, key, text);
    return PUT_CHIP_LINE;
}

bool td_copy_app_info_(struct copy_run *run, int64_t *string)
{
    const char *text = td_dict_text(run->from_dict, (uint32_t)*string);
    size_t key_bytes = strncmp(text, TD_NOTE_PREFIX, strlen(TD_NOTE_PREFIX)) ? 0 : strcspn(text, ": ");
    if (key_bytes && strncmp(text + key_bytes, ": ", 2))
        key_bytes = 0;
    const char *value = key_bytes ? text + key_bytes + 2 : text;
    if (!run->apart) {
        *string = td_copy_string_(run, (uint64_t)*string);
        return true;
    }
    /* Tracks know whether they have a clock, and have new threads; merged traces have a clock of their own. */
    if (add_to_sum(run->copier, kind_of(text, key_bytes), value))
        return false;
    const enum chip_line chip = take_chip_line(run, text, key_bytes, value, string);
    if (chip != NO_CHIP_LINE)
        return chip == PUT_CHIP_LINE;
    if (run->named || is_key(text, key_bytes, TD_NOTE_CHIP))
        *string = add_line(run, text, key_bytes, value);
    else
        *string = td_copy_string_(run, (uint64_t)*string);
    return true;
}

/* ---- crash ---- */

static int add_crash_message(struct copy_run *run, const struct td_crash *crash)
{
    const struct td_event event = {
        .kind = TD_EVENT_MESSAGE,
        .time_ns = crash->time_ns,
        .track = crash->track,
        .subject = crash->text,
        .value.u64 = TD_EVENT_MESSAGE_WITH(crash->stack, 1, TD_SEVERITY_FATAL),
    };
    struct td_sink sink = td_trace_sink(run->to);
    return sink.events(sink.self, &event, 1, NULL);
}

/* A trace has one crash, the first; others become messages. */
static int copy_crash(struct copy_run *run)
{
    struct td_copier *copier = run->copier;
    const struct td_crash *from = td_trace_crash(run->from);
    const struct td_copy_options *o = run->options;
    if (!from || !td_copy_has_track_(run, from->track) ||
        (run->ranged && (from->time_ns < o->from_ns || from->time_ns >= o->until_ns)))
        return 0;
    struct td_crash later = *from, first = copier->crash;
    later.time_ns = td_time_line_at(&o->clock, from->time_ns);
    later.track = td_copy_number_(run->tracks, run->tracks_count, from->track);
    later.text = td_copy_string_(run, from->text);
    later.stack = from->stack ? from->stack + (uint32_t)run->base[TD_TABLE_STACK] : 0;
    if (!copier->has_crash || later.time_ns < first.time_ns) {
        copier->crash = later;
        later = first;
    }
    int rc = copier->has_crash ? add_crash_message(run, &later) : 0;
    copier->has_crash = true;
    return rc;
}

/* ---- info ---- */

static int copy_string(char **to, const char *from)
{
    return from ? td_trace_set_string(to, from) : 0;
}

static void add_program(struct td_copier *copier, const char *label)
{
    size_t used = strlen(copier->programs), room = sizeof copier->programs - used;
    if (room > strlen(label) + 8)
        snprintf(copier->programs + used, room, "%s%s", used ? ", " : "", label);
    else if (used && strcmp(copier->programs + used - 3, "..."))
        snprintf(copier->programs + used, room, " ...");
}

/* What is one fact for all sources: the earliest date, the coarsest clock, the processor if all have one. */
static void join_info(struct td_trace_info *to, const struct td_trace_info *from, bool is_first)
{
    if (is_first) {
        to->capture_time_s = from->capture_time_s;
        to->executable_time_s = from->executable_time_s;
        to->sampling_period_ns = from->sampling_period_ns;
        to->cpu_arch = from->cpu_arch;
        to->cpu_id = from->cpu_id;
        memcpy(to->cpu_vendor, from->cpu_vendor, sizeof to->cpu_vendor);
        to->resolution_ns = from->resolution_ns;
        to->delay_ns = from->delay_ns;
        return;
    }
    if (from->capture_time_s && (from->capture_time_s < to->capture_time_s || !to->capture_time_s))
        to->capture_time_s = from->capture_time_s;
    to->executable_time_s = to->executable_time_s == from->executable_time_s ? to->executable_time_s : 0;
    to->sampling_period_ns =
        to->sampling_period_ns > from->sampling_period_ns ? to->sampling_period_ns : from->sampling_period_ns;
    if (to->cpu_id != from->cpu_id || memcmp(to->cpu_vendor, from->cpu_vendor, sizeof to->cpu_vendor)) {
        to->cpu_id = 0;
        memset(to->cpu_vendor, 0, sizeof to->cpu_vendor);
    }
    to->resolution_ns = to->resolution_ns > from->resolution_ns ? to->resolution_ns : from->resolution_ns;
    to->delay_ns = to->delay_ns > from->delay_ns ? to->delay_ns : from->delay_ns;
}

static int copy_info(struct copy_run *run)
{
    struct td_trace_info *to = &run->to->info;
    const struct td_trace_info *from = &run->from->info;
    int64_t last_ns = td_time_line_at(&run->options->clock, from->last_time_ns);
    if (run->apart) {
        join_info(to, from, run->copier->sources == 0);
        if (run->named || (from->program && *from->program))
            add_program(run->copier, run->named ? run->options->label : from->program);
        if (!to->host_info && copy_string(&to->host_info, from->host_info) < 0)
            return TD_E_NOMEM;
    } else {
        struct td_trace_info own = *from;
        own.capture_name = own.program = own.host_info = NULL;
        own.last_time_ns = 0;
        *to = own;
        if (copy_string(&to->capture_name, from->capture_name) < 0 ||
            copy_string(&to->program, from->program) < 0 || copy_string(&to->host_info, from->host_info) < 0)
            return TD_E_NOMEM;
    }
    if (!run->ranged && last_ns > to->last_time_ns)
        to->last_time_ns = last_ns;
    return 0;
}

int td_copy_facts_(struct copy_run *run)
{
    td_trace_clamp_(run->to, td_trace_clamped(run->from));
    int rc = copy_info(run);
    return rc < 0 ? rc : copy_crash(run);
}

/* ---- the end ---- */

static int add_default_pool(struct td_trace *to)
{
    static const int64_t empty[TD_POOL_COLUMN_COUNT] = {[TD_POOL_LOW] = -1};
    struct td_series *pools = td_trace_fill_table(to, TD_TABLE_POOL);
    return pools ? td_series_append(pools, empty) : TD_E_NOMEM;
}

int td_copier_end(struct td_copier *copier, struct td_err *err)
{
    struct td_trace_info *info = &copier->to->info;
    int rc = 0;
    if (copier->has_crash)
        td_trace_set_crash(copier->to, &copier->crash);
    for (unsigned i = 0; rc == 0 && i < TD_NOTE_KIND_COUNT; i++)
        if (copier->has_sum[i])
            rc = td_trace_note(copier->to, td_notes[i].key, "%.0f", copier->sums[i]);
    if (rc == 0 && copier->apart)
        rc = add_default_pool(copier->to);
    if (rc == 0 && copier->apart &&
        (td_trace_set_string(&info->program, copier->programs) < 0 ||
         td_trace_set_string(&info->capture_name, copier->programs) < 0))
        rc = TD_E_NOMEM;
    return rc < 0 ? td_fail_no_memory(err, "while copying the trace") : 0;
}
