/* What reports of traces and of logs share. */
#pragma once
#include "host/report/tt/core_latency.h"
#include "host/report/files.h"
#include "host/report/tt/rows.h"

struct report_work {
    const struct td_report_options *options;
    struct td_report_result *result;
    struct td_host_ops host;
    struct td_report_rows rows;
    struct td_op_sums *sums;
    void (*on_op)(struct report_work *r,
                  const struct td_op_sum *op); /* before other files get it; NULL: none */
    struct td_report_stream stream[TD_REPORT_FILE_COUNT];
    struct td_core_latency *latency; /* NULL: not written, or the cores are not known yet */
    const uint32_t *cores;           /* of the columns of `latency` */
    size_t core_count;
};

static inline bool td_report_wants_(const struct report_work *r, enum td_report_file file)
{
    return r->options->files >> file & 1;
}
/* Prepares sums and rows. `chip` and `clock` get `self`. */
int td_report_begin_(struct report_work *r, struct td_op_clock (*clock)(void *self, uint32_t device),
                     struct td_chip_clock (*chip)(void *self, uint32_t device), struct td_err *err);
/* Opens a file that is wanted. */
int td_report_open_(struct report_work *r, enum td_report_file file, struct td_err *err);
/* After the last operation: writes the reports. */
int td_report_write_(struct report_work *r, struct td_err *err);
/* Gives the files their names if rc is 0, else removes them. Frees all. Returns rc, or a failure of its
 * own. */
int td_report_end_(struct report_work *r, int rc, struct td_err *err);
