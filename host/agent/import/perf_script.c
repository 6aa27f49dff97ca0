/* Imports the text of `perf script`: a line for each event of a thread, and the lines of its call stack. Events with a
 * stack become samples, those of the scheduler context switches, other tracepoints messages with their stacks. */
#include "host/agent/import/perf_script.h"
#include "host/agent/import/json_text.h"
#include "host/agent/import/perf_line.h"
#include "host/agent/import/text_lines.h"
#include "host/agent/import/timeline_switches.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <inttypes.h>
#include <stdio.h>

#define STACK_MOST 65535u /* frames: a trace has no room for more */
#define CPUS       256u
#define NO_THREAD  UINT32_MAX
#define NO_EVENT   UINT32_MAX

struct script_thread {
    int64_t pid, tid; /* pid: TD_SCRIPT_NONE: not known yet */
    uint32_t owner;
    uint32_t name; /* string; 0: none */
};

struct td_perf_script {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_text_lines lines;
    struct td_map by_tid;   /* the last thread of that number */
    struct td_map by_event; /* (thread, event) to the track of its samples */
    struct script_thread *threads;
    size_t thread_count, thread_room;
    struct td_timeline_call *stack; /* of the event that is read */
    size_t depth, stack_room;
    bool has_event, skips;  /* skips: lines of a stack without an event */
    uint32_t thread, event; /* of that event; event: string */
    uint32_t text;          /* string: what follows the event's name */
    int64_t time_ns;
    bool is_tracepoint, waits; /* waits: the thread stops running at the event */
    uint32_t main_event;       /* string: the one whose samples are on the threads' own tracks */
    int64_t last[CPUS];        /* TID that each processor changed to last */
    int64_t zero_ns;
    bool has_zero;
};

static const char purpose[] = "for the events of perf"; /* of td_fail_no_memory() */

static int lose(struct td_perf_script *script, enum td_timeline_loss loss)
{
    td_timeline_get_counts(script->timeline)->lost[loss]++;
    return 0;
}

static uint32_t string_of(struct td_perf_script *script, struct td_tt_text text)
{
    return td_dict_string(script->dict, text.at, text.bytes);
}

/* ---- threads */

static uint32_t process_of(struct td_perf_script *script, int64_t pid)
{
    char text[24] = "";
    if (pid != TD_SCRIPT_NONE)
        snprintf(text, sizeof text, "%" PRId64, pid);
    return td_timeline_process(script->timeline, (struct td_timeline_id){text, strlen(text)});
}

static uint32_t thread_at(struct td_perf_script *script, int64_t pid, int64_t tid)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, tid);
    return td_timeline_thread(script->timeline, process_of(script, pid),
                              (struct td_timeline_id){text, strlen(text)});
}

static uint32_t new_thread(struct td_perf_script *script, int64_t pid, int64_t tid)
{
    struct script_thread thread = {.pid = pid, .tid = tid};
    thread.owner = pid == TD_SCRIPT_NONE ? td_timeline_later(script->timeline) : thread_at(script, pid, tid);
    if (thread.owner == UINT32_MAX ||
        td_map_set(&script->by_tid, (uint64_t)tid, (uint32_t)script->thread_count) < 0 ||
        TD_APPEND(script->threads, script->thread_count, script->thread_room, thread) < 0)
        return NO_THREAD;
    return (uint32_t)script->thread_count - 1;
}

static int settle_thread(struct td_perf_script *script, struct script_thread *thread, int64_t pid)
{
    const struct td_timeline_place is = {.owner = thread_at(script, pid, thread->tid)};
    if (is.owner == UINT32_MAX)
        return TD_E_NOMEM;
    td_timeline_settle(script->timeline, thread->owner, &is);
    thread->owner = is.owner;
    thread->pid = pid;
    return 0;
}

/* The number of the thread; NO_THREAD: no memory. The scheduler's events say a thread's number only; its process may
 * become known later. */
static uint32_t thread_of(struct td_perf_script *script, int64_t pid, int64_t tid, struct td_tt_text comm)
{
    uint32_t number = td_map_get(&script->by_tid, (uint64_t)tid, NO_THREAD);
    if (number != NO_THREAD && pid != TD_SCRIPT_NONE && script->threads[number].pid == TD_SCRIPT_NONE &&
        settle_thread(script, &script->threads[number], pid) < 0)
        return NO_THREAD;
    if (number == NO_THREAD || (pid != TD_SCRIPT_NONE && script->threads[number].pid != pid))
        number = new_thread(script, pid, tid);
    const uint32_t name = string_of(script, comm);
    if (number == NO_THREAD || name == UINT32_MAX)
        return NO_THREAD;
    if (comm.bytes)
        script->threads[number].name = name;
    return number;
}

