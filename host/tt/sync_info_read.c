#include "host/tt/sync_info_read.h"
#include "host/base/grow.h"
#include "host/tt/csv_reader.h"
#include "proto/tt/device_log.h"

#include <math.h>
#include <stdlib.h>

/* The last rows of a device. */
struct device_clock {
    uint32_t device;
    bool has_host;                  /* of host rows: */
    double frequency, delay_cycles; /* the device's cycle at start_ns */
    double start_ns;                /* since the capture began */
    bool has_first;                 /* of device rows: */
    double ratio, shift_cycles;     /* the first device's cycles */
};

struct td_tt_sync_info {
    const char *file;
    struct td_csv_reader *csv;
    bool has_header, at_end, cut;
    size_t fields;
    int number_of[TD_TT_SYNC_COLUMN_COUNT];
    struct device_clock *clocks; /* in order of their first rows */
    size_t count, capacity;
};

static const char *const column_names[] = {
#define TD_X(name, column) column,
    TD_TT_SYNC_COLUMNS(TD_X)
#undef TD_X
};

/* Files before 2025 have no clocks of one device by another. */
#define NEEDED                                                                                               \
    (1u << TD_TT_SYNC_DEVICE | 1u << TD_TT_SYNC_HOST_START | 1u << TD_TT_SYNC_DELAY |                        \
     1u << TD_TT_SYNC_FREQUENCY | 1u << TD_TT_SYNC_TICK_NS | 1u << TD_TT_SYNC_BASE)

static struct device_clock *find_clock(const struct td_tt_sync_info *sync, uint32_t device)
{
    for (size_t i = 0; i < sync->count; i++)
        if (sync->clocks[i].device == device)
            return &sync->clocks[i];
    return NULL;
}

static struct device_clock *make_clock(struct td_tt_sync_info *sync, uint32_t device)
{
    struct device_clock *clock = find_clock(sync, device);
    if (clock || td_grow(&sync->clocks, &sync->capacity, sync->count + 1, sizeof *sync->clocks))
        return clock;
    clock = &sync->clocks[sync->count++];
    *clock = (struct device_clock){.device = device};
    return clock;
}

static int take_header(struct td_tt_sync_info *sync, const struct td_tt_text *fields, size_t count,
                       uint64_t line, struct td_err *err)
{
    td_csv_find_columns(fields, count, column_names, NULL, TD_TT_SYNC_COLUMN_COUNT, sync->number_of);
    for (unsigned i = 0; i < TD_TT_SYNC_COLUMN_COUNT; i++)
        if (sync->number_of[i] < 0 && NEEDED >> i & 1)
            return td_csv_fail(err, sync->file, line, "the column '%s' is missing", column_names[i]);
    sync->fields = count;
    sync->has_header = true;
    return 0;
}

static struct td_tt_text value_of(const struct td_tt_sync_info *sync, const struct td_tt_text *fields,
                                  enum td_tt_sync_column column)
{
    const int number = sync->number_of[column];
    return number < 0 ? TD_TT_TEXT_NONE : td_tt_text_trim(fields[number]);
}

static bool read_host_row(const struct td_tt_sync_info *sync, const struct td_tt_text *fields,
                          struct device_clock *clock)
{
    uint64_t start, base;
    double tick_ns;
    if (!td_tt_text_u64(value_of(sync, fields, TD_TT_SYNC_HOST_START), &start) ||
        !td_tt_text_u64(value_of(sync, fields, TD_TT_SYNC_BASE), &base) ||
        !td_tt_text_double(value_of(sync, fields, TD_TT_SYNC_TICK_NS), &tick_ns) ||
        !td_tt_text_double(value_of(sync, fields, TD_TT_SYNC_DELAY), &clock->delay_cycles) ||
        !td_tt_text_double(value_of(sync, fields, TD_TT_SYNC_FREQUENCY), &clock->frequency))
        return false;
    clock->start_ns = (double)(int64_t)(start - base) * tick_ns;
    clock->has_host = true;
    return clock->frequency > 0 && clock->frequency < 1e3 && tick_ns > 0 && isfinite(clock->start_ns) &&
           isfinite(clock->delay_cycles);
}

