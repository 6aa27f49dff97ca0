/* Events of the kernel in a Perfetto trace: context switches, wakeups, and what programs wrote for it. */
#include "host/agent/import/perfetto_trace.h"
#include "host/agent/import/timeline_switches.h"
#include "host/base/wrap.h"

#include <inttypes.h>
#include <stdio.h>

struct bundle {
    uint64_t cpu;
    int64_t offset_ns; /* from its clock to the trace's */
};

/* The owner of a thread with its name, if it has one; false: no memory. The idle thread has none. */
static bool find_thread(struct td_perfetto *perfetto, int64_t tid, uint32_t name, uint32_t *owner)
{
    *owner = TD_TIMELINE_NO_THREAD;
    if (!tid)
        return true;
    const uint32_t number = td_late_threads_find(&perfetto->threads, perfetto->timeline, tid);
    if (number == UINT32_MAX || name == UINT32_MAX)
        return false;
    struct td_late_thread *thread = &perfetto->threads.at[number];
    thread->name = name ? name : thread->name;
    *owner = thread->owner;
    return true;
}

static bool time_of(const struct bundle *bundle, uint64_t timestamp, int64_t *ns)
{
    if (timestamp > (uint64_t)INT64_MAX / 4)
        return false;
    *ns = td_wrap_add((int64_t)timestamp, bundle->offset_ns);
    return *ns < INT64_MAX / 2 && *ns > -(INT64_MAX / 2);
}

/* ---- events */

static int take_switch(struct td_perfetto *perfetto, const struct bundle *bundle, int64_t time_ns,
                       struct td_pb_reader message)
{
    struct td_pb_field field;
    int64_t out = 0, in = 0, state = 0;
    uint32_t out_name = 0, in_name = 0;
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_SCHED_SWITCH_PREV_COMM:
            out_name = td_pf_string(perfetto, &field);
            break;
        case TD_PF_SCHED_SWITCH_PREV_TID:
            out = (int64_t)field.value;
            break;
        case TD_PF_SCHED_SWITCH_PREV_STATE:
            state = (int64_t)field.value;
            break;
        case TD_PF_SCHED_SWITCH_NEXT_COMM:
            in_name = td_pf_string(perfetto, &field);
            break;
        case TD_PF_SCHED_SWITCH_NEXT_TID:
            in = (int64_t)field.value;
            break;
        default:
            break;
        }
    struct td_timeline_switched change = {
        .time_ns = time_ns, .cpu = (uint32_t)bundle->cpu, .state = td_timeline_linux_state(state)};
    if (message.is_damaged)
        return TD_E_FORMAT;
    if (!find_thread(perfetto, out, out_name, &change.out) || !find_thread(perfetto, in, in_name, &change.in))
        return TD_E_NOMEM;
    return td_timeline_switch(perfetto->timeline, &change);
}

static int take_waking(struct td_perfetto *perfetto, const struct bundle *bundle, int64_t time_ns,
                       struct td_pb_reader message)
{
    struct td_pb_field field;
    int64_t tid = 0;
    uint32_t name = 0, thread, cpu = (uint32_t)bundle->cpu;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_SCHED_WAKING_TID)
            tid = (int64_t)field.value;
        else if (field.number == TD_PF_SCHED_WAKING_COMM)
            name = td_pf_string(perfetto, &field);
        else if (field.number == TD_PF_SCHED_WAKING_TARGET_CPU)
            cpu = (uint32_t)field.value;
    }
    if (message.is_damaged || !tid)
        return TD_E_FORMAT;
    return find_thread(perfetto, tid, name, &thread)
               ? td_timeline_wakeup(perfetto->timeline, time_ns, cpu, thread)
               : TD_E_NOMEM;
}

/* A point of the plot "CPU 3 frequency (kHz)". */
static int take_frequency(struct td_perfetto *perfetto, int64_t time_ns, struct td_pb_reader message)
{
    struct td_pb_field field;
    uint64_t khz = 0, cpu = 0;
    char name[64];
    while (td_pb_next(&message, &field)) {
        khz = field.number == TD_PF_CPU_FREQUENCY_KHZ ? field.value : khz;
        cpu = field.number == TD_PF_CPU_FREQUENCY_CPU ? field.value : cpu;
    }
    if (message.is_damaged)
        return TD_E_FORMAT;
    const struct td_timeline_id none = {"", 0};
    const int bytes = snprintf(name, sizeof name, "CPU %" PRIu64 " frequency (kHz)", cpu);
    const uint32_t process = td_timeline_process(perfetto->timeline, none);
    return process == UINT32_MAX
               ? TD_E_NOMEM
               : td_timeline_point(perfetto->timeline, process, time_ns,
                                   (struct td_timeline_id){name, (size_t)bytes}, none, (double)khz);
}