/* The track of the thread for samples of an event that is not the main one. */
static uint32_t owner_of(struct td_perf_script *script, uint32_t number, uint32_t event)
{
    const struct script_thread *thread = &script->threads[number];
    const uint64_t key = (uint64_t)number << 32 | event;
    const uint32_t known =
        event == script->main_event ? thread->owner : td_map_get(&script->by_event, key, UINT32_MAX);
    if (known != UINT32_MAX)
        return known;
    char *text;
    const int bytes = asprintf(&text, "%" PRId64 " %s", thread->tid, td_dict_text(script->dict, event));
    if (bytes < 0)
        return UINT32_MAX;
    const uint32_t owner = td_timeline_thread(script->timeline, process_of(script, thread->pid),
                                              (struct td_timeline_id){text, (size_t)bytes});
    free(text);
    if (owner == UINT32_MAX || td_map_set(&script->by_event, key, owner) < 0)
        return UINT32_MAX;
    td_timeline_name_thread(script->timeline, owner, thread->name);
    return owner;
}

/* "(TID 1) NAME", for a thread whose process is not known. */
static uint32_t name_without_process(struct td_perf_script *script, const struct script_thread *thread)
{
    const char *name = td_dict_text(script->dict, thread->name);
    char *text;
    const int bytes = *name ? asprintf(&text, "(TID %" PRId64 ") %s", thread->tid, name)
                            : asprintf(&text, "TID %" PRId64, thread->tid);
    const uint32_t string = bytes < 0 ? UINT32_MAX : td_dict_string(script->dict, text, (size_t)bytes);
    if (bytes >= 0)
        free(text);
    return string;
}

/* Names all threads: the last names are those of the programs that they ran. */
static int end_threads(struct td_perf_script *script)
{
    int bad = 0;
    for (size_t i = 0; i < script->thread_count && !bad; i++) {
        struct script_thread *thread = &script->threads[i];
        uint32_t name = thread->name;
        if (thread->pid == TD_SCRIPT_NONE) {
            name = name_without_process(script, thread);
            bad = name == UINT32_MAX ? TD_E_NOMEM : settle_thread(script, thread, TD_SCRIPT_NONE);
        }
        if (!bad && name)
            td_timeline_name_thread(script->timeline, thread->owner, name);
    }
    return bad;
}

/* ---- events */

/* "EVENT: TEXT" */
static int add_message(struct td_perf_script *script, struct td_timeline_place at, uint32_t stack)
{
    const char *event = td_dict_text(script->dict, script->event),
               *rest = td_dict_text(script->dict, script->text);
    char *text;
    const int bytes = asprintf(&text, "%s%s%s", event, *event && *rest ? ": " : "", rest);
    const uint32_t string = bytes < 0 ? UINT32_MAX : td_dict_string(script->dict, text, (size_t)bytes);
    if (bytes >= 0)
        free(text);
    return string == UINT32_MAX ? TD_E_NOMEM : td_timeline_stack_message(script->timeline, at, string, stack);
}

/* Ends the event that is read. */
static int end_event(struct td_perf_script *script)
{
    const size_t depth = script->depth;
    script->depth = 0;
    if (!script->has_event)
        return 0;
    script->has_event = false;
    const uint32_t stack = td_timeline_stack(script->timeline, script->stack, depth);
    struct td_timeline_place at = {.time_ns = script->time_ns,
                                   .owner = script->threads[script->thread].owner};
    if (stack == UINT32_MAX)
        return TD_E_NOMEM;
    if (script->waits)
        return stack ? td_timeline_wait_sample(script->timeline, at, stack) : 0;
    if (script->is_tracepoint || !stack)
        return add_message(script, at, stack);
    if (script->main_event == NO_EVENT)
        script->main_event = script->event;
    at.owner = owner_of(script, script->thread, script->event);
    return at.owner == UINT32_MAX ? TD_E_NOMEM : td_timeline_sample(script->timeline, at, stack);
}

/* The thread that runs on; number 0 is the idle one of each processor. False: no memory. */
static bool find_runner(struct td_perf_script *script, int64_t tid, struct td_tt_text comm, uint32_t *owner)
{
    *owner = TD_TIMELINE_NO_THREAD;
    if (tid <= 0)
        return true;
    const uint32_t number = thread_of(script, TD_SCRIPT_NONE, tid, comm);
    if (number != NO_THREAD)
        *owner = script->threads[number].owner;
    return number != NO_THREAD;
}

