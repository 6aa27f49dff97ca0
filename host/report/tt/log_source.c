#include "host/report/tt/log_source.h"
#include "host/base/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES (1u << 18)

struct log_reader {
    struct td_op_sums *sums;
    struct td_log_device *device;
    struct td_op_launch launch; /* of the rows that were read last */
    bool has_launch;
    struct td_map known_cores;
    char other_riscs[32 - TD_TT_RISC_COUNT][24]; /* names of lanes from TD_TT_RISC_COUNT on */
    unsigned other_count;
};

struct td_op_clock td_log_clock(const struct td_log_device *device)
{
    return (struct td_op_clock){device->head.frequency_mhz, true};
}

static int take_head(void *self, const struct td_tt_log_head *head, struct td_err *err)
{
    struct log_reader *r = self;
    r->device->head = *head;
    return 0;
}

static uint8_t lane_of(struct log_reader *r, const struct td_tt_log_row *row)
{
    const unsigned most = sizeof r->other_riscs / sizeof *r->other_riscs;
    unsigned i = 0;
    if (row->risc >= 0)
        return (uint8_t)row->risc;
    while (i < r->other_count && !td_tt_text_is(row->risc_name, r->other_riscs[i]))
        i++;
    if (i == r->other_count && i < most)
        snprintf(r->other_riscs[r->other_count++], sizeof *r->other_riscs, "%.*s",
                 (int)(row->risc_name.bytes < 23 ? row->risc_name.bytes : 23), row->risc_name.at);
    return (uint8_t)(TD_TT_RISC_COUNT + (i < most ? i : most - 1));
}

static int note_core(struct log_reader *r, const struct td_op_launch *l)
{
    struct td_log_device *d = r->device;
    const uint32_t place = (uint32_t)l->x << 16 | l->y;
    const int added = td_map_add(&r->known_cores, place, 0);
    if (added <= 0)
        return added;
    return TD_APPEND(d->cores, d->core_count, d->core_room, place);
}

static bool has_times(const struct td_op_launch *l)
{
    return l->fw_start != TD_OP_NO_TIME || l->fw_end != TD_OP_NO_TIME || l->kernel_start != TD_OP_NO_TIME ||
           l->kernel_end != TD_OP_NO_TIME || l->cb_wait_front >= 0 || l->cb_reserve_back >= 0;
}

static int give_launch(struct log_reader *r, struct td_err *err)
{
    if (!r->has_launch || !has_times(&r->launch))
        return 0;
    if (note_core(r, &r->launch) < 0)
        return td_fail_no_memory(err, "for cores");
    return td_op_sums_add(r->sums, &r->launch, err);
}

static void clear_times(struct td_op_launch *l)
{
    l->fw_start = l->fw_end = l->kernel_start = l->kernel_end = TD_OP_NO_TIME;
    l->cb_wait_front = l->cb_reserve_back = -1;
}

static bool is_same(const struct td_op_launch *l, const struct td_tt_log_row *row, uint8_t lane)
{
    return l->run_id == row->run_host_id && l->lane == lane && l->x == row->core_x && l->y == row->core_y &&
           l->device == row->chip && l->trace == row->trace_id && l->replay == row->trace_count;
}

static int begin_launch(struct log_reader *r, const struct td_tt_log_row *row, uint8_t lane,
                        struct td_err *err)
{
    static const enum td_op_risc risc_of[TD_TT_RISC_COUNT] = {TD_OP_BRISC,  TD_OP_NCRISC, TD_OP_TRISC0,
                                                              TD_OP_TRISC1, TD_OP_TRISC2, TD_OP_ERISC};
    const int rc = give_launch(r, err);
    r->launch = (struct td_op_launch){.device = row->chip,
                                      .run_id = row->run_host_id,
                                      .trace = row->trace_id,
                                      .replay = row->trace_count,
                                      .x = (uint16_t)row->core_x,
                                      .y = (uint16_t)row->core_y,
                                      .lane = lane,
                                      .risc = lane < TD_TT_RISC_COUNT ? risc_of[lane] : TD_OP_OTHER_RISC};
    clear_times(&r->launch);
    r->has_launch = true;
    return rc;
}