static int take_text(struct td_perfetto *perfetto, int64_t tid, int64_t time_ns, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_timeline_id text = {"", 0};
    while (td_pb_next(&message, &field))
        text = field.number == TD_PF_PRINT_TEXT ? td_pb_text(&field) : text;
    const uint32_t number = td_late_threads_find(&perfetto->threads, perfetto->timeline, tid);
    if (message.is_damaged)
        return TD_E_FORMAT;
    return number == UINT32_MAX
               ? TD_E_NOMEM
               : td_pf_take_print(perfetto, perfetto->threads.at[number].owner, time_ns, text);
}

static int take_event(struct td_perfetto *perfetto, const struct bundle *bundle, struct td_pb_reader message)
{
    struct td_pb_field field, of = {0};
    uint64_t timestamp = 0;
    int64_t tid = 0, time_ns;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_FTRACE_EVENT_TIMESTAMP)
            timestamp = field.value;
        else if (field.number == TD_PF_FTRACE_EVENT_TID)
            tid = (int64_t)field.value;
        else if (field.wire == TD_PB_BYTES)
            of = field;
    }
    if (message.is_damaged)
        return TD_E_FORMAT;
    if (!time_of(bundle, timestamp, &time_ns))
        return td_pf_lose(perfetto, TD_LOSS_TIME);
    switch (of.number) {
    case TD_PF_FTRACE_EVENT_PRINT:
        return take_text(perfetto, tid, time_ns, of.message);
    case TD_PF_FTRACE_EVENT_CPU_FREQUENCY:
        return take_frequency(perfetto, time_ns, of.message);
    case TD_PF_FTRACE_EVENT_SCHED_SWITCH:
        return take_switch(perfetto, bundle, time_ns, of.message);
    case TD_PF_FTRACE_EVENT_SCHED_WAKEUP:
    case TD_PF_FTRACE_EVENT_SCHED_WAKING:
    case TD_PF_FTRACE_EVENT_WAKEUP_NEW:
        return take_waking(perfetto, bundle, time_ns, of.message);
    default:
        td_timeline_lose(perfetto->timeline, "other kernel event");
        return 0;
    }
}

/* ---- columns of switches and wakeups */

#define COLUMNS (TD_PF_COMPACT_SCHED_WAKING_COMM + 1)

struct columns {
    struct td_pb_reader parts[COLUMNS]; /* the rest of the message, in which the column goes on */
    struct td_pb_numbers numbers[COLUMNS];
    struct td_pb_reader comms;
};

static bool next_of(struct columns *columns, uint32_t column, uint64_t *value)
{
    struct td_pb_field field;
    while (!td_pb_next_number(&columns->numbers[column], value)) {
        do {
            if (!td_pb_next(&columns->parts[column], &field))
                return false;
        } while (field.number != column);
        columns->numbers[column] = td_pb_list(&field, false);
    }
    return true;
}

/* Names by number: strings of the dictionary. */
struct comms {
    uint32_t at[4096];
    size_t count;
};

static int read_comms(const struct td_perfetto *perfetto, struct td_pb_reader message, struct comms *comms)
{
    struct td_pb_field field;
    comms->count = 0;
    while (td_pb_next(&message, &field)) {
        if (field.number != TD_PF_COMPACT_SCHED_COMMS || comms->count == sizeof comms->at / sizeof *comms->at)
            continue;
        const uint32_t name = td_pf_string(perfetto, &field);
        if (name == UINT32_MAX)
            return TD_E_NOMEM;
        comms->at[comms->count++] = name;
    }
    return message.is_damaged ? TD_E_FORMAT : 0;
}

static uint32_t comm_at(const struct comms *comms, uint64_t number)
{
    return number < comms->count ? comms->at[number] : 0;
}

