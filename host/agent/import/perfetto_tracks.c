/* Tracks, processes and threads of a Perfetto trace. Descriptors may come after the events of their tracks, and the kernel
 * knows threads before their processes: which tracks they are is decided at the end. */
#include "host/agent/import/perfetto_trace.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PARENTS 16 /* above each other */

enum { UNIT_NS = 1, UNIT_BYTES = 3 };
enum { TYPE_THREAD_TIME = 1, TYPE_THREAD_INSTRUCTIONS = 2 };

static struct td_timeline_id print_number(char *text, size_t room, int64_t number)
{
    return (struct td_timeline_id){text, (size_t)snprintf(text, room, "%" PRId64, number)};
}

static struct td_timeline_id id_of(const struct td_dict *dict, uint32_t string)
{
    return (struct td_timeline_id){td_dict_text(dict, string), td_dict_text_bytes(dict, string)};
}

uint32_t td_pf_find_process(struct td_perfetto *perfetto, int64_t pid)
{
    char text[24];
    return td_timeline_process(perfetto->timeline, print_number(text, sizeof text, pid));
}

uint32_t td_pf_find_thread(struct td_perfetto *perfetto, int64_t pid, int64_t tid)
{
    char text[24];
    const uint32_t process = td_pf_find_process(perfetto, pid);
    return td_timeline_thread(perfetto->timeline, process, print_number(text, sizeof text, tid));
}

uint32_t td_pf_track_number(struct td_perfetto *perfetto, uint64_t uuid)
{
    uint32_t number = td_map_get(&perfetto->by_uuid, uuid, UINT32_MAX);
    if (number != UINT32_MAX)
        return number;
    number = (uint32_t)perfetto->track_count;
    return TD_APPEND(perfetto->tracks, perfetto->track_count, perfetto->track_room,
                     (struct td_pf_track_of){
                         .uuid = uuid, .owner = UINT32_MAX, .series = UINT32_MAX, .multiplier = 1}) < 0 ||
                   td_map_add(&perfetto->by_uuid, uuid, number) < 0
               ? UINT32_MAX
               : number;
}

uint32_t td_pf_track_owner(struct td_perfetto *perfetto, uint32_t track)
{
    if (perfetto->tracks[track].owner == UINT32_MAX)
        perfetto->tracks[track].owner = td_timeline_later(perfetto->timeline);
    return perfetto->tracks[track].owner;
}

/* ---- descriptors */

struct descriptor {
    int64_t pid, tid, time_us;
    uint32_t name;
};

/* Of a thread or a process: the fields that both have. */
static int name_process(struct td_perfetto *perfetto, int64_t pid, uint32_t name)
{
    if (name == UINT32_MAX)
        return TD_E_NOMEM;
    return name ? td_map_set(&perfetto->names, (uint64_t)pid, name) : 0;
}

static int read_process(struct td_perfetto *perfetto, struct td_pb_reader message, struct descriptor *process)
{
    struct td_pb_field field;
    uint32_t command = 0;
    *process = (struct descriptor){0};
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_PROCESS_PID)
            process->pid = (int64_t)field.value;
        else if (field.number == TD_PF_PROCESS_NAME)
            process->name = td_pf_string(perfetto, &field);
        else if (field.number == TD_PF_PROCESS_COMMAND_LINE && !command)
            command = td_pf_string(perfetto, &field);
    }
    if (message.is_damaged)
        return TD_E_FORMAT;
    return name_process(perfetto, process->pid, process->name ? process->name : command);
}

static int read_thread(struct td_perfetto *perfetto, struct td_pb_reader message, struct descriptor *thread)
{
    struct td_pb_field field;
    *thread = (struct descriptor){0};
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_THREAD_PID:
            thread->pid = (int64_t)field.value;
            break;
        case TD_PF_THREAD_TID:
            thread->tid = (int64_t)field.value;
            break;
        case TD_PF_THREAD_NAME:
            thread->name = td_pf_string(perfetto, &field);
            break;
        case TD_PF_THREAD_REFERENCE_US:
            thread->time_us = (int64_t)field.value;
            break;
        default:
            break;
        }
    if (message.is_damaged)
        return TD_E_FORMAT;
    const uint32_t number = td_pf_find_thread(perfetto, thread->pid, thread->tid);
    if (number == UINT32_MAX || thread->name == UINT32_MAX)
        return TD_E_NOMEM;
    if (thread->name)
        td_timeline_name_thread(perfetto->timeline, number, thread->name);
    return 0;
}

