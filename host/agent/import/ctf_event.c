/* Events of a CTF trace, by their names: those of LTTng's kernel tracer and of Zephyr that are context switches, pairs such
 * as X_entry and X_exit, which are zones, and all others, which are messages. */
#include "host/agent/import/ctf_trace.h"
#include "host/agent/import/timeline_switches.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>

enum kind_of_event {
    KIND_MESSAGE,
    KIND_BEGIN,
    KIND_END,
    KIND_FUNCTION_BEGIN, /* the field addr is its name */
    KIND_FUNCTION_END,
    KIND_SYSCALL_END, /* of any name */
    KIND_SWITCH,
    KIND_WAKING,
    KIND_FORK,
    KIND_STATE, /* of a process, when the recording began */
    KIND_SWITCHED_IN,
    KIND_SWITCHED_OUT
};

struct td_ctf_kind {
    enum kind_of_event kind;
    uint32_t name, srcloc;
    bool is_of_processor; /* not of the thread that it interrupts */
};

static const struct {
    const char *name;
    enum kind_of_event kind;
} known_events[] = {{"sched_switch", KIND_SWITCH},
                    {"sched_waking", KIND_WAKING},
                    {"sched_wakeup", KIND_WAKING},
                    {"sched_wakeup_new", KIND_WAKING},
                    {"sched_process_fork", KIND_FORK},
                    {"lttng_statedump_process_state", KIND_STATE},
                    {"exit_syscall", KIND_SYSCALL_END},
                    {"thread_switched_in", KIND_SWITCHED_IN},
                    {"thread_switched_out", KIND_SWITCHED_OUT},
                    {"lttng_ust_cyg_profile:func_entry", KIND_FUNCTION_BEGIN},
                    {"lttng_ust_cyg_profile:func_exit", KIND_FUNCTION_END},
                    {"lttng_ust_cyg_profile_fast:func_entry", KIND_FUNCTION_BEGIN},
                    {"lttng_ust_cyg_profile_fast:func_exit", KIND_FUNCTION_END}};

/* How a begin and its end differ: at the end of their names, or after a prefix. */
static const struct {
    const char *prefix, *begin, *end;
} pairs[] = {{"syscall_", "entry_", "exit_"}, {NULL, "_entry", "_exit"}, {NULL, "_enter", "_exit"},
             {NULL, "_begin", "_end"},        {NULL, "_start", "_stop"}, {NULL, "_start", "_end"}};

/* The part of a name that a begin and an end have in common, if it has the mark. */
static bool split(const char *name, const char *prefix, const char *mark, char *base, size_t room)
{
    const size_t bytes = strlen(name), of_mark = strlen(mark), of_prefix = prefix ? strlen(prefix) : 0;
    if (prefix) {
        if (strncmp(name, prefix, of_prefix) != 0 || strncmp(name + of_prefix, mark, of_mark) != 0)
            return false;
        snprintf(base, room, "%s%s", prefix, name + of_prefix + of_mark);
        return true;
    }
    if (bytes <= of_mark || strcmp(name + bytes - of_mark, mark) != 0)
        return false;
    snprintf(base, room, "%.*s", (int)(bytes - of_mark), name);
    return true;
}

static bool has_class(const bt_stream_class *stream, const char *prefix, const char *base, const char *mark)
{
    char name[300];
    const uint64_t count = td_bt.bt_stream_class_get_event_class_count(stream);
    const size_t of_prefix = prefix ? strlen(prefix) : 0;
    if (prefix)
        snprintf(name, sizeof name, "%s%s%s", prefix, mark, base + of_prefix);
    else
        snprintf(name, sizeof name, "%s%s", base, mark);
    for (uint64_t i = 0; i < count; i++) {
        const char *other =
            td_bt.bt_event_class_get_name(td_bt.bt_stream_class_borrow_event_class_by_index_const(stream, i));
        if (other && !strcmp(other, name))
            return true;
    }
    return false;
}

