/* The rows of a report of operations: each operation of a device with what the host said of it, operations
 * of the host alone, and signposts, in order of the host's time. */
#pragma once
#include "host/report/ops/host_ops.h"
#include "host/report/noc/op_measures.h"
#include "proto/chip_text.h"

struct td_report_row {
    int64_t key_ns;    /* by which rows are sorted */
    uint32_t order;    /* of rows with equal keys */
    uint32_t host;     /* of td_host_ops.ops; UINT32_MAX: none */
    uint32_t signpost; /* of td_host_ops.signposts; UINT32_MAX: it is an operation */
    bool has_device;
    bool replaced;       /* a row of an imported report has its place in a report of operations */
    struct td_op_sum op; /* without cores, and `name` is NULL */
    uint32_t op_name;    /* place in td_report_rows.names; UINT32_MAX: none */
};

struct td_report_rows { /* all zero but `host`, `chip` and `measures`: no rows */
    struct td_host_ops *host;
    struct td_chip_clock (*chip)(void *self, uint32_t device);
    void *self;
    const struct td_op_measures *measures; /* NULL: none */
    struct td_report_row *rows;
    size_t count, room;
    char *names;
    size_t name_bytes, name_room;
    int64_t host_zero_ns; /* time 0 of the trace, in an imported report's times; set by td_ops_csv_write() */
    uint64_t unmatched; /* operations of devices that the host did not announce, though it announced others */
};
void td_report_rows_free(struct td_report_rows *rows);
/* An operation of a device, in the device's order. 0 or TD_E_NOMEM. */
int td_report_rows_add(struct td_report_rows *rows, const struct td_op_sum *op);
/* Adds the host's operations that no device ran, and the signposts; sorts. Call once, after the last
 * operation. */
int td_report_rows_finish(struct td_report_rows *rows);
/* The host's operation of a row, or NULL. */
const struct td_host_op *td_report_row_host(const struct td_report_rows *rows,
                                            const struct td_report_row *row);
/* The name of an operation: the host's, else what the device's launch says, else "". */
struct td_tt_text td_report_row_name(const struct td_report_rows *rows, const struct td_report_row *row);