static int add_switch(struct td_perf_script *script, const struct td_script_header *header,
                      const struct td_script_change *change)
{
    struct td_timeline_switched to = {.time_ns = script->time_ns, .cpu = header->cpu, .state = change->state};
    if (!find_runner(script, change->from, td_tt_text_of(""), &to.out) ||
        !find_runner(script, change->to, change->comm, &to.in))
        return TD_E_NOMEM;
    if (header->cpu < CPUS)
        script->last[header->cpu] = change->to;
    return td_timeline_switch(script->timeline, &to);
}

/* A record of a switch, from perf record --switch-events. An "IN" after the "OUT" that named its thread says nothing
 * new. */
static int take_record(struct td_perf_script *script, const struct td_script_header *header)
{
    bool is_out, preempted;
    int64_t other;
    if (td_tt_text_begins(header->event, "PERF_RECORD_LOST"))
        return lose(script, TD_LOSS_DROPPED);
    if (!td_tt_text_begins(header->event, "PERF_RECORD_SWITCH") ||
        !td_script_read_record(header->rest, &is_out, &preempted, &other))
        return lose(script, TD_LOSS_RECORD);
    if (!is_out && header->cpu < CPUS && script->last[header->cpu] == header->tid)
        return 0;
    const struct td_script_change change = {.from = is_out ? header->tid : other,
                                            .to = is_out ? other : header->tid,
                                            .state = preempted ? 'R' : 'S',
                                            .comm = td_tt_text_of("")};
    return add_switch(script, header, &change);
}

static int take_wakeup(struct td_perf_script *script, const struct td_script_header *header,
                       const struct td_script_change *change)
{
    uint32_t woken;
    if (!find_runner(script, change->to, change->comm, &woken))
        return TD_E_NOMEM;
    return woken == TD_TIMELINE_NO_THREAD
               ? 0
               : td_timeline_wakeup(script->timeline, script->time_ns, header->cpu, woken);
}

static int add_frame(struct td_perf_script *script, const struct td_script_frame *frame)
{
    if (script->depth == STACK_MOST)
        return lose(script, TD_LOSS_LINE_OF_TEXT);
    const struct td_timeline_call call = {
        .address = frame->address,
        .symbol = frame->symbol,
        .function = string_of(script, frame->function),
        .image = frame->inlined ? 0 : string_of(script, frame->image),
        .inlined = frame->inlined,
    };
    if (call.function == UINT32_MAX || call.image == UINT32_MAX)
        return TD_E_NOMEM;
    return TD_APPEND(script->stack, script->depth, script->stack_room, call);
}

static int take_tracepoint(struct td_perf_script *script, const struct td_script_header *header)
{
    struct td_script_change change;
    struct td_script_frame frame;
    struct td_tt_text fields = header->rest;
    const bool has_frame = td_script_split_frame(&fields, &frame);
    const bool is_switch = td_tt_text_is(header->event, "sched:sched_switch");
    if (is_switch && td_script_read_switch(fields, &change)) {
        script->has_event = script->waits = true;
        return add_switch(script, header, &change);
    }
    if ((td_tt_text_is(header->event, "sched:sched_waking") ||
         td_tt_text_begins(header->event, "sched:sched_wakeup")) &&
        td_script_read_wakeup(fields, &change)) {
        script->skips = true; /* the stack is that of the waker */
        return take_wakeup(script, header, &change);
    }
    script->has_event = script->is_tracepoint = true;
    script->text = string_of(script, fields);
    if (script->text == UINT32_MAX)
        return TD_E_NOMEM;
    return has_frame ? add_frame(script, &frame) : 0;
}

static int take_header(struct td_perf_script *script, const struct td_script_header *header)
{
    struct td_script_frame frame;
    if (!script->has_zero)
        script->zero_ns = header->time_ns;
    script->has_zero = true;
    script->skips = script->waits = script->is_tracepoint = false;
    script->time_ns = header->time_ns;
    script->text = 0;
    script->event = string_of(script, header->event);
    script->thread = thread_of(script, header->pid, header->tid, header->comm);
    if (script->event == UINT32_MAX || script->thread == NO_THREAD)
        return TD_E_NOMEM;
    if (td_tt_text_begins(header->event, "PERF_RECORD_"))
        return take_record(script, header);
    if (td_script_is_tracepoint(header->event))
        return take_tracepoint(script, header);
    script->has_event = true;
    if (!header->rest.bytes)
        return 0;
    if (td_script_read_frame(header->rest, &frame)) /* without a call stack */
        return add_frame(script, &frame);
    script->text = string_of(script, header->rest);
    return script->text == UINT32_MAX ? TD_E_NOMEM : 0;
}