/* The thread that stops is the one that the row before it started; of the first row it is not known. */
static int take_switches(struct td_perfetto *perfetto, const struct bundle *bundle, struct columns *columns,
                         const struct comms *comms)
{
    uint64_t delta, state, tid, comm, timestamp = 0;
    uint32_t out = TD_TIMELINE_NO_THREAD;
    int bad = 0;
    while (!bad && next_of(columns, TD_PF_COMPACT_SCHED_SWITCH_NS, &delta)) {
        struct td_timeline_switched change = {.cpu = (uint32_t)bundle->cpu, .out = out};
        timestamp += delta;
        if (!next_of(columns, TD_PF_COMPACT_SCHED_PREV_STATE, &state) ||
            !next_of(columns, TD_PF_COMPACT_SCHED_NEXT_TID, &tid) ||
            !next_of(columns, TD_PF_COMPACT_SCHED_NEXT_COMM, &comm))
            return TD_E_FORMAT;
        change.state = td_timeline_linux_state((int64_t)state);
        if (!find_thread(perfetto, (int64_t)tid, comm_at(comms, comm), &change.in))
            return TD_E_NOMEM;
        out = change.in;
        bad = time_of(bundle, timestamp, &change.time_ns) ? td_timeline_switch(perfetto->timeline, &change)
                                                          : td_pf_lose(perfetto, TD_LOSS_TIME);
    }
    return bad;
}

static int take_wakings(struct td_perfetto *perfetto, const struct bundle *bundle, struct columns *columns,
                        const struct comms *comms)
{
    uint64_t delta, tid, cpu, comm, timestamp = 0;
    int64_t time_ns;
    uint32_t thread;
    int bad = 0;
    while (!bad && next_of(columns, TD_PF_COMPACT_SCHED_WAKING_NS, &delta)) {
        timestamp += delta;
        if (!next_of(columns, TD_PF_COMPACT_SCHED_WAKING_TID, &tid) ||
            !next_of(columns, TD_PF_COMPACT_SCHED_WAKING_CPU, &cpu) ||
            !next_of(columns, TD_PF_COMPACT_SCHED_WAKING_COMM, &comm))
            return TD_E_FORMAT;
        if (!tid || !time_of(bundle, timestamp, &time_ns))
            bad = td_pf_lose(perfetto, TD_LOSS_TIME);
        else if (!find_thread(perfetto, (int64_t)tid, comm_at(comms, comm), &thread))
            bad = TD_E_NOMEM;
        else
            bad = td_timeline_wakeup(perfetto->timeline, time_ns, (uint32_t)cpu, thread);
    }
    return bad;
}

static int take_compact(struct td_perfetto *perfetto, const struct bundle *bundle,
                        struct td_pb_reader message)
{
    struct columns columns;
    struct comms comms;
    memset(&columns, 0, sizeof columns);
    for (unsigned i = 0; i < COLUMNS; i++)
        columns.parts[i] = message;
    int bad = read_comms(perfetto, message, &comms);
    bad = bad ? bad : take_switches(perfetto, bundle, &columns, &comms);
    return bad ? bad : take_wakings(perfetto, bundle, &columns, &comms);
}

/* ---- bundles */

static struct bundle read_bundle(struct td_perfetto *perfetto, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct bundle bundle = {0};
    uint64_t clock = 0, clock_ns = 0, boot_ns = 0;
    while (td_pb_next(&message, &field)) {
        bundle.cpu = field.number == TD_PF_FTRACE_BUNDLE_CPU ? field.value : bundle.cpu;
        clock = field.number == TD_PF_FTRACE_BUNDLE_CLOCK ? field.value : clock;
        clock_ns = field.number == TD_PF_FTRACE_BUNDLE_CLOCK_NS ? field.value : clock_ns;
        boot_ns = field.number == TD_PF_FTRACE_BUNDLE_BOOT_NS ? field.value : boot_ns;
        if (field.number == TD_PF_FTRACE_BUNDLE_LOST_EVENTS && field.value)
            td_pf_lose(perfetto, TD_LOSS_DROPPED);
    }
    if (clock && boot_ns)
        bundle.offset_ns = td_wrap_sub((int64_t)boot_ns, (int64_t)clock_ns);
    return bundle;
}

int td_pf_take_kernel(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    struct td_pb_reader message = packet->message;
    struct td_pb_field field;
    const struct bundle bundle = read_bundle(perfetto, message);
    int bad = 0;
    while (bad != TD_E_NOMEM && td_pb_next(&message, &field)) {
        bad = field.number == TD_PF_FTRACE_BUNDLE_EVENT ? take_event(perfetto, &bundle, field.message)
              : field.number == TD_PF_FTRACE_BUNDLE_COMPACT_SCHED
                  ? take_compact(perfetto, &bundle, field.message)
                  : 0;
        if (bad == TD_E_FORMAT)
            td_pf_lose(perfetto, TD_LOSS_DAMAGED);
    }
    return bad == TD_E_NOMEM ? bad : message.is_damaged ? TD_E_FORMAT : 0;
}
