/* Samples of call stacks in a Perfetto trace. */
#include "host/agent/import/perfetto_trace.h"

static int add_sample(struct td_perfetto *perfetto, uint32_t owner, int64_t time_ns, uint32_t stack)
{
    if (owner == UINT32_MAX || stack == UINT32_MAX)
        return TD_E_NOMEM;
    if (!stack)
        return td_pf_lose(perfetto, TD_LOSS_SAMPLE);
    return td_timeline_sample(perfetto->timeline,
                              (struct td_timeline_place){.time_ns = time_ns, .owner = owner}, stack);
}

static int take_perf_sample(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    struct td_pb_reader message = packet->message;
    struct td_pb_field field;
    uint64_t stack = 0, lost = 0;
    int64_t pid = 0, tid = 0, time_ns;
    bool is_skipped = false;
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_PERF_SAMPLE_PID:
            pid = (int64_t)field.value;
            break;
        case TD_PF_PERF_SAMPLE_TID:
            tid = (int64_t)field.value;
            break;
        case TD_PF_PERF_SAMPLE_CALLSTACK_IID:
            stack = field.value;
            break;
        case TD_PF_PERF_SAMPLE_KERNEL_RECORDS_LOST:
            lost = field.value;
            break;
        case TD_PF_PERF_SAMPLE_SKIPPED_REASON:
            is_skipped = true;
            break;
        default:
            break;
        }
    if (message.is_damaged)
        return TD_E_FORMAT;
    if (lost)
        return td_pf_lose(perfetto, TD_LOSS_DROPPED);
    if (!stack || is_skipped)
        return td_pf_lose(perfetto, TD_LOSS_SAMPLE);
    if (!td_pf_packet_ns(perfetto, packet, &time_ns))
        return td_pf_lose(perfetto, TD_LOSS_TIME);
    return add_sample(perfetto, td_pf_find_thread(perfetto, pid, tid), time_ns,
                      td_pf_interned_stack(perfetto, packet->sequence, stack));
}

static void read_task(struct td_pb_reader message, struct td_pf_task_of *task)
{
    struct td_pb_field field;
    while (td_pb_next(&message, &field)) {
        task->pid = field.number == TD_PF_TASK_PID ? (int64_t)field.value : task->pid;
        task->tid = field.number == TD_PF_TASK_TID ? (int64_t)field.value : task->tid;
    }
}

static int take_stack_sample(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    struct td_pf_sequence *sequence = packet->sequence;
    struct td_pb_reader message = packet->message;
    struct td_pb_field field;
    struct td_pf_task_of task = {0};
    uint32_t stack = 0, number;
    int64_t time_ns;
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_STACK_SAMPLE_TASK:
            read_task(field.message, &task);
            break;
        case TD_PF_STACK_SAMPLE_TASK_IID:
            number = td_map_get(&sequence->by_task, field.value, UINT32_MAX);
            if (number != UINT32_MAX)
                task = sequence->tasks[number];
            break;
        case TD_PF_STACK_SAMPLE_CALLSTACK:
            stack = td_pf_inline_stack(perfetto, field.message);
            break;
        case TD_PF_STACK_SAMPLE_CALLSTACK_IID:
            stack = td_pf_interned_stack(perfetto, sequence, field.value);
            break;
        default:
            break;
        }
    if (message.is_damaged)
        return TD_E_FORMAT;
    if (!td_pf_packet_ns(perfetto, packet, &time_ns))
        return td_pf_lose(perfetto, TD_LOSS_TIME);
    return add_sample(perfetto, td_pf_find_thread(perfetto, task.pid, task.tid), time_ns, stack);
}

/* Samples of the sequence's thread: each stack has a time, which is a difference to the one before. */
static int take_profile(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    struct td_pf_sequence *sequence = packet->sequence;
    struct td_pb_reader stacks = packet->message, deltas = packet->message;
    struct td_pb_field field, of_delta = {0};
    struct td_pb_numbers iids, times = {0};
    uint64_t iid, delta;
    int64_t time_ns;
    int bad = 0;
    while (!bad && td_pb_next(&stacks, &field)) {
        if (field.number != TD_PF_STREAMING_PROFILE_CALLSTACK_IIDS)
            continue;
        iids = td_pb_list(&field, false);
        while (!bad && td_pb_next_number(&iids, &iid)) {
            while (!td_pb_next_number(&times, &delta)) {
                do {
                    if (!td_pb_next(&deltas, &of_delta))
                        return TD_E_FORMAT; /* a stack without a time */
                } while (of_delta.number != TD_PF_STREAMING_PROFILE_DELTA_US);
                times = td_pb_list(&of_delta, false);
            }
            if (__builtin_add_overflow(sequence->time_us, (int64_t)delta, &sequence->time_us) ||
                sequence->time_us < 0 || sequence->time_us >= INT64_MAX / 1000 ||
                !td_pf_clocks_ns(&perfetto->clocks, TD_PF_MONOTONIC, (uint64_t)sequence->time_us * 1000,
                                 &time_ns))
                bad = td_pf_lose(perfetto, TD_LOSS_TIME);
            else
                bad = add_sample(perfetto, td_pf_find_thread(perfetto, sequence->pid, sequence->tid), time_ns,
                                 td_pf_interned_stack(perfetto, sequence, iid));
        }
    }
    return bad ? bad : stacks.is_damaged ? TD_E_FORMAT : 0;
}

int td_pf_take_sample(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    switch (packet->data) {
    case TD_PF_PACKET_PERF_SAMPLE:
        return take_perf_sample(perfetto, packet);
    case TD_PF_PACKET_STACK_SAMPLE:
        return take_stack_sample(perfetto, packet);
    default:
        return take_profile(perfetto, packet);
    }
}