static enum kind_of_event find_kind(const bt_stream_class *stream, const char *name, char *base, size_t room)
{
    for (size_t i = 0; i < sizeof known_events / sizeof *known_events; i++)
        if (!strcmp(known_events[i].name, name))
            return known_events[i].kind;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (split(name, pairs[i].prefix, pairs[i].begin, base, room) &&
            has_class(stream, pairs[i].prefix, base, pairs[i].end))
            return KIND_BEGIN;
        if (split(name, pairs[i].prefix, pairs[i].end, base, room) &&
            has_class(stream, pairs[i].prefix, base, pairs[i].begin))
            return KIND_END;
    }
    snprintf(base, room, "%s", name);
    if (!strncmp(name, "sys_", 4) && has_class(stream, NULL, "exit_syscall", ""))
        return KIND_BEGIN;
    return KIND_MESSAGE;
}

/* NULL: no memory. */
static const struct td_ctf_kind *kind_of(struct td_ctf *ctf, const bt_event_class *of)
{
    const uint64_t key = (uint64_t)(uintptr_t)of;
    const uint32_t known = td_map_get(&ctf->by_class, key, UINT32_MAX);
    char base[300];
    if (known != UINT32_MAX)
        return &ctf->kinds[known];
    const char *name = td_bt.bt_event_class_get_name(of);
    name = name ? name : "event";
    snprintf(base, sizeof base, "%s", name);
    struct td_ctf_kind kind = {
        .kind = find_kind(td_bt.bt_event_class_borrow_stream_class_const(of), name, base, sizeof base),
        .is_of_processor = !strncmp(name, "irq_", 4)};
    if (kind.kind == KIND_MESSAGE)
        snprintf(base, sizeof base, "%s", name);
    kind.name = td_dict_cstring(ctf->dict, base);
    const struct td_srcloc srcloc = {.function = kind.name};
    kind.srcloc = kind.name == UINT32_MAX ? UINT32_MAX : td_dict_srcloc(ctf->dict, &srcloc);
    if (kind.srcloc == UINT32_MAX || TD_APPEND(ctf->kinds, ctf->kind_count, ctf->kind_room, kind) < 0 ||
        td_map_add(&ctf->by_class, key, (uint32_t)ctf->kind_count - 1) < 0)
        return NULL;
    return &ctf->kinds[ctf->kind_count - 1];
}

void td_ctf_forget_classes(struct td_ctf *ctf)
{
    td_map_finish(&ctf->by_class);
    ctf->by_class = (struct td_map){0};
    ctf->kind_count = 0;
    td_map_finish(&ctf->running);
    ctf->running = (struct td_map){0};
}

/* ---- where an event belongs */

struct origin {
    const bt_field *payload, *context, *own_context;
    int64_t cpu;
    uint64_t source; /* the processor, or the stream if processors are not told */
    bool has_cpu;
    struct td_timeline_place at;
    uint32_t thread; /* its place in ctf->threads; UINT32_MAX: not known */
};

static int see_thread(struct td_ctf *ctf, int64_t tid, const char *name, uint32_t *place)
{
    *place = td_late_threads_find(&ctf->threads, ctf->timeline, tid);
    const uint32_t string = name && *name ? td_dict_cstring(ctf->dict, name) : 0;
    if (*place == UINT32_MAX || string == UINT32_MAX)
        return TD_E_NOMEM;
    if (string)
        ctf->threads.at[*place].name = string;
    return 0;
}

static void set_process(struct td_ctf *ctf, uint32_t place, int64_t pid)
{
    ctf->threads.at[place].pid = pid;
    ctf->threads.at[place].has_pid = true;
}

static bool find_number(const struct origin *of, const char *first, const char *second, int64_t *number)
{
    return td_ctf_number(of->context, first, number) || td_ctf_number(of->own_context, first, number) ||
           td_ctf_number(of->context, second, number) || td_ctf_number(of->own_context, second, number);
}

