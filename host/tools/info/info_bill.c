/* What profiling has cost the cores of a trace, as text. */
#include "host/base/time_text.h"
#include "host/query/rows/bill_table.h"
#include "host/query/table/text_form.h"
#include "host/tools/info/info.h"

#include <inttypes.h>

static void print_bill_sum(const struct td_query_rows *rows)
{
    char waited[32];
    const struct td_bill sum = td_bill_sum(rows);
    printf("\n  cost of markers: %" PRIu64 " instructions, %" PRIu64 " stores; %" PRIu64
           " bytes drained; %" PRIu64 " waits for room, %s\n",
           sum.instructions, sum.stores, sum.bytes, sum.waits,
           td_time_text(waited, sizeof waited, (double)sum.wait_ns, TD_TIME_WHOLE));
}

int info_print_bill(const struct td_trace *trace, size_t limit, struct td_err *err)
{
    return info_print_table(trace, &td_table_bill, "instructions", print_bill_sum, limit, err);
}
