/* Reads a folder of tt-metal's logs: profile_log_device.csv in cycles, and what the host program said,
 * from tracy_ops_data.csv and tracy_ops_times.csv. Rows of a device log are in no order of time, so
 * operations are given at its end, and memory grows with their number. Errors are one line with file and
 * row. */
#pragma once
#include "host/report/ops/host_ops.h"
#include "host/report/tt/text_arena.h"
#include "host/tt/device_log_read.h"

/* Reads the host's files of a folder, if they are there. The arena keeps the texts. */
int td_log_read_host(const char *folder, struct td_host_ops *ops, struct td_text_arena *arena,
                     struct td_err *err);

struct td_log_device {
    struct td_tt_log_head head;
    uint64_t rows;
    uint64_t no_op_rows; /* of these, with the run host id 0: they are in no operation */
    bool cut;            /* the last row is not complete */
    uint32_t *cores;     /* x << 16 | y: those with an operation; the caller frees */
    size_t core_count, core_room;
};
/* Reads a device log. `sums` asks for clocks by td_log_clock() of *device, which must be all zero at
 * first. Does not end the sums. */
int td_log_read_device(const char *path, struct td_op_sums *sums, struct td_log_device *device,
                       struct td_err *err);
struct td_op_clock td_log_clock(const struct td_log_device *device);

/* Feeds a file to `feed`, in pieces, until it returns another value than 0. */
int td_log_read_file(const char *path,
                     int (*feed)(void *self, const void *bytes, size_t count, struct td_err *err), void *self,
                     struct td_err *err);