static bool ends_with(struct td_tt_text text, const char *end, size_t bytes)
{
    return text.bytes >= bytes && !memcmp(text.at + text.bytes - bytes, end, bytes);
}

/* The time of the zone's begin or end. A second one of the same launch means that another launch began. */
static int take_zone(struct log_reader *r, const struct td_tt_log_row *row, bool kernel, struct td_err *err)
{
    const int64_t time = row->time_cycles > INT64_MAX ? INT64_MAX : (int64_t)row->time_cycles;
    struct td_op_launch *l = &r->launch;
    int64_t *start = kernel ? &l->kernel_start : &l->fw_start, *end = kernel ? &l->kernel_end : &l->fw_end;
    int64_t *to = row->type == TD_TT_ZONE_START ? start : end;
    if (*to != TD_OP_NO_TIME) {
        const int rc = give_launch(r, err);
        if (rc < 0)
            return rc;
        clear_times(l);
    }
    *to = time;
    return 0;
}

static void take_total(struct td_op_launch *l, const struct td_tt_log_row *row)
{
    const int64_t cycles = row->data > INT64_MAX ? INT64_MAX : (int64_t)row->data;
    int64_t *to = NULL;
    if (l->risc == TD_OP_TRISC0 && td_tt_text_is(row->zone, "CB-COMPUTE-WAIT-FRONT"))
        to = &l->cb_wait_front;
    else if (l->risc == TD_OP_TRISC2 && td_tt_text_is(row->zone, "CB-COMPUTE-RESERVE-BACK"))
        to = &l->cb_reserve_back;
    if (to)
        *to = td_wrap_add(*to < 0 ? 0 : *to, cycles);
}

static int take_row(void *self, const struct td_tt_log_row *row, struct td_err *err)
{
    struct log_reader *r = self;
    r->device->rows++;
    if (!row->run_host_id) { /* not a launch of a program */
        r->device->no_op_rows++;
        return 0;
    }
    const uint8_t lane = lane_of(r, row);
    int rc = r->has_launch && is_same(&r->launch, row, lane) ? 0 : begin_launch(r, row, lane, err);
    if (rc == 0 && (row->type == TD_TT_ZONE_START || row->type == TD_TT_ZONE_END)) {
        const bool kernel = ends_with(row->zone, "-KERNEL", 7);
        if (kernel || ends_with(row->zone, "-FW", 3))
            rc = take_zone(r, row, kernel, err);
    } else if (rc == 0 && row->type == TD_TT_ZONE_TOTAL) {
        take_total(&r->launch, row);
    }
    return rc;
}

int td_log_read_file(const char *path,
                     int (*feed)(void *self, const void *bytes, size_t count, struct td_err *err), void *self,
                     struct td_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *piece = malloc(PIECE_BYTES);
    int rc = fd < 0 ? td_fail_errno(err, "cannot open %s", path) : !piece ? td_fail_no_memory(err, NULL) : 0;
    while (rc == 0) {
        const ssize_t n = read(fd, piece, PIECE_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = td_fail_errno(err, "cannot read %s", path);
        if (n <= 0)
            break;
        rc = feed(self, piece, (size_t)n, err);
    }
    free(piece);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int feed_log(void *self, const void *bytes, size_t count, struct td_err *err)
{
    return td_tt_log_reader_feed(self, bytes, count, err);
}

int td_log_read_device(const char *path, struct td_op_sums *sums, struct td_log_device *device,
                       struct td_err *err)
{
    struct log_reader r = {.sums = sums, .device = device};
    const struct td_tt_log_sink sink = {take_head, take_row, &r};
    struct td_tt_log_reader *reader = td_tt_log_reader_create(path, &sink);
    int rc = reader ? td_log_read_file(path, feed_log, reader, err) : td_fail_no_memory(err, NULL);
    rc = rc ? rc : td_tt_log_reader_end_stream(reader, &device->cut, err);
    rc = rc ? rc : give_launch(&r, err);
    td_tt_log_reader_destroy(reader);
    td_map_finish(&r.known_cores);
    return rc;
}