static int read_counter(const struct td_perfetto *perfetto, struct td_pb_reader message,
                        struct td_pf_track_of *track)
{
    struct td_pb_field field;
    static const char *const names[] = {NULL, "thread_time", "thread_instruction_count"};
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_COUNTER_TYPE:
            if (field.value >= TYPE_THREAD_TIME && field.value <= TYPE_THREAD_INSTRUCTIONS && !track->name)
                track->name = td_dict_cstring(perfetto->dict, names[field.value]);
            break;
        case TD_PF_COUNTER_UNIT:
            track->is_bytes = field.value == UNIT_BYTES;
            if (field.value == UNIT_NS)
                track->unit = td_dict_cstring(perfetto->dict, "ns");
            break;
        case TD_PF_COUNTER_UNIT_NAME:
            track->unit = td_pf_string(perfetto, &field);
            break;
        case TD_PF_COUNTER_UNIT_MULTIPLIER:
            track->multiplier = field.value ? (int64_t)field.value : 1;
            break;
        case TD_PF_COUNTER_IS_INCREMENTAL:
            track->is_incremental = field.value != 0;
            break;
        default:
            break;
        }
    if (track->name == UINT32_MAX || track->unit == UINT32_MAX)
        return TD_E_NOMEM;
    return message.is_damaged ? TD_E_FORMAT : 0;
}

/* The thread of a descriptor is also the one of its sequence. */
static void set_thread(struct td_pf_sequence *sequence, const struct descriptor *thread)
{
    sequence->pid = thread->pid;
    sequence->tid = thread->tid;
    sequence->time_us = thread->time_us ? thread->time_us : sequence->time_us;
    sequence->has_thread = true;
}

static int read_track_field(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                            const struct td_pb_field *field, struct td_pf_track_of *track)
{
    struct descriptor of;
    int bad = 0;
    switch (field->number) {
    case TD_PF_TRACK_PARENT:
        track->parent = field->value;
        track->has_parent = true;
        return 0;
    case TD_PF_TRACK_NAME:
    case TD_PF_TRACK_STATIC_NAME:
    case TD_PF_TRACK_ATRACE_NAME:
        track->name = td_pf_string(perfetto, field);
        return track->name == UINT32_MAX ? TD_E_NOMEM : 0;
    case TD_PF_TRACK_PROCESS:
        bad = read_process(perfetto, field->message, &of);
        track->has_process = !bad;
        track->pid = track->has_thread ? track->pid : of.pid;
        return bad;
    case TD_PF_TRACK_THREAD:
        bad = read_thread(perfetto, field->message, &of);
        track->has_thread = !bad;
        track->pid = of.pid;
        track->tid = of.tid;
        track->has_thread_name = of.name != 0;
        if (!bad)
            set_thread(sequence, &of);
        return bad;
    case TD_PF_TRACK_COUNTER:
        return read_counter(perfetto, field->message, track);
    default:
        return 0;
    }
}

int td_pf_take_track(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                     struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_pb_reader again = message;
    uint64_t uuid = 0;
    int bad = 0;
    while (td_pb_next(&message, &field))
        uuid = field.number == TD_PF_TRACK_UUID ? field.value : uuid;
    if (message.is_damaged)
        return TD_E_FORMAT;
    const uint32_t number = td_pf_track_number(perfetto, uuid);
    while (!bad && number != UINT32_MAX && td_pb_next(&again, &field))
        bad = read_track_field(perfetto, sequence, &field, &perfetto->tracks[number]);
    return number == UINT32_MAX ? TD_E_NOMEM : bad;
}

int td_pf_take_process(struct td_perfetto *perfetto, struct td_pb_reader process)
{
    struct descriptor of;
    return read_process(perfetto, process, &of);
}

int td_pf_take_thread(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                      struct td_pb_reader thread)
{
    struct descriptor of;
    const int bad = read_thread(perfetto, thread, &of);
    if (!bad)
        set_thread(sequence, &of);
    return bad;
}

