#include "host/client/collect/put_records.h"
#include "host/base/code_address.h"
#include "host/base/err.h"
#include "host/client/encode/announced.h"
#include "host/client/encode/answer.h"
#include "host/client/encode/code_named.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/observed.h"
#include "host/perf/functions.h"
#include "host/wire/items.h"

#include <string.h>
#include <unistd.h>

/* Addresses that the session has seen: most samples have addresses of earlier ones. */
#define SEEN_COUNT 8192
static struct {
    uint64_t addresses[SEEN_COUNT];
    uint32_t threads[64];
} seen;

void td_records_session_begins(void)
{
    memset(&seen, 0, sizeof seen);
}

static void see_thread(struct td_encoder *encoder, uint32_t thread)
{
    uint32_t *place = &seen.threads[thread % (sizeof seen.threads / sizeof *seen.threads)];
    if (*place == thread)
        return;
    *place = thread;
    td_announced_add(encoder->announced, TD_ANNOUNCED_THREAD, thread);
}

static void see_address(struct td_encoder *encoder, uint64_t address)
{
    uint64_t *place = &seen.addresses[(address ^ address >> 13) % SEEN_COUNT];
    if (*place == address)
        return;
    *place = address;
    td_code_saw(encoder, address);
}

static int64_t switch_delta(struct td_encoder *encoder, int64_t time)
{
    const int64_t delta = (int64_t)((uint64_t)time - (uint64_t)encoder->switch_time);
    encoder->switch_time = time;
    return delta;
}

/* Of a stack, all but the place that was interrupted, in the kernel or in the program, are return addresses. They
 * may belong to the next line or function: an address inside of the call does not. */
static uint8_t *put_sample_stack(struct td_encoder *encoder, uint8_t *p, const struct td_perf_record *record)
{
    const uint16_t bytes = (uint16_t)(8 * record->count);
    const struct td_observed *others = td_client_observed();
    p = td_wire_put_CallstackPayload(p, encoder->release, &(struct td_wire_CallstackPayload){1});
    memcpy(p, &bytes, 2);
    p += 2;
    bool was_kernel = true;
    for (uint32_t i = 0; i < record->count; i++, p += 8) {
        uint64_t address = record->stack[i];
        const bool is_kernel = td_is_kernel_address(address);
        if (i && is_kernel == was_kernel)
            address--;
        was_kernel = is_kernel;
        if (others && !is_kernel)
            address = others->address(record->pid, address);
        memcpy(p, &address, 8);
        see_address(encoder, address);
    }
    return p;
}

static uint8_t *put_sample(struct td_encoder *encoder, uint8_t *p, const struct td_perf_record *record)
{
    see_thread(encoder, record->tid);
    p = put_sample_stack(encoder, p, record);
    const struct td_wire_CallstackSample item = {.time = switch_delta(encoder, record->time),
                                                 .thread = record->tid};
    return td_wire_put_short_CallstackSample(p, encoder->release, &item);
}

/* States of Tracy's protocol for Linux; 100 is the reason for all of them. */
static const uint8_t wire_states[] = {
    [TD_PERF_RUNNABLE] = 103, [TD_PERF_SLEEPING] = 104, [TD_PERF_UNINTERRUPTIBLE] = 101,
    [TD_PERF_STOPPED] = 105,  [TD_PERF_TRACED] = 106,   [TD_PERF_DEAD] = 108,
    [TD_PERF_ZOMBIE] = 109,   [TD_PERF_PARKED] = 110,   [TD_PERF_IDLE] = 102,
};

static uint8_t *put_switch(struct td_encoder *encoder, uint8_t *p, const struct td_perf_record *record)
{
    const struct td_wire_ContextSwitch item = {.time = switch_delta(encoder, record->time),
                                               .oldThread = record->change.old_thread,
                                               .newThread = record->change.new_thread,
                                               .cpu = (uint8_t)record->cpu,
                                               .oldThreadWaitReason = 100,
                                               .oldThreadState = wire_states[record->change.state],
                                               .newThreadPriority = record->change.new_priority,
                                               .oldThreadPriority = record->change.old_priority};
    p = td_wire_put_ContextSwitch(p, encoder->release, &item);
    if (!record->count)
        return p;
    see_thread(encoder, record->change.old_thread);
    p = put_sample_stack(encoder, p, record);
    const struct td_wire_CallstackSampleContextSwitch wait = {.time = 0, .thread = record->change.old_thread};
    return td_wire_put_short_CallstackSampleContextSwitch(p, encoder->release, &wait);
}

