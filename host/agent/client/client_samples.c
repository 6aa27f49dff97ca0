/* Samples of call stacks, and of the processor's counters. */
#include "host/agent/client/client_internal.h"

#include <assert.h>

static int add_sample(struct td_client_stream *stream, enum td_table table, uint32_t track, int64_t ns,
                      uint32_t stack)
{
    const int64_t row[] = {ns, stack};
    int64_t added = td_stream_row(stream, table, track, row);
    return added < 0 ? (int)added : 0;
}

/* A time of 0 ticks means that it is not known. */
int td_take_sample(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_CallstackSample item = TD_GET(CallstackSample); /* the two items have the same layout */
    int64_t ticks = td_stream_advance(&stream->switch_time, item.time);
    uint32_t stack = stream->stack;
    stream->stack = 0;
    uint32_t track = td_stream_thread_track(stream, item.thread);
    if (track == TD_NO_NUMBER)
        return TD_E_NOMEM;
    if (!stack) {
        stream->counts.ignored++;
        return 0;
    }
    int64_t ns = ticks ? td_stream_event_ns(stream, ticks) : 0;
    uint64_t innermost = stream->stacks.entries.at[stream->stacks.stacks.at[stack].first];
    if (innermost >> 61 & 1) { /* an address of the kernel */
        struct td_name *thread = td_names_find(&stream->names, TD_NAME_THREAD, item.thread);
        thread->u.thread.track.kernel_samples++;
    }
    stream->counts.samples++;
    stack = td_stream_stack_row(stream, stack);
    int bad = add_sample(stream, TD_TABLE_SAMPLE, track, ns, stack);
    if (!bad && view->item == TD_ITEM_CallstackSampleContextSwitch)
        bad = add_sample(stream, TD_TABLE_SWITCH_SAMPLE, track, ns, stack);
    return bad;
}

int td_take_hw_sample(struct td_client_stream *stream, const struct td_wire_view *view)
{
    static_assert(TD_TABLE_HW_BRANCH_MISSES - TD_TABLE_HW_CYCLES ==
                      TD_ITEM_HwSampleBranchMiss - TD_ITEM_HwSampleCpuCycle,
                  "tables in the order of the items");
    struct td_wire_HwSampleCpuCycle item = TD_GET(HwSampleCpuCycle); /* all have the same layout */
    uint32_t row = td_map_get(&stream->hw_addresses, item.ip, TD_NO_NUMBER);
    int64_t added;
    if (row == TD_NO_NUMBER) {
        const int64_t address[] = {(int64_t)item.ip};
        added = td_stream_row(stream, TD_TABLE_HW_ADDRESS, 0, address);
        if (added < 0)
            return (int)added;
        row = (uint32_t)added;
        if (td_map_add(&stream->hw_addresses, item.ip, row) < 0)
            return TD_E_NOMEM;
    }
    const int64_t time[] = {item.time ? td_stream_event_ns(stream, item.time) : 0};
    added = td_stream_row(stream, TD_TABLE_HW_CYCLES + (view->item - TD_ITEM_HwSampleCpuCycle), row, time);
    return added < 0 ? (int)added : 0;
}
