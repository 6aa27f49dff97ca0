#include "host/tt/device_log_write.h"

#include "host/tt/csv_write.h"

#include <inttypes.h>

static const struct {
    uint32_t eras;
    const char *now, *before;
} columns[] = {
#define TD_X(name, eras, now, before) {eras, now, before},
    TD_TT_LOG_COLUMNS(TD_X)
#undef TD_X
};

static bool is_old(enum td_tt_log_era era)
{
    return era < TD_TT_LOG_ERA_2025A;
}

void td_tt_log_write_head(FILE *to, const struct td_tt_log_head *head)
{
    /* Whole numbers of kHz, because a locale may print a decimal point as a comma. */
    const uint64_t khz = (uint64_t)(head->frequency_mhz * 1000 + 0.5);
    fprintf(to, TD_TT_LOG_ARCH ": %s, " TD_TT_LOG_FREQUENCY ": %" PRIu64, head->arch, khz / 1000);
    if (khz % 1000)
        fprintf(to, ".%03" PRIu64, khz % 1000);
    if (head->max_compute_cores)
        fprintf(to, ", " TD_TT_LOG_MAX_CORES ": %" PRIu32, head->max_compute_cores);
    putc('\n', to);
    const char *between = "";
    for (unsigned i = 0; i < TD_TT_LOG_COLUMN_COUNT; i++) {
        if (!(columns[i].eras >> head->era & 1))
            continue;
        fprintf(to, "%s%s", between, is_old(head->era) ? columns[i].before : columns[i].now);
        between = ", ";
    }
    putc('\n', to);
}

/* The name of a marker in files since 2025, such as "ZONE_START"; "" for TD_TT_NO_MARKER. */
static const char *name_of_marker(enum td_tt_marker type)
{
    static const char *const names[] = {
#define TD_X(name, before) #name,
        TD_TT_MARKERS(TD_X)
#undef TD_X
            ""};
    return names[type <= TD_TT_MARKER_COUNT ? type : TD_TT_MARKER_COUNT];
}

static const char *phase_of(enum td_tt_marker type)
{
    return type == TD_TT_ZONE_START ? "begin" : type == TD_TT_ZONE_END ? "end" : name_of_marker(type);
}

static void write_number(FILE *to, uint64_t value)
{
    char text[20];
    size_t at = sizeof text;
    do
        text[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    fwrite(text + at, 1, sizeof text - at, to);
}

/* TD_TT_NO_TRACE and TD_TT_NO_PLACE are empty. */
static void write_optional(FILE *to, uint32_t value)
{
    if (value != UINT32_MAX)
        write_number(to, value);
}

static void write_column(FILE *to, enum td_tt_log_era era, enum td_tt_log_column column,
                         const struct td_tt_log_row *row)
{
    switch (column) {
    case TD_TT_LOG_CHIP:
        write_number(to, row->chip);
        break;
    case TD_TT_LOG_CORE_X:
        write_number(to, row->core_x);
        break;
    case TD_TT_LOG_CORE_Y:
        write_number(to, row->core_y);
        break;
    case TD_TT_LOG_RISC:
        td_csv_write_value(to, row->risc_name);
        break;
    case TD_TT_LOG_TIMER_ID:
        write_number(to, row->timer_id + (is_old(era) && row->type == TD_TT_ZONE_END ? TD_TT_TIMER_END : 0u));
        break;
    case TD_TT_LOG_TIME:
        write_number(to, row->time_cycles);
        break;
    case TD_TT_LOG_DATA:
        write_number(to, row->data);
        break;
    case TD_TT_LOG_RUN_ID:
        write_number(to, row->run_id);
        break;
    case TD_TT_LOG_RUN_HOST_ID:
        write_number(to, row->run_host_id);
        break;
    case TD_TT_LOG_TRACE_ID:
        write_optional(to, row->trace_id);
        break;
    case TD_TT_LOG_TRACE_COUNT:
        write_optional(to, row->trace_count);
        break;
    case TD_TT_LOG_ZONE:
        td_csv_write_value(to, row->zone);
        break;
    case TD_TT_LOG_TYPE:
        fputs(is_old(era) ? phase_of(row->type) : name_of_marker(row->type), to);
        break;
    case TD_TT_LOG_LINE:
        write_number(to, row->source_line);
        break;
    case TD_TT_LOG_FILE:
        td_csv_write_value(to, row->file);
        break;
    case TD_TT_LOG_META:
        for (size_t i = 0; i < row->meta.bytes; i++) /* JSON, without quotes around it */
            putc(row->meta.at[i] == ',' ? ';' : row->meta.at[i] == '\n' ? ' ' : row->meta.at[i], to);
        break;
    case TD_TT_LOG_LOGICAL_X:
        write_optional(to, row->logical_x);
        break;
    case TD_TT_LOG_LOGICAL_Y:
        write_optional(to, row->logical_y);
        break;
    case TD_TT_LOG_COLUMN_COUNT:
        break;
    }
}

void td_tt_log_write_row(FILE *to, enum td_tt_log_era era, const struct td_tt_log_row *row)
{
    bool first = true;
    for (unsigned i = 0; i < TD_TT_LOG_COLUMN_COUNT; i++) {
        if (!(columns[i].eras >> era & 1))
            continue;
        if (!first)
            putc(',', to);
        first = false;
        write_column(to, era, (enum td_tt_log_column)i, row);
    }
    putc('\n', to);
}