static int take_tree_process(struct td_perfetto *perfetto, struct td_pb_reader message)
{
    struct td_pb_field field;
    int64_t pid = 0;
    uint32_t name = 0;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_TREE_PROCESS_PID)
            pid = (int64_t)field.value;
        else if (field.number == TD_PF_TREE_PROCESS_COMMAND_LINE && !name)
            name = td_pf_string(perfetto, &field);
    }
    const uint32_t leader =
        message.is_damaged ? 0 : td_late_threads_find(&perfetto->threads, perfetto->timeline, pid);
    if (message.is_damaged || leader == UINT32_MAX)
        return message.is_damaged ? TD_E_FORMAT : TD_E_NOMEM;
    perfetto->threads.at[leader].pid = pid;
    perfetto->threads.at[leader].has_pid = true;
    return name_process(perfetto, pid, name);
}

static int take_tree_thread(struct td_perfetto *perfetto, struct td_pb_reader message)
{
    struct td_pb_field field;
    int64_t pid = 0, tid = 0;
    uint32_t name = 0;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_TREE_THREAD_PID)
            pid = (int64_t)field.value;
        else if (field.number == TD_PF_TREE_THREAD_TID)
            tid = (int64_t)field.value;
        else if (field.number == TD_PF_TREE_THREAD_NAME)
            name = td_pf_string(perfetto, &field);
    }
    const uint32_t number =
        message.is_damaged ? 0 : td_late_threads_find(&perfetto->threads, perfetto->timeline, tid);
    if (message.is_damaged || number == UINT32_MAX || name == UINT32_MAX)
        return message.is_damaged ? TD_E_FORMAT : TD_E_NOMEM;
    struct td_late_thread *thread = &perfetto->threads.at[number];
    thread->pid = pid;
    thread->has_pid = true;
    thread->name = name ? name : thread->name;
    return 0;
}

int td_pf_take_tree(struct td_perfetto *perfetto, struct td_pb_reader tree)
{
    struct td_pb_field field;
    bool has_damage = false;
    int bad = 0;
    while (bad != TD_E_NOMEM && td_pb_next(&tree, &field)) {
        bad = field.number == TD_PF_PROCESS_TREE_PROCESSES ? take_tree_process(perfetto, field.message)
              : field.number == TD_PF_PROCESS_TREE_THREADS ? take_tree_thread(perfetto, field.message)
                                                           : 0;
        has_damage = has_damage || bad == TD_E_FORMAT;
    }
    return bad == TD_E_NOMEM ? bad : has_damage || tree.is_damaged ? TD_E_FORMAT : 0;
}

/* ---- the end */

struct lineage { /* what is above a track */
    const struct td_pf_track_of *process, *thread;
    const struct td_pf_track_of *named[PARENTS]; /* from the track itself to the outermost */
    size_t count;
};

static void find_lineage(const struct td_perfetto *perfetto, const struct td_pf_track_of *track,
                         struct lineage *lineage)
{
    *lineage = (struct lineage){0};
    for (unsigned i = 0; track && i < PARENTS; i++) {
        if (track->has_thread) {
            lineage->thread = track;
            return;
        }
        if (track->has_process) {
            lineage->process = track;
            return;
        }
        lineage->named[lineage->count++] = track;
        const uint32_t parent =
            track->has_parent ? td_map_get(&perfetto->by_uuid, track->parent, UINT32_MAX) : UINT32_MAX;
        track = parent == UINT32_MAX ? NULL : &perfetto->tracks[parent];
    }
}

/* The track's own name in perfetto->text, after those of its parents. */
static int print_name(struct td_perfetto *perfetto, const struct lineage *lineage)
{
    char text[48];
    int bad = 0;
    perfetto->text.bytes = 0;
    if (lineage->thread && lineage->count) {
        const int bytes = snprintf(text, sizeof text, "TID %" PRId64 " ", lineage->thread->tid);
        bad = td_text_add(&perfetto->text, text, (size_t)bytes);
    }
    for (size_t i = lineage->count; i-- > 0 && !bad;) {
        const struct td_pf_track_of *track = lineage->named[i];
        struct td_timeline_id name = id_of(perfetto->dict, track->name);
        const bool is_parent = i > 0;
        if (!name.bytes && is_parent)
            continue;
        const int bytes = track->uuid ? snprintf(text, sizeof text, "track %" PRIu64, track->uuid)
                                      : snprintf(text, sizeof text, "default track");
        if (!name.bytes)
            name = (struct td_timeline_id){text, (size_t)bytes};
        bad = td_text_add(&perfetto->text, name.at, name.bytes);
        bad = bad || !is_parent ? bad : td_text_add(&perfetto->text, " / ", 3);
    }
    return bad;
}