static bool read_device_row(const struct td_tt_sync_info *sync, const struct td_tt_text *fields,
                            struct device_clock *clock)
{
    clock->has_first = td_tt_text_double(value_of(sync, fields, TD_TT_SYNC_RATIO), &clock->ratio) &&
                       td_tt_text_double(value_of(sync, fields, TD_TT_SYNC_SHIFT), &clock->shift_cycles);
    return clock->has_first && clock->ratio > 0 && clock->ratio < 1e3 && isfinite(clock->shift_cycles);
}

static int take_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                    struct td_err *err)
{
    struct td_tt_sync_info *sync = self;
    uint32_t device;
    if (!sync->has_header)
        return take_header(sync, fields, count, line, err);
    if (count != sync->fields && sync->at_end) {
        sync->cut = true;
        return 0;
    }
    if (count != sync->fields)
        return td_csv_fail(err, sync->file, line, "%zu fields, and the header has %zu", count, sync->fields);
    if (!td_tt_text_u32(value_of(sync, fields, TD_TT_SYNC_DEVICE), &device))
        return td_csv_fail(err, sync->file, line, "the row has no device");
    struct device_clock *clock = make_clock(sync, device);
    if (!clock)
        return td_fail_no_memory(err, "for the clocks of devices");
    const bool is_host = value_of(sync, fields, TD_TT_SYNC_FREQUENCY).bytes;
    if (is_host && !value_of(sync, fields, TD_TT_SYNC_DELAY).bytes) /* a frequency alone */
        return 0;
    if (is_host ? read_host_row(sync, fields, clock) : read_device_row(sync, fields, clock))
        return 0;
    return td_csv_fail(err, sync->file, line, "the clock of device %u makes no sense", (unsigned)device);
}

bool td_tt_sync_begins(const void *bytes, size_t count)
{
    struct td_tt_text text = {bytes, count};
    if (td_tt_text_begins(text, "\xef\xbb\xbf"))
        text = (struct td_tt_text){text.at + 3, text.bytes - 3};
    return td_tt_text_begins(td_tt_text_trim(text), column_names[TD_TT_SYNC_DEVICE]);
}

struct td_tt_sync_info *td_tt_sync_info_create(const char *file)
{
    struct td_tt_sync_info *sync = calloc(1, sizeof *sync);
    if (!sync)
        return NULL;
    sync->file = file;
    sync->csv =
        td_csv_reader_create(&(struct td_csv_options){.file = file, .take_row = take_row, .self = sync});
    if (sync->csv)
        return sync;
    free(sync);
    return NULL;
}

void td_tt_sync_info_destroy(struct td_tt_sync_info *sync)
{
    if (!sync)
        return;
    td_csv_reader_destroy(sync->csv);
    free(sync->clocks);
    free(sync);
}

int td_tt_sync_info_feed(struct td_tt_sync_info *sync, const void *bytes, size_t count, struct td_err *err)
{
    return td_csv_reader_feed(sync->csv, bytes, count, err);
}

int td_tt_sync_info_end_stream(struct td_tt_sync_info *sync, bool *cut, struct td_err *err)
{
    sync->at_end = true;
    const int bad = td_csv_reader_end_stream(sync->csv, cut, err);
    *cut |= sync->cut;
    return bad;
}

size_t td_tt_sync_info_devices(const struct td_tt_sync_info *sync)
{
    return sync->count;
}

/* The device that the device rows refer to: the first one of which the host has a fit. */
static const struct device_clock *first_clock(const struct td_tt_sync_info *sync)
{
    for (size_t i = 0; i < sync->count; i++)
        if (sync->clocks[i].has_host)
            return &sync->clocks[i];
    return NULL;
}

bool td_tt_sync_host_ns(const struct td_tt_sync_info *sync, uint32_t device, int64_t cycle, double *host_ns)
{
    const struct device_clock *clock = find_clock(sync, device);
    const struct device_clock *first = first_clock(sync);
    double cycles = (double)cycle;
    if (!clock || !first || (!clock->has_first && !clock->has_host))
        return false;
    if (clock->has_first) {
        cycles = clock->shift_cycles + cycles * clock->ratio;
        clock = first;
    }
    *host_ns = clock->start_ns + (cycles - clock->delay_cycles) / clock->frequency;
    return isfinite(*host_ns);
}