/* A track of the processor, or of the stream. */
static int find_track(struct td_ctf *ctf, const bt_stream *stream, const struct origin *of, uint32_t *owner)
{
    char text[200];
    const char *name = td_bt.bt_stream_class_get_name(td_bt.bt_stream_borrow_class_const(stream));
    const uint32_t none = td_timeline_process(ctf->timeline, (struct td_timeline_id){"", 0});
    const int bytes = of->has_cpu ? snprintf(text, sizeof text, "CPU %" PRId64, of->cpu)
                                  : snprintf(text, sizeof text, "%.150s%sstream %" PRIu64, name ? name : "",
                                             name ? " " : "", td_bt.bt_stream_get_id(stream));
    *owner = td_timeline_thread(ctf->timeline, none, (struct td_timeline_id){text, (size_t)bytes});
    return *owner == UINT32_MAX ? TD_E_NOMEM : 0;
}

static int find_origin(struct td_ctf *ctf, const bt_event *event, bool is_of_processor, struct origin *of)
{
    const bt_stream *stream = td_bt.bt_event_borrow_stream_const(event);
    const bt_packet *packet = td_bt.bt_event_borrow_packet_const(event);
    const bt_field *of_packet = packet ? td_bt.bt_packet_borrow_context_field_const(packet) : NULL;
    int64_t tid, pid;
    of->payload = td_bt.bt_event_borrow_payload_field_const(event);
    of->context = td_bt.bt_event_borrow_common_context_field_const(event);
    of->own_context = td_bt.bt_event_borrow_specific_context_field_const(event);
    of->has_cpu = td_ctf_number(of_packet, "cpu_id", &of->cpu);
    of->source = of->has_cpu ? (uint64_t)of->cpu : td_bt.bt_stream_get_id(stream) | UINT64_C(1) << 62;
    of->thread = UINT32_MAX;
    if (is_of_processor)
        return find_track(ctf, stream, of, &of->at.owner);
    if (find_number(of, "vtid", "tid", &tid)) {
        const char *name = td_ctf_string(of->context, "procname");
        const int bad =
            see_thread(ctf, tid, name ? name : td_ctf_string(of->own_context, "procname"), &of->thread);
        if (bad)
            return bad;
        if (find_number(of, "vpid", "pid", &pid))
            set_process(ctf, of->thread, pid);
    } else {
        of->thread = td_map_get(&ctf->running, of->source, 0) - 1; /* none: UINT32_MAX */
    }
    if (of->thread == UINT32_MAX)
        return find_track(ctf, stream, of, &of->at.owner);
    of->at.owner = ctf->threads.at[of->thread].owner;
    return 0;
}

/* ---- the kernel's events */

/* The owner of a thread that runs or is woken; the idle thread has none. */
static int find_runner(struct td_ctf *ctf, int64_t tid, const char *name, uint32_t *place, uint32_t *owner)
{
    *owner = TD_TIMELINE_NO_THREAD;
    *place = UINT32_MAX;
    if (!tid)
        return 0;
    const int bad = see_thread(ctf, tid, name, place);
    if (!bad)
        *owner = ctf->threads.at[*place].owner;
    return bad;
}

static int take_switch(struct td_ctf *ctf, const struct origin *of)
{
    struct td_timeline_switched change = {.time_ns = of->at.time_ns, .cpu = (uint32_t)of->cpu};
    int64_t out = 0, in = 0, state = 0;
    uint32_t place;
    if (!td_ctf_number(of->payload, "prev_tid", &out))
        td_ctf_number(of->payload, "prev_pid", &out);
    if (!td_ctf_number(of->payload, "next_tid", &in))
        td_ctf_number(of->payload, "next_pid", &in);
    td_ctf_number(of->payload, "prev_state", &state);
    change.state = td_timeline_linux_state(state);
    int bad = find_runner(ctf, out, td_ctf_string(of->payload, "prev_comm"), &place, &change.out);
    bad = bad ? bad : find_runner(ctf, in, td_ctf_string(of->payload, "next_comm"), &place, &change.in);
    if (bad || td_map_set(&ctf->running, of->source, place + 1) < 0)
        return TD_E_NOMEM;
    return td_timeline_switch(ctf->timeline, &change);
}