/* "FILE:LINE" of the frame above, or "[IMAGE][ADDRESS]" where these are not known. *known: it is one of these. */
static int take_place(struct td_perf_script *script, struct td_tt_text line, bool *known)
{
    struct td_timeline_call *frame = &script->stack[script->depth - 1];
    uint32_t number;
    line = td_tt_text_trim(line);
    const uint32_t file =
        td_timeline_place_file(script->dict, (struct td_timeline_id){line.at, line.bytes}, &number);
    *known = number || *line.at == '[';
    if (number) {
        frame->file = file;
        frame->line = number;
    }
    return file == UINT32_MAX ? TD_E_NOMEM : 0;
}

static int take_other(struct td_perf_script *script, struct td_tt_text line)
{
    struct td_script_frame frame;
    bool known = false;
    if (script->skips)
        return 0;
    if (script->has_event && td_script_read_frame(line, &frame))
        return add_frame(script, &frame);
    int bad = script->has_event && script->depth ? take_place(script, line, &known) : 0;
    if (bad || known)
        return bad;
    script->skips = true; /* what follows is the stack of an event that is not known */
    lose(script, TD_LOSS_LINE_OF_TEXT);
    return end_event(script);
}

static int take_line(void *self, struct td_tt_text line, struct td_err *err)
{
    struct td_perf_script *script = self;
    struct td_script_header header;
    int bad = 0;
    if (line.bytes && *line.at == '#')
        return 0;
    if (!td_tt_text_trim(line).bytes) {
        bad = end_event(script);
        script->skips = false;
    } else if (*line.at != '\t' && td_script_read_header(line, &header)) {
        bad = end_event(script);
        bad = bad ? bad : take_header(script, &header);
    } else {
        bad = take_other(script, line);
    }
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

/* ---- the interface */

void td_perf_script_destroy(void *self)
{
    struct td_perf_script *script = self;
    if (!script)
        return;
    td_timeline_destroy(script->timeline);
    td_text_lines_free(&script->lines);
    td_map_finish(&script->by_tid);
    td_map_finish(&script->by_event);
    free(script->threads);
    free(script->stack);
    free(script);
}

void *td_perf_script_create(struct td_hub *hub)
{
    struct td_perf_script *script = calloc(1, sizeof *script);
    if (!script)
        return NULL;
    script->dict = td_hub_dict(hub);
    script->timeline = td_timeline_create(hub);
    script->lines = (struct td_text_lines){.line = take_line, .self = script};
    script->main_event = NO_EVENT;
    for (size_t i = 0; i < CPUS; i++)
        script->last[i] = TD_SCRIPT_NONE;
    if (script->timeline)
        return script;
    free(script);
    return NULL;
}

static bool begins_perf_script(const uint8_t *bytes, size_t count)
{
    const struct td_tt_text text = {(const char *)bytes, count};
    struct td_tt_text line;
    struct td_script_header header;
    size_t at = 0;
    while (td_text_next_line(text, count < TD_TEXT_LINE_MAX, &at, &line))
        if (td_tt_text_trim(line).bytes && *line.at != '#')
            return !memchr(line.at, 0, line.bytes) && td_script_read_header(line, &header);
    return false;
}

int td_perf_script_feed(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_perf_script *script = self;
    return td_text_lines_feed(&script->lines, (const char *)bytes, count, err);
}

int td_perf_script_end(void *self, bool *cut, struct td_err *err)
{
    struct td_perf_script *script = self;
    int64_t zero_ns;
    char text[80];
    *cut = false;
    int bad = td_text_lines_end_stream(&script->lines, err);
    if (!bad && (end_event(script) < 0 || end_threads(script) < 0))
        bad = td_fail_no_memory(err, purpose);
    td_timeline_get_counts(script->timeline)->lost[TD_LOSS_LINE_OF_TEXT] += script->lines.too_long;
    const int64_t s = script->zero_ns / 1000000000;
    const int bytes = snprintf(text, sizeof text, "the first event of perf is at %" PRId64 ".%09" PRId64 " s",
                               s, script->zero_ns - s * 1000000000);
    if (!bad && script->has_zero &&
        td_timeline_fact(script->timeline, (struct td_timeline_id){text, (size_t)bytes}) < 0)
        bad = td_fail_no_memory(err, purpose);
    return bad ? bad : td_timeline_finish(script->timeline, &zero_ns, err);
}

const struct td_timeline_counts *td_perf_script_counts(const void *self)
{
    return td_timeline_get_counts(((const struct td_perf_script *)self)->timeline);
}

const struct td_importer td_import_perf_script = {
    .name = "the text of perf script",
    .about =
        "Events with call stacks become samples, those of the scheduler context switches, other tracepoints "
        "messages.",
    .begins = begins_perf_script,
    .create = td_perf_script_create,
    .destroy = td_perf_script_destroy,
    .feed = td_perf_script_feed,
    .end_file = td_perf_script_end,
    .counts = td_perf_script_counts,
};
