/* What profiling has cost the cores of a trace (TD_NOTE_BILL). */
#include "host/base/grow.h"
#include "host/base/time_text.h"
#include "host/tools/info/info.h"
#include "proto/bill_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct bills {
    struct td_bill *at;
    size_t count, capacity;
};

static int read_bills(const struct td_trace *trace, struct bills *bills)
{
    const char *line;
    size_t next = 0;
    while ((line = td_trace_next_note(trace, TD_NOTE_BILL, &next))) {
        if (td_grow(&bills->at, &bills->capacity, bills->count + 1, sizeof *bills->at))
            return TD_E_NOMEM;
        bills->count += td_bill_read(line, &bills->at[bills->count]);
    }
    return 0;
}

static int by_instructions(const void *a, const void *b)
{
    const struct td_bill *x = a, *y = b;
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? 1 : -1;
    return x < y ? -1 : x > y;
}

static const char *core_name(const struct td_trace *trace, const struct td_bill *bill,
                             char room[INFO_TRACK_BYTES])
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (td_track_is_core(track) && track->chip == bill->chip && track->x == bill->x &&
            track->y == bill->y && track->core == bill->core)
            return info_track_name(trace, t, room);
    }
    return "(a core without events)";
}

static struct td_bill sum_of(const struct bills *bills)
{
    struct td_bill sum = {0};
    for (size_t i = 0; i < bills->count; i++) {
#define TD_X(member, before, after) sum.member += bills->at[i].member;
        TD_BILL(TD_X)
#undef TD_X
    }
    return sum;
}

static void print_bill(const struct td_trace *trace, const struct bills *bills, size_t limit)
{
    char waited[32];
    const struct td_bill sum = sum_of(bills);
    printf("\n  cost of markers: %" PRIu64 " instructions, %" PRIu64 " stores; %" PRIu64
           " bytes drained; %" PRIu64 " waits for room, %s\n",
           sum.instructions, sum.stores, sum.bytes, sum.waits,
           td_time_text(waited, sizeof waited, (double)sum.wait_ns, TD_TIME_WHOLE));
    printf("  %-36s %10s %12s %10s %12s %8s %12s\n", "core", "markers", "instructions", "stores", "bytes",
           "waits", "waited");
    for (size_t i = 0; i < bills->count && i < limit; i++) {
        const struct td_bill *b = &bills->at[i];
        fputs("  ", stdout);
        info_print_cell(core_name(trace, b, (char[INFO_TRACK_BYTES]){0}), 36);
        printf(" %10" PRIu64 " %12" PRIu64 " %10" PRIu64 " %12" PRIu64 " %8" PRIu64 " %12s\n",
               b->zones + b->messages + b->points, b->instructions, b->stores, b->bytes, b->waits,
               td_time_text(waited, sizeof waited, (double)b->wait_ns, TD_TIME_WHOLE));
    }
    info_print_more(bills->count > limit ? bills->count - limit : 0);
}

int info_print_bill(const struct td_trace *trace, size_t limit, struct td_err *err)
{
    struct bills bills = {0};
    const int rc = read_bills(trace, &bills);
    if (rc == 0 && bills.count) {
        qsort(bills.at, bills.count, sizeof *bills.at, by_instructions);
        print_bill(trace, &bills, limit);
    }
    free(bills.at);
    return rc ? td_fail_no_memory(err, NULL) : 0;
}

int info_json_bill(struct td_json *j, const struct td_trace *trace, struct td_err *err)
{
    struct bills bills = {0};
    const int rc = read_bills(trace, &bills);
    td_json_array(j, "bill");
    for (size_t i = 0; rc == 0 && i < bills.count; i++) {
        const struct td_bill *b = &bills.at[i];
        td_json_object(j, NULL);
        td_json_uint(j, "chip", b->chip);
        td_json_uint(j, "x", b->x);
        td_json_uint(j, "y", b->y);
        td_json_uint(j, "core", b->core);
        td_json_uint(j, "launches", b->launches);
        td_json_uint(j, "zones", b->zones);
        td_json_uint(j, "messages", b->messages);
        td_json_uint(j, "points", b->points);
        td_json_uint(j, "instructions", b->instructions);
        td_json_uint(j, "stores", b->stores);
        td_json_uint(j, "bytes", b->bytes);
        td_json_uint(j, "waits", b->waits);
        td_json_uint(j, "wait_ns", b->wait_ns);
        const struct {
            const char *key;
            uint64_t ps;
        } means[] = {{"zone_ns", b->zone_ps}, {"message_ns", b->message_ps}, {"point_ns", b->point_ps}};
        for (size_t k = 0; k < sizeof means / sizeof *means; k++)
            if (means[k].ps)
                td_json_double(j, means[k].key, (double)means[k].ps / 1000);
            else
                td_json_null(j, means[k].key);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    free(bills.at);
    return rc ? td_fail_no_memory(err, NULL) : 0;
}