static int take_waking(struct td_ctf *ctf, const struct origin *of)
{
    int64_t tid = 0, cpu = of->cpu;
    uint32_t place, thread;
    if (!td_ctf_number(of->payload, "tid", &tid))
        td_ctf_number(of->payload, "pid", &tid);
    td_ctf_number(of->payload, "target_cpu", &cpu);
    const int bad = find_runner(ctf, tid, td_ctf_string(of->payload, "comm"), &place, &thread);
    return bad || thread == TD_TIMELINE_NO_THREAD
               ? bad
               : td_timeline_wakeup(ctf->timeline, of->at.time_ns, (uint32_t)cpu, thread);
}

/* A new thread, or one that was there: its process and name. */
static int take_process(struct td_ctf *ctf, const struct origin *of, const char *tid_field,
                        const char *pid_field, const char *name_field)
{
    int64_t tid, pid;
    uint32_t place;
    if (!td_ctf_number(of->payload, tid_field, &tid) || !tid)
        return 0;
    const char *name = td_ctf_string(of->payload, name_field);
    const int bad = see_thread(ctf, tid, name, &place);
    if (bad || !td_ctf_number(of->payload, pid_field, &pid))
        return bad;
    set_process(ctf, place, pid);
    const uint32_t string = name && tid == pid ? td_dict_cstring(ctf->dict, name) : 0;
    return string == UINT32_MAX ? TD_E_NOMEM : string ? td_map_set(&ctf->names, (uint64_t)pid, string) : 0;
}

/* Zephyr's: the two halves of a switch. */
static int take_half(struct td_ctf *ctf, const struct origin *of, bool is_in)
{
    struct td_timeline_switched change = {.time_ns = of->at.time_ns,
                                          .cpu = (uint32_t)of->cpu,
                                          .out = TD_TIMELINE_NO_THREAD,
                                          .in = TD_TIMELINE_NO_THREAD};
    int64_t tid;
    uint32_t place;
    if (!td_ctf_number(of->payload, "thread_id", &tid))
        return 0;
    const int bad =
        find_runner(ctf, tid, td_ctf_string(of->payload, "name"), &place, is_in ? &change.in : &change.out);
    if (bad || td_map_set(&ctf->running, of->source, is_in ? place + 1 : 0) < 0)
        return TD_E_NOMEM;
    return td_timeline_switch(ctf->timeline, &change);
}

/* ---- zones and messages */

/* The text of the event's fields in ctf->text. */
static int put_fields(struct td_ctf *ctf, const struct origin *of, bool with_contexts)
{
    int bad = td_ctf_add_fields(&ctf->text, of->payload);
    if (!bad && with_contexts)
        bad = td_ctf_add_fields(&ctf->text, of->own_context);
    return bad || !with_contexts ? bad : td_ctf_add_fields(&ctf->text, of->context);
}

static uint32_t text_of(const struct td_ctf *ctf)
{
    return ctf->text.bytes ? td_dict_string(ctf->dict, ctf->text.at, ctf->text.bytes) : 0;
}

static int take_function(struct td_ctf *ctf, const struct origin *of, bool begins)
{
    char text[24];
    int64_t address;
    if (!td_ctf_number(of->payload, "addr", &address))
        return begins ? 0 : td_timeline_end(ctf->timeline, of->at, 0, 0);
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)address);
    const uint32_t name = td_dict_cstring(ctf->dict, text);
    const struct td_srcloc srcloc = {.function = name};
    const uint32_t place = name == UINT32_MAX ? UINT32_MAX : td_dict_srcloc(ctf->dict, &srcloc);
    if (place == UINT32_MAX)
        return TD_E_NOMEM;
    return begins ? td_timeline_begin(ctf->timeline, of->at, place, name, 0)
                  : td_timeline_end(ctf->timeline, of->at, name, 0);
}