static uint32_t process_above(struct td_perfetto *perfetto, const struct lineage *lineage)
{
    const struct td_pf_track_of *of = lineage->thread ? lineage->thread : lineage->process;
    return of ? td_pf_find_process(perfetto, of->pid)
              : td_timeline_process(perfetto->timeline, (struct td_timeline_id){"", 0});
}

static int settle_events(struct td_perfetto *perfetto, const struct td_pf_track_of *track)
{
    struct lineage lineage;
    char key[24];
    struct td_timeline_place is = {0};
    find_lineage(perfetto, track, &lineage);
    if (lineage.thread == track) {
        is.owner = td_pf_find_thread(perfetto, track->pid, track->tid);
        if (is.owner != UINT32_MAX && track->name && !track->has_thread_name)
            td_timeline_name_thread(perfetto->timeline, is.owner, track->name);
    } else {
        const int bytes = snprintf(key, sizeof key, "%" PRIx64, track->uuid);
        if (print_name(perfetto, &lineage) < 0)
            return TD_E_NOMEM;
        is.async = true;
        is.owner = td_timeline_named(
            perfetto->timeline, process_above(perfetto, &lineage),
            (struct td_timeline_id){perfetto->text.at ? perfetto->text.at : "", perfetto->text.bytes},
            (struct td_timeline_id){key, (size_t)bytes});
    }
    if (is.owner == UINT32_MAX)
        return TD_E_NOMEM;
    td_timeline_settle(perfetto->timeline, track->owner, &is);
    return 0;
}

/* "NAME (UNIT)"; of a thread: "TID 5 NAME". */
static int settle_values(struct td_perfetto *perfetto, const struct td_pf_track_of *track)
{
    struct lineage lineage;
    const struct td_timeline_id unit = id_of(perfetto->dict, track->unit);
    find_lineage(perfetto, track, &lineage);
    int bad = print_name(perfetto, &lineage);
    if (!bad && unit.bytes) {
        bad = td_text_add(&perfetto->text, " (", 2);
        bad = bad ? bad : td_text_add(&perfetto->text, unit.at, unit.bytes);
        bad = bad ? bad : td_text_add(&perfetto->text, ")", 1);
    }
    const uint32_t process = bad ? UINT32_MAX : process_above(perfetto, &lineage);
    if (process == UINT32_MAX)
        return TD_E_NOMEM;
    return td_timeline_name_series(
        perfetto->timeline, track->series, process,
        (struct td_timeline_id){perfetto->text.at ? perfetto->text.at : "", perfetto->text.bytes},
        track->is_bytes);
}

static int settle_names(struct td_perfetto *perfetto)
{
    for (size_t i = 0; perfetto->names.count && i <= perfetto->names.mask; i++) {
        const struct td_map_slot *slot = &perfetto->names.slots[i];
        if (!slot->used)
            continue;
        const uint32_t process = td_pf_find_process(perfetto, (int64_t)slot->key);
        if (process == UINT32_MAX)
            return TD_E_NOMEM;
        td_timeline_name_process(perfetto->timeline, process, slot->value);
    }
    return 0;
}

/* The kernel's threads that have descriptors are those. */
static void join_threads(struct td_perfetto *perfetto)
{
    for (size_t i = 0; i < perfetto->track_count; i++) {
        const struct td_pf_track_of *track = &perfetto->tracks[i];
        const uint32_t number = track->has_thread
                                    ? td_map_get(&perfetto->threads.by_tid, (uint64_t)track->tid, UINT32_MAX)
                                    : UINT32_MAX;
        if (number == UINT32_MAX || perfetto->threads.at[number].has_pid)
            continue;
        perfetto->threads.at[number].pid = track->pid;
        perfetto->threads.at[number].has_pid = true;
        perfetto->threads.at[number].name = 0;
    }
}

int td_pf_settle(struct td_perfetto *perfetto)
{
    join_threads(perfetto);
    int bad = td_late_threads_settle(&perfetto->threads, perfetto->timeline);
    for (size_t i = 0; i < perfetto->track_count && !bad; i++) {
        const struct td_pf_track_of *track = &perfetto->tracks[i];
        if (track->owner != UINT32_MAX)
            bad = settle_events(perfetto, track);
        if (track->series != UINT32_MAX && !bad)
            bad = settle_values(perfetto, track);
    }
    return bad ? bad : settle_names(perfetto);
}
