#include "host/report/tt/rows.h"
#include "host/base/compare.h"
#include "host/base/grow.h"

#include <stdlib.h>

void td_report_rows_free(struct td_report_rows *rows)
{
    free(rows->rows);
    free(rows->names);
    rows->rows = NULL;
    rows->names = NULL;
    rows->count = rows->room = rows->name_bytes = rows->name_room = 0;
}

static struct td_report_row *add_row(struct td_report_rows *rows)
{
    if (rows->count >= UINT32_MAX ||
        td_grow(&rows->rows, &rows->room, rows->count + 1, sizeof *rows->rows) < 0)
        return NULL;
    struct td_report_row *row = &rows->rows[rows->count];
    *row = (struct td_report_row){
        .order = (uint32_t)rows->count++, .host = UINT32_MAX, .signpost = UINT32_MAX, .op_name = UINT32_MAX};
    return row;
}

static int keep_name(struct td_report_rows *rows, const char *name, uint32_t *place)
{
    const size_t bytes = strlen(name) + 1;
    if (bytes == 1)
        return 0;
    if (rows->name_bytes + bytes > UINT32_MAX ||
        td_grow(&rows->names, &rows->name_room, rows->name_bytes + bytes, 1) < 0)
        return TD_E_NOMEM;
    memcpy(rows->names + rows->name_bytes, name, bytes);
    *place = (uint32_t)rows->name_bytes;
    rows->name_bytes += bytes;
    return 0;
}

/* The host's time of an operation: of its replay, of its zone, of its message. */
static int64_t host_time(const struct td_report_rows *rows, const struct td_report_row *row)
{
    const struct td_host_op *host = &rows->host->ops[row->host];
    if (host->reported) /* the messages of an imported report are in its order */
        return host->time_ns;
    if (row->has_device && row->op.trace != TD_OP_NO_TRACE) {
        const int64_t at = td_host_ops_replay_time(rows->host, host->device, row->op.trace, row->op.replay);
        if (at != TD_OP_NO_TIME)
            return at;
    }
    return host->zone_start_ns != TD_OP_NO_TIME ? host->zone_start_ns : host->time_ns;
}

int td_report_rows_add(struct td_report_rows *rows, const struct td_op_sum *op)
{
    /* Rows without a host's time follow the row before. */
    const int64_t before = rows->count ? rows->rows[rows->count - 1].key_ns : INT64_MIN;
    struct td_host_op *host = td_host_ops_find(rows->host, op->run_id);
    struct td_report_row *row = add_row(rows);
    if (!row || keep_name(rows, op->name ? op->name : "", &row->op_name) < 0)
        return TD_E_NOMEM;
    row->has_device = true;
    row->op = *op;
    row->op.cores = NULL;
    row->op.name = NULL;
    row->key_ns = op->clock.cycles ? before : op->kernel.first_start;
    if (!host) {
        rows->unmatched += rows->host->count != 0;
        return 0;
    }
    row->host = (uint32_t)(host - rows->host->ops);
    row->replaced = host->reported;
    host->runs++;
    /* A device log without columns of traces: its n-th run is the n-th replay. */
    if (op->trace == TD_OP_NO_TRACE && host->trace != TD_OP_NO_TRACE) {
        row->op.trace = host->trace;
        row->op.replay = host->runs;
    }
    row->key_ns = host_time(rows, row);
    return 0;
}

TD_COMPARE(compare_rows, struct td_report_row, TD_UP(key_ns) TD_UP(order))

int td_report_rows_finish(struct td_report_rows *rows)
{
    for (size_t i = 0; i < rows->host->count; i++) {
        const struct td_host_op *host = &rows->host->ops[i];
        if (!host->reported && (host->runs || td_host_ops_find(rows->host, host->id) != host))
            continue;
        struct td_report_row *row = add_row(rows);
        if (!row)
            return TD_E_NOMEM;
        row->host = (uint32_t)i;
        row->key_ns = host_time(rows, row);
    }
    for (size_t i = 0; i < rows->host->signpost_count; i++) {
        struct td_report_row *row = add_row(rows);
        if (!row)
            return TD_E_NOMEM;
        row->signpost = (uint32_t)i;
        row->key_ns = rows->host->signposts[i].time_ns;
    }
    if (rows->count)
        qsort(rows->rows, rows->count, sizeof *rows->rows, compare_rows);
    return 0;
}

const struct td_host_op *td_report_row_host(const struct td_report_rows *rows,
                                            const struct td_report_row *row)
{
    return row->host == UINT32_MAX ? NULL : &rows->host->ops[row->host];
}

struct td_tt_text td_report_row_name(const struct td_report_rows *rows, const struct td_report_row *row)
{
    if (row->host != UINT32_MAX)
        return rows->host->ops[row->host].name;
    return row->op_name == UINT32_MAX ? TD_TT_TEXT_NONE : td_tt_text_of(rows->names + row->op_name);
}