static int take_message(struct td_ctf *ctf, const struct td_ctf_kind *kind, const struct origin *of)
{
    const char *name = td_dict_text(ctf->dict, kind->name);
    int bad = td_text_add(&ctf->text, name, strlen(name));
    bad = bad ? bad : td_text_add(&ctf->text, "\n", 1);
    bad = bad ? bad : put_fields(ctf, of, true);
    if (bad)
        return bad;
    ctf->text.bytes--; /* the last line's end */
    const uint32_t text = text_of(ctf);
    return text == UINT32_MAX ? TD_E_NOMEM : td_timeline_message(ctf->timeline, of->at, text);
}

static int take_zone(struct td_ctf *ctf, const struct td_ctf_kind *kind, const struct origin *of)
{
    const bool begins = kind->kind == KIND_BEGIN;
    const int bad = put_fields(ctf, of, begins);
    const uint32_t text = bad ? UINT32_MAX : text_of(ctf);
    if (text == UINT32_MAX)
        return TD_E_NOMEM;
    return begins ? td_timeline_begin(ctf->timeline, of->at, kind->srcloc, kind->name, text)
                  : td_timeline_end(ctf->timeline, of->at, kind->kind == KIND_END ? kind->name : 0, text);
}

int td_ctf_take_event(struct td_ctf *ctf, const bt_event *event, int64_t time_ns)
{
    const struct td_ctf_kind *kind = kind_of(ctf, td_bt.bt_event_borrow_class_const(event));
    struct origin of = {.at = {.time_ns = time_ns}};
    const int bad = kind ? find_origin(ctf, event, kind->is_of_processor, &of) : TD_E_NOMEM;
    if (bad)
        return bad;
    ctf->text.bytes = 0;
    switch (kind->kind) {
    case KIND_SWITCH:
        return take_switch(ctf, &of);
    case KIND_WAKING:
        return take_waking(ctf, &of);
    case KIND_FORK:
        return take_process(ctf, &of, "child_tid", "child_pid", "child_comm") == 0
                   ? take_message(ctf, kind, &of)
                   : TD_E_NOMEM;
    case KIND_STATE:
        return take_process(ctf, &of, "tid", "pid", "name");
    case KIND_SWITCHED_IN:
    case KIND_SWITCHED_OUT:
        return take_half(ctf, &of, kind->kind == KIND_SWITCHED_IN);
    case KIND_FUNCTION_BEGIN:
    case KIND_FUNCTION_END:
        return take_function(ctf, &of, kind->kind == KIND_FUNCTION_BEGIN);
    case KIND_BEGIN:
    case KIND_END:
    case KIND_SYSCALL_END:
        return take_zone(ctf, kind, &of);
    default:
        return take_message(ctf, kind, &of);
    }
}

int td_ctf_settle(struct td_ctf *ctf)
{
    char pid[24];
    int bad = td_late_threads_settle(&ctf->threads, ctf->timeline);
    for (size_t i = 0; !bad && ctf->names.count && i <= ctf->names.mask; i++) {
        const struct td_map_slot *slot = &ctf->names.slots[i];
        if (!slot->used)
            continue;
        const int bytes = snprintf(pid, sizeof pid, "%" PRId64, (int64_t)slot->key);
        const uint32_t process =
            td_timeline_process(ctf->timeline, (struct td_timeline_id){pid, (size_t)bytes});
        bad = process == UINT32_MAX ? TD_E_NOMEM : 0;
        if (!bad)
            td_timeline_name_process(ctf->timeline, process, slot->value);
    }
    return bad;
}