/* All items of the processor's counters have one layout. */
static uint8_t *put_counter(struct td_encoder *encoder, uint8_t *p, const struct td_perf_record *record)
{
    const struct td_wire_release *release = encoder->release;
#define PUT(KIND, NAME)                                                                                      \
    case TD_PERF_##KIND:                                                                                     \
        return td_wire_put_HwSample##NAME(p, release,                                                        \
                                          &(struct td_wire_HwSample##NAME){record->ip, record->time})
    switch (record->kind) {
        PUT(CYCLES, CpuCycle);
        PUT(INSTRUCTIONS, InstructionRetired);
        PUT(CACHE_REFERENCES, CacheReference);
        PUT(CACHE_MISSES, CacheMiss);
        PUT(BRANCHES, BranchRetired);
        PUT(BRANCH_MISSES, BranchMiss);
    default:
        return p;
    }
#undef PUT
}

static int put_news(struct td_encoder *encoder, const struct td_perf_record *record)
{
    const struct td_observed *others = td_client_observed();
    if (!others || !others->news(record) ||
        !td_announced_has(encoder->announced, TD_ANNOUNCED_THREAD, record->tid))
        return 0;
    return td_answer_thread(encoder, record->tid);
}

/* A client that observes the whole machine leaves itself out: it would sample what it does with each sample. Stacks
 * of switches come from all processes. */
static bool is_unwanted_stack(const struct td_perf_record *record)
{
    const struct td_observed *others = td_client_observed();
    return others && record->count &&
           (!record->tid || record->pid == (uint32_t)getpid() || !others->watches(record->pid));
}

int td_records_put(struct td_encoder *encoder, const struct td_perf_record *record)
{
    uint8_t *p;
    struct td_perf_record bare = *record;
    if (record->time < encoder->since)
        return 0;
    if (record->kind == TD_PERF_PROCESS)
        return put_news(encoder, record);
    if (is_unwanted_stack(record)) {
        if (record->kind == TD_PERF_SAMPLE)
            return 0;
        bare.count = 0;
        record = &bare;
    }
    p = td_encode_room(encoder, 2 * TD_ENCODE_ITEM_MAX + 8u * record->count);
    if (!p)
        return TD_E_GONE;
    switch (record->kind) {
    case TD_PERF_SAMPLE:
        p = put_sample(encoder, p, record);
        break;
    case TD_PERF_SWITCH:
        p = put_switch(encoder, p, record);
        break;
    case TD_PERF_WAKEUP: {
        const struct td_wire_ThreadWakeup item = {.time = switch_delta(encoder, record->time),
                                                  .thread = record->woken,
                                                  .cpu = (uint8_t)record->cpu,
                                                  .adjustReason = -1};
        p = td_wire_put_ThreadWakeup(p, encoder->release, &item);
        break;
    }
    case TD_PERF_VSYNC:
        p = td_wire_put_FrameVsync(p, encoder->release,
                                   &(struct td_wire_FrameVsync){record->time, record->display});
        break;
    default:
        p = put_counter(encoder, p, record);
        break;
    }
    td_encode_put(encoder, p);
    return 0;
}

int td_records_put_message(struct td_encoder *encoder, uint32_t thread, const char *text)
{
    const size_t bytes = strlen(text);
    uint8_t *p = td_encode_room(encoder, 2 * TD_ENCODE_ITEM_MAX + bytes);
    if (!p)
        return TD_E_GONE;
    if (thread != encoder->thread) {
        p = td_wire_put_ThreadContext(p, encoder->release, &(struct td_wire_ThreadContext){thread});
        encoder->thread = thread;
        encoder->thread_time = 0;
        td_announced_add(encoder->announced, TD_ANNOUNCED_THREAD, thread);
    }
    p = td_encode_text(encoder, p, text, bytes);
    const struct td_wire_Message message = {.time = (int64_t)td_client_ticks(),
                                            .metadata = TD_WIRE_METADATA(TD_WIRE_SOURCE_USER, 0)};
    td_encode_put(encoder, td_wire_put_Message(p, encoder->release, &message));
    return 0;
}
