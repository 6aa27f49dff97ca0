#include "host/perf/record.h"

#include <string.h>
#include <sys/sysmacros.h>

uint64_t td_perf_sample_type(enum td_perf_kind kind)
{
    static const uint64_t more[TD_PERF_KIND_COUNT] = {
        [TD_PERF_SAMPLE] = PERF_SAMPLE_CALLCHAIN,
        [TD_PERF_CYCLES] = PERF_SAMPLE_IP,
        [TD_PERF_INSTRUCTIONS] = PERF_SAMPLE_IP,
        [TD_PERF_CACHE_REFERENCES] = PERF_SAMPLE_IP,
        [TD_PERF_CACHE_MISSES] = PERF_SAMPLE_IP,
        [TD_PERF_BRANCHES] = PERF_SAMPLE_IP,
        [TD_PERF_BRANCH_MISSES] = PERF_SAMPLE_IP,
        [TD_PERF_SWITCH] = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
        [TD_PERF_WAKEUP] = PERF_SAMPLE_RAW,
        [TD_PERF_VSYNC] = PERF_SAMPLE_RAW,
        [TD_PERF_PROCESS] = 0,
    };
    return TD_PERF_SAMPLE_TYPE | more[kind];
}

/* Bytes that are taken from the front. `bad`: more was asked for than there is. */
struct record_reader {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static const uint8_t *take_bytes(struct record_reader *r, size_t bytes)
{
    const uint8_t *at = r->at;
    if (r->bad || bytes > r->left) {
        r->bad = true;
        return NULL;
    }
    r->at += bytes;
    r->left -= bytes;
    return at;
}

static uint32_t take_u32(struct record_reader *r)
{
    uint32_t value = 0;
    const uint8_t *at = take_bytes(r, sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t take_u64(struct record_reader *r)
{
    uint64_t value = 0;
    const uint8_t *at = take_bytes(r, sizeof value);
    if (at)
        memcpy(&value, at, sizeof value);
    return value;
}

/* Addresses from PERF_CONTEXT_MAX on are marks between the kernel's part and the program's. A program without
 * frame pointers has other values in the frame register; addresses that the processor cannot have end a stack. */
static bool is_mark(uint64_t address)
{
    return address >= (uint64_t)PERF_CONTEXT_MAX;
}

static bool is_possible(uint64_t address, bool is_of_program)
{
    const int64_t top = (int64_t)address >> 55; /* five-level page tables have addresses of 57 bits */
    return address && (top == 0 || (top == -1 && !is_of_program));
}

static void take_stack(struct record_reader *r, struct td_perf_parsed *parsed)
{
    const uint64_t count = take_u64(r);
    const uint8_t *at = count <= r->left / 8 ? take_bytes(r, (size_t)count * 8) : NULL;
    bool ended = false, is_of_program = false;
    uint32_t have = 0;
    r->bad |= !at;
    parsed->user_at = TD_PERF_STACK_MAX;
    for (uint64_t i = 0; at && i < count && have < TD_PERF_STACK_MAX; i++) {
        uint64_t address;
        memcpy(&address, at + 8 * i, 8);
        if (is_mark(address)) {
            ended = false;
            is_of_program = address == (uint64_t)PERF_CONTEXT_USER;
            parsed->user_at = is_of_program ? have : parsed->user_at;
            continue;
        }
        ended |= !is_possible(address, is_of_program);
        if (!ended)
            parsed->addresses[have++] = address;
    }
    parsed->record.count = have;
    parsed->record.stack = parsed->addresses;
}

/* The program's registers and its stack, where they were asked for. A thread of the kernel has none. */
static void take_user(struct record_reader *r, struct td_perf_parsed *parsed)
{
    struct td_perf_user *user = &parsed->user;
    const uint64_t abi = take_u64(r);
    if (abi) {
        user->fp = take_u64(r); /* in the order of TD_PERF_USER_REGISTERS */
        user->sp = take_u64(r);
        user->ip = take_u64(r);
    }
    const uint64_t room = take_u64(r);
    user->stack = take_bytes(r, (size_t)room);
    const uint64_t bytes = room ? take_u64(r) : 0;
    user->bytes = abi == PERF_SAMPLE_REGS_ABI_64 && bytes <= room ? (size_t)bytes : 0;
}

static enum td_perf_state state_of(int64_t state)
{
    static const struct {
        int64_t bit;
        enum td_perf_state state;
    } states[] = {{1, TD_PERF_SLEEPING}, {2, TD_PERF_UNINTERRUPTIBLE}, {4, TD_PERF_STOPPED},
                  {8, TD_PERF_TRACED},   {16, TD_PERF_DEAD},           {32, TD_PERF_ZOMBIE},
                  {64, TD_PERF_PARKED},  {128, TD_PERF_IDLE}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (state & states[i].bit)
            return states[i].state;
    return TD_PERF_RUNNABLE;
}

static int8_t priority_of(int64_t priority)
{
    return (int8_t)(priority < INT8_MIN ? INT8_MIN : priority > INT8_MAX ? INT8_MAX : priority);
}

/* The text of a field, which may lack its NUL. "": there is none. */
static void copy_text(const struct td_trace_field *field, const uint8_t *raw, size_t bytes,
                      char text[TD_THREAD_NAME_BYTES])
{
    const size_t most = field->bytes < TD_THREAD_NAME_BYTES ? field->bytes : TD_THREAD_NAME_BYTES - 1;
    memset(text, 0, TD_THREAD_NAME_BYTES);
    if ((size_t)field->offset + most <= bytes)
        memcpy(text, raw + field->offset, strnlen((const char *)raw + field->offset, most));
}

/* The fields of a tracepoint's record. */
static bool take_raw(struct record_reader *r, const struct td_perf_fields *fields,
                     struct td_perf_parsed *parsed)
{
    struct td_perf_record *record = &parsed->record;
    const uint32_t bytes = take_u32(r);
    const uint8_t *raw = take_bytes(r, bytes);
    int64_t values[5] = {0};
    if (!raw)
        return false;
    const struct td_trace_field *const of_switch[] = {&fields->old_thread, &fields->new_thread,
                                                      &fields->old_priority, &fields->new_priority,
                                                      &fields->old_state};
    switch (record->kind) {
    case TD_PERF_SWITCH:
        for (size_t i = 0; i < 5; i++)
            if (!td_trace_field_value(of_switch[i], raw, bytes, &values[i]))
                return false;
        record->change.old_thread = (uint32_t)values[0];
        record->change.new_thread = (uint32_t)values[1];
        record->change.old_priority = priority_of(values[2]);
        record->change.new_priority = priority_of(values[3]);
        record->change.state = (uint8_t)state_of(values[4]);
        copy_text(&fields->old_name, raw, bytes, parsed->old_name);
        copy_text(&fields->new_name, raw, bytes, parsed->new_name);
        return true;
    case TD_PERF_WAKEUP:
        if (!td_trace_field_value(&fields->woken, raw, bytes, &values[0]))
            return false;
        record->woken = (uint32_t)values[0];
        return true;
    default:
        if (!td_trace_field_value(&fields->display, raw, bytes, &values[0]))
            return false;
        record->display = (uint32_t)values[0];
        return true;
    }
}

static enum td_perf_what parse_event(struct record_reader *r, const struct td_perf_fields *fields,
                                     td_perf_kind_of *kind_of, const void *self,
                                     struct td_perf_parsed *parsed)
{
    parsed->id = take_u64(r);
    const int kind = r->bad ? -1 : kind_of(self, parsed->id);
    if (kind < 0 || kind >= TD_PERF_PROCESS) /* the event of processes has no samples */
        return TD_PERF_DAMAGED;
    const uint64_t type = td_perf_sample_type((enum td_perf_kind)kind);
    struct td_perf_record *record = &parsed->record;
    *record = (struct td_perf_record){.kind = (enum td_perf_kind)kind};
    const uint64_t ip = type & PERF_SAMPLE_IP ? take_u64(r) : 0;
    record->pid = take_u32(r);
    record->tid = take_u32(r);
    record->time = (int64_t)take_u64(r);
    if (type & PERF_SAMPLE_IP)
        record->ip = ip;
    if (type & PERF_SAMPLE_CALLCHAIN)
        take_stack(r, parsed);
    parsed->user.bytes = 0;
    if (kind == TD_PERF_SAMPLE && r->left)
        take_user(r, parsed);
    if (!r->bad && type & PERF_SAMPLE_RAW && !take_raw(r, fields, parsed))
        r->bad = true;
    return r->bad || record->time < 0 ? TD_PERF_DAMAGED : TD_PERF_EVENT;
}

/* The tracepoint's record of this switch may be missing: while a thread is in a handler of perf events, Linux
 * since 6.11 drops what it would record of the thread, without a word. These records are not dropped. */
static enum td_perf_what parse_spare_switch(struct record_reader *r, unsigned misc,
                                            struct td_perf_parsed *parsed)
{
    struct td_perf_record *record = &parsed->record;
    if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
        return TD_PERF_NOTHING;
    *record = (struct td_perf_record){.kind = TD_PERF_SWITCH};
    (void)take_u32(r);
    record->change.new_thread = take_u32(r);
    record->pid = take_u32(r);
    record->tid = record->change.old_thread = take_u32(r);
    record->time = (int64_t)take_u64(r);
    record->change.state = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? TD_PERF_RUNNABLE : TD_PERF_SLEEPING;
    return r->bad || record->time < 0 ? TD_PERF_DAMAGED : TD_PERF_SPARE;
}

/* ---- processes ---- */

/* The fields that end a record of no sample: process, thread, time, the event's number. */
#define TAIL_BYTES 24

/* Copies a text that ends within the rest of the record, and pads it with zeros to whole words. */
static bool take_text(struct record_reader *r, char *to, size_t room, size_t *bytes)
{
    const size_t most = r->left > TAIL_BYTES ? r->left - TAIL_BYTES : 0;
    const size_t length = strnlen((const char *)r->at, most);
    if (length == most || length >= room) {
        *bytes = 8;
        memset(to, 0, 8);
        return length < most; /* it is only too long */
    }
    *bytes = (length + 8) / 8 * 8;
    memset(to + length, 0, *bytes - length);
    memcpy(to, r->at, length);
    return true;
}

static bool take_mapping(struct record_reader *r, unsigned misc, struct td_perf_parsed *parsed)
{
    struct td_perf_mapping *map = (struct td_perf_mapping *)parsed->addresses;
    size_t text = 0;
    map->start = take_u64(r);
    map->bytes = take_u64(r);
    map->offset = take_u64(r);
    const uint32_t major_number = take_u32(r), minor_number = take_u32(r);
    map->device = makedev(major_number, minor_number);
    map->inode = take_u64(r);
    (void)take_u64(r);                         /* the inode's generation */
    (void)take_u64(r);                         /* protection and flags: only mappings of code are recorded */
    if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) /* never asked for: the fields above would be a build id */
        r->bad = true;
    if (r->bad || !take_text(r, map->path, TD_PERF_TEXT_BYTES, &text))
        return false;
    parsed->record.count = (uint32_t)((sizeof *map + text) / 8);
    return true;
}

/* A record about a process, from the event of kind PROCESS. */
static enum td_perf_what parse_news(struct record_reader *r, const struct perf_event_header *header,
                                    struct td_perf_parsed *parsed)
{
    _Static_assert(sizeof(struct td_perf_mapping) + TD_PERF_TEXT_BYTES <= sizeof parsed->addresses, "room");
    struct td_perf_record *record = &parsed->record;
    const bool forks = header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT;
    size_t text = 0;
    *record = (struct td_perf_record){.kind = TD_PERF_PROCESS, .stack = parsed->addresses};
    if (r->left < TAIL_BYTES)
        return TD_PERF_DAMAGED;
    memcpy(&record->time, r->at + r->left - 16, 8);
    record->pid = take_u32(r);
    const uint32_t parent = forks ? take_u32(r) : 0;
    record->tid = take_u32(r);
    record->news.parent = parent;
    if (header->type == PERF_RECORD_MMAP2) {
        record->news.what = TD_PERF_NEWS_MAP;
        r->bad |= !take_mapping(r, header->misc, parsed);
    } else if (forks) {
        record->news.what = header->type == PERF_RECORD_FORK ? TD_PERF_NEWS_FORK : TD_PERF_NEWS_EXIT;
    } else {
        record->news.what = TD_PERF_NEWS_NAME;
        record->news.began = header->misc & PERF_RECORD_MISC_COMM_EXEC;
        r->bad |= !take_text(r, (char *)parsed->addresses, TD_PERF_TEXT_BYTES, &text);
        record->count = (uint32_t)(text / 8);
    }
    return r->bad || record->time < 0 ? TD_PERF_DAMAGED : TD_PERF_EVENT;
}

enum td_perf_what td_perf_parse(const uint8_t *p, size_t bytes, const struct td_perf_fields *fields,
                                td_perf_kind_of *kind_of, const void *self, struct td_perf_parsed *parsed)
{
    struct perf_event_header header;
    if (bytes < sizeof header)
        return TD_PERF_DAMAGED;
    memcpy(&header, p, sizeof header);
    struct record_reader r = {p + sizeof header, bytes - sizeof header, false};
    switch (header.type) {
    case PERF_RECORD_SAMPLE:
        return parse_event(&r, fields, kind_of, self, parsed);
    case PERF_RECORD_LOST:
        parsed->id = take_u64(&r);
        parsed->lost = take_u64(&r);
        return r.bad ? TD_PERF_DAMAGED : TD_PERF_LOST;
    case PERF_RECORD_LOST_SAMPLES:
        parsed->lost = take_u64(&r);
        return r.bad ? TD_PERF_DAMAGED : TD_PERF_LOST;
    case PERF_RECORD_SWITCH_CPU_WIDE:
        return parse_spare_switch(&r, header.misc, parsed);
    case PERF_RECORD_COMM:
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
    case PERF_RECORD_MMAP2:
        return parse_news(&r, &header, parsed);
    case PERF_RECORD_THROTTLE:
        return TD_PERF_PAUSE;
    default:
        return TD_PERF_NOTHING;
    }
}
