#include "host/agent/client/client_space.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/rows.h"
#include "proto/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREAD_SHIFT    40
#define FIRST_FIBER     (UINT64_C(1) << 32)
#define ADDRESS_SHIFT   48
#define ADDRESS_BITS    ((UINT64_C(1) << ADDRESS_SHIFT) - 1)
#define SPACE_NUMBERS   4096u
#define KERNEL_FRAME    (UINT64_C(1) << 61) /* in a frame's id: an address of the kernel */
#define PARAMETER_SHIFT 20
#define SECTION_SHIFT   20
#define CPUS            256u /* lists of CPU_SWITCH */
#define CPU_STEP        64u  /* processors of another machine begin at a multiple */
#define LABEL_BYTES     80

struct machine {
    char name[160];
    const struct td_client_space *reporter[TD_CLIENT_REPORTS];
    struct td_client_space *observer; /* NULL: none */
    bool has_base;
    uint32_t cpu_base;
};

struct td_client_spaces {
    struct td_dict *dict;
    struct td_client_space **all;
    size_t count, capacity;
    size_t marking; /* how many of them are no observers */
    struct machine **machines;
    size_t machine_count, machine_capacity;
    struct td_map threads; /* id in the trace -> 1 + number of the process */
    struct td_map locks;   /* ids in the trace */
    struct td_map names;   /* hash of a program's name -> the last number in a label */
    uint32_t next_lock, next_category;
    uint32_t cpu_end; /* 1 + the greatest number of a processor so far */
    struct td_client_serials serials;
    uint32_t code_count; /* address spaces of boards' kernels */
};

struct td_client_space {
    struct td_client_spaces *spaces;
    struct machine *machine;
    uint32_t number;
    bool is_apart; /* some numbers differ from the process's own */
    bool is_first; /* of those that are no observers: its names are the process's own */
    bool observes;
    char label[LABEL_BYTES];
    struct td_map threads; /* id of the process -> index in `thread_ids` */
    uint64_t *thread_ids;
    size_t thread_count, thread_capacity;
    struct td_map categories;
    uint32_t *tracks; /* of threads and fibers, while it is the only process */
    size_t track_count, track_capacity;
    struct td_map has_track;
    uint32_t base_set; /* 1 + its number; 0: not made yet */
};

/* ---- processes ---- */

struct td_client_spaces *td_client_spaces_create(struct td_dict *dict)
{
    struct td_client_spaces *spaces = calloc(1, sizeof *spaces);
    if (spaces)
        spaces->dict = dict;
    return spaces;
}

void td_client_spaces_destroy(struct td_client_spaces *spaces)
{
    if (!spaces)
        return;
    for (size_t i = 0; i < spaces->count; i++) {
        td_map_finish(&spaces->all[i]->threads);
        td_map_finish(&spaces->all[i]->categories);
        td_map_finish(&spaces->all[i]->has_track);
        free(spaces->all[i]->thread_ids);
        free(spaces->all[i]->tracks);
        free(spaces->all[i]);
    }
    for (size_t i = 0; i < spaces->machine_count; i++)
        free(spaces->machines[i]);
    td_map_finish(&spaces->threads);
    td_map_finish(&spaces->locks);
    td_map_finish(&spaces->names);
    free(spaces->all);
    free(spaces->machines);
    free(spaces);
}

size_t td_client_spaces_count(const struct td_client_spaces *spaces)
{
    return spaces ? spaces->count : 0;
}

static struct machine *find_machine(struct td_client_spaces *spaces, const char *name)
{
    for (size_t i = 0; i < spaces->machine_count; i++)
        if (!strncmp(spaces->machines[i]->name, name, sizeof spaces->machines[i]->name - 1))
            return spaces->machines[i];
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine || td_grow(&spaces->machines, &spaces->machine_capacity, spaces->machine_count + 1,
                            sizeof *spaces->machines)) {
        free(machine);
        return NULL;
    }
    snprintf(machine->name, sizeof machine->name, "%s", name);
    spaces->machines[spaces->machine_count++] = machine;
    return machine;
}

static bool has_label(const struct td_client_spaces *spaces, const char *label)
{
    for (size_t i = 0; i < spaces->count; i++)
        if (!strcmp(spaces->all[i]->label, label))
            return true;
    return false;
}

/* "PROGRAM", "PROGRAM 2" ... */
static void choose_label(struct td_client_spaces *spaces, const char *program, char *label)
{
    const char *name = program[0] ? program : "program";
    uint64_t hash = 0;
    snprintf(label, LABEL_BYTES, "%.63s", name);
    for (const char *c = label; *c; c++)
        hash = td_mix64(hash + (uint8_t)*c);
    uint32_t n = td_map_get(&spaces->names, hash, 1);
    while (has_label(spaces, label))
        snprintf(label, LABEL_BYTES, "%.63s %u", name, ++n);
    td_map_set(&spaces->names, hash, n); /* without memory, the search only takes longer */
}

static struct td_client_space *first_marking(const struct td_client_spaces *spaces)
{
    size_t i = 0;
    while (!spaces->all[i]->is_first)
        i++;
    return spaces->all[i];
}

/* Gives the tracks of a process that was alone until now its label. */
static int label_tracks(struct td_client_space *space)
{
    struct td_dict *dict = space->spaces->dict;
    for (size_t i = 0; i < space->track_count; i++) {
        const struct td_track track = *td_dict_get_track(dict, space->tracks[i]);
        space->tracks[i] = td_client_space_track(space, dict, &track);
        if (space->tracks[i] == UINT32_MAX)
            return TD_E_NOMEM;
    }
    space->track_count = 0;
    return 0;
}

struct td_client_space *td_client_spaces_add(struct td_client_spaces *spaces, const char *program,
                                             const char *machine, bool observes)
{
    struct td_client_space *space = calloc(1, sizeof *space);
    struct machine *runs_on = space ? find_machine(spaces, machine) : NULL;
    if (!runs_on || td_grow(&spaces->all, &spaces->capacity, spaces->count + 1, sizeof *spaces->all)) {
        free(space);
        return NULL;
    }
    space->spaces = spaces;
    space->machine = runs_on;
    space->number = (uint32_t)spaces->count;
    space->is_apart = space->number > 0;
    space->is_first = !observes && !spaces->marking;
    space->observes = observes;
    if (observes)
        runs_on->observer = space;
    choose_label(spaces, program, space->label);
    spaces->all[spaces->count++] = space;
    spaces->marking += !observes;
    td_debug(client, "process %u of the trace: %s", space->number, space->label);
    if (!observes && spaces->marking == 2 && label_tracks(first_marking(spaces)) != 0)
        return NULL;
    return space;
}

void td_client_space_leave(struct td_client_space *space)
{
    for (int i = 0; space && i < TD_CLIENT_REPORTS; i++)
        if (space->machine->reporter[i] == space && i != TD_CLIENT_REPORT_TOPOLOGY)
            space->machine->reporter[i] = NULL;
}

const char *td_client_space_label(const struct td_client_space *space)
{
    return space ? space->label : "";
}

struct td_client_serials *td_client_space_serials(struct td_client_space *space)
{
    return space ? &space->spaces->serials : NULL;
}

struct td_client_serials *td_client_spaces_serials(struct td_client_spaces *spaces)
{
    return &spaces->serials;
}

uint32_t td_client_spaces_code(struct td_client_spaces *spaces)
{
    return TD_CLIENT_SPACES_CODE + (spaces ? spaces->code_count++ : 0);
}

bool td_client_space_reports(struct td_client_space *space, enum td_client_report report)
{
    if (!space)
        return true;
    const struct td_client_space **reporter = &space->machine->reporter[report];
    if (!*reporter)
        *reporter = space;
    return *reporter == space;
}

/* ---- threads ---- */

/* The id that a space has for a thread; 0: it has none yet. */
static uint64_t known_thread(const struct td_client_space *space, uint64_t thread)
{
    const uint32_t at = td_map_get(&space->threads, thread, UINT32_MAX);
    return at == UINT32_MAX ? 0 : space->thread_ids[at];
}

static bool is_owner(const struct td_client_space *space, uint64_t id)
{
    return td_map_get(&space->spaces->threads, id, 0) == 1 + space->number;
}

/* The id under which the machine's observer and a process have the same thread; 0: only this one knows it. */
static uint64_t shared_thread(const struct td_client_space *space, uint64_t thread)
{
    const struct td_client_spaces *spaces = space->spaces;
    const struct td_client_space *observer = space->machine->observer;
    if (observer && observer != space) {
        const uint64_t id = known_thread(observer, thread);
        return id && is_owner(observer, id) ? id : 0;
    }
    for (size_t i = observer ? spaces->count : 0; i-- > 0;) {
        const struct td_client_space *other = spaces->all[i];
        const uint64_t id =
            other != space && other->machine == space->machine ? known_thread(other, thread) : 0;
        if (id)
            return id;
    }
    return 0;
}

/* An id that no other process has, or that of the same thread. */
static uint64_t choose_thread(const struct td_client_space *space, uint64_t thread)
{
    uint64_t id = shared_thread(space, thread);
    if (id)
        return id;
    id = thread;
    for (uint64_t n = space->number ? space->number : SPACE_NUMBERS;; n += SPACE_NUMBERS) {
        uint32_t owner = td_map_get(&space->spaces->threads, id, 0);
        if (!owner || owner == 1 + space->number)
            return id;
        id = thread + (n << THREAD_SHIFT);
    }
}

/* A thread that is observed belongs to the process that it is of, if that is in the trace. */
static int own_thread(struct td_client_space *space, uint64_t id)
{
    struct td_map *threads = &space->spaces->threads;
    return space->observes ? (td_map_add(threads, id, 1 + space->number) < 0 ? TD_E_NOMEM : 0)
                           : td_map_set(threads, id, 1 + space->number);
}

/* If there is no memory, the id is that of the process. */
uint64_t td_client_space_thread(struct td_client_space *space, uint64_t thread)
{
    if (!space || !thread || thread >> 32)
        return thread;
    uint64_t id = known_thread(space, thread);
    if (id)
        return id;
    id = choose_thread(space, thread);
    if (td_grow(&space->thread_ids, &space->thread_capacity, space->thread_count + 1, sizeof id) ||
        own_thread(space, id) != 0 || td_map_add(&space->threads, thread, (uint32_t)space->thread_count) < 0)
        return thread;
    space->thread_ids[space->thread_count++] = id;
    space->is_apart |= id != thread;
    return id;
}

uint64_t td_client_space_fiber(const struct td_client_space *space, uint32_t index)
{
    return FIRST_FIBER + index + ((uint64_t)(space ? space->number : 0) << THREAD_SHIFT);
}

/* ---- names ---- */

static uint32_t put_format(struct td_dict *dict, const char *format, const char *a, size_t a_bytes,
                           const char *b, size_t b_bytes)
{
    char *text = NULL;
    const int bytes = asprintf(&text, format, (int)a_bytes, a, (int)b_bytes, b);
    if (bytes < 0)
        return UINT32_MAX;
    uint32_t string = td_dict_string(dict, text, (size_t)bytes);
    free(text);
    return string;
}

/* "LABEL: name"; the name itself while there is one process. An observer names threads with their process. */
static uint32_t label_before(const struct td_client_space *space, struct td_dict *dict, uint32_t string)
{
    if (!space || space->observes || space->spaces->marking < 2)
        return string;
    return put_format(dict, "%.*s: %.*s", space->label, strlen(space->label), td_dict_text(dict, string),
                      td_dict_text_bytes(dict, string));
}

uint32_t td_client_space_name(const struct td_client_space *space, struct td_dict *dict, const char *text,
                              size_t bytes)
{
    if (!space || space->is_first)
        return td_dict_string(dict, text, bytes);
    return put_format(dict, "%.*s (%.*s)", text, bytes, space->label, strlen(space->label));
}

uint32_t td_client_space_machine_name(const struct td_client_space *space, struct td_dict *dict,
                                      uint32_t string)
{
    if (!space || space->machine == space->spaces->machines[0] || string == UINT32_MAX)
        return string;
    return td_client_space_name(space, dict, td_dict_text(dict, string), td_dict_text_bytes(dict, string));
}

/* Adds what an observer has of a track of another process, which may have named it. */
static uint32_t add_foreign_track(struct td_dict *dict, const struct td_track *track)
{
    struct td_track unnamed = *track;
    unnamed.name = 0;
    const uint32_t number = td_dict_track(dict, &unnamed);
    return number == UINT32_MAX || td_dict_get_track(dict, number)->name ? number
                                                                         : td_dict_track(dict, track);
}

uint32_t td_client_space_track(struct td_client_space *space, struct td_dict *dict,
                               const struct td_track *track)
{
    struct td_track labelled = *track;
    if (track->kind == TD_TRACK_THREAD && td_track_is_device(track->thread)) { /* of a recorder that serves */
        labelled.chip = (uint16_t)td_track_chip(track->thread);
        labelled.x = (uint16_t)td_track_x(track->thread);
        labelled.y = (uint16_t)td_track_y(track->thread);
        labelled.core = (uint8_t)td_track_core(track->thread);
    }
    if (space && track->name)
        labelled.name = label_before(space, dict, track->name);
    if (labelled.name == UINT32_MAX)
        return UINT32_MAX;
    uint32_t number = space && space->observes && !is_owner(space, track->thread)
                          ? add_foreign_track(dict, &labelled)
                          : td_dict_track(dict, &labelled);
    if (!space || space->observes || space->spaces->marking > 1 || number == UINT32_MAX)
        return number;
    const int fresh = td_map_add(&space->has_track, number, 1);
    if (fresh == 0)
        return number;
    if (fresh < 0 || td_grow(&space->tracks, &space->track_capacity, space->track_count + 1, sizeof number))
        return UINT32_MAX;
    space->tracks[space->track_count++] = number;
    return number;
}

bool td_client_space_has_own_frames(const struct td_client_space *space)
{
    return space && !space->is_first;
}

uint32_t td_client_space_base_set(struct td_client_space *space, struct td_dict *dict)
{
    if (!td_client_space_has_own_frames(space))
        return 0;
    if (!space->base_set) {
        uint32_t name = td_client_space_name(space, dict, "Frame", 5);
        uint32_t set = name == UINT32_MAX ? UINT32_MAX : td_dict_frame_set(dict, name, 1);
        if (set == UINT32_MAX)
            return UINT32_MAX;
        space->base_set = 1 + set;
    }
    return space->base_set - 1;
}

/* ---- other numbers ---- */

/* The kernel's address space is that of all processes of a machine, but each program has its own names. */
static uint64_t move_place(const struct td_client_space *space, uint64_t address)
{
    if (!space->number)
        return address;
    const uint64_t in_kernel = address >> 63, number = space->number % SPACE_NUMBERS;
    const uint64_t top = in_kernel ? UINT64_C(0xf000) | (SPACE_NUMBERS - 1 - number) : number;
    return (address & ADDRESS_BITS) | top << ADDRESS_SHIFT;
}

/* 0 is no address. */
static uint64_t move_address(const struct td_client_space *space, uint64_t address)
{
    return address ? move_place(space, address) : 0;
}

/* A frame's id is an address without its two highest bits, or a serial number of all processes. */
static uint64_t move_frame(const struct td_client_space *space, uint64_t frame)
{
    if (frame & TD_FRAME_SCRIPTED)
        return frame;
    const uint64_t high = frame & KERNEL_FRAME ? UINT64_C(3) << 62 : 0;
    return move_place(space, frame | high) & TD_FRAME_BITS;
}

static int64_t move_lock(struct td_client_space *space, int64_t lock)
{
    struct td_client_spaces *spaces = space->spaces;
    uint32_t id = (uint32_t)lock;
    if (td_map_get(&spaces->locks, id, 0))
        id = spaces->next_lock;
    td_map_add(&spaces->locks, id, 1); /* without memory, the lock has the same number as another one */
    if (id >= spaces->next_lock)
        spaces->next_lock = id + 1;
    return id;
}

static int64_t move_category(struct td_client_space *space, int64_t category)
{
    struct td_client_spaces *spaces = space->spaces;
    uint32_t number = td_map_get(&space->categories, (uint64_t)category, UINT32_MAX);
    if (number != UINT32_MAX)
        return number;
    number = space->number ? spaces->next_category : (uint32_t)category;
    td_map_add(&space->categories, (uint64_t)category, number);
    if (number >= spaces->next_category)
        spaces->next_category = number + 1;
    return number;
}

/* Processors of the machine that reports first keep their numbers. */
static int64_t move_cpu(struct td_client_space *space, int64_t cpu)
{
    struct machine *machine = space->machine;
    struct td_client_spaces *spaces = space->spaces;
    if (!machine->has_base) {
        machine->has_base = true;
        machine->cpu_base = (spaces->cpu_end + CPU_STEP - 1) / CPU_STEP * CPU_STEP;
    }
    uint32_t number = machine->cpu_base + (uint32_t)cpu;
    if (number >= spaces->cpu_end)
        spaces->cpu_end = number + 1;
    return number;
}

/* ---- rows ---- */

/* X(column, function): the function returns the value in the trace. */
#define MOVED(X)                                                                                             \
    X(STACK_ENTRY, FRAME, frame)                                                                             \
    X(STACK_FRAME, FRAME, frame)                                                                             \
    X(STACK_LINE, SYMBOL, address)                                                                           \
    X(SYMBOL, ADDRESS, address)                                                                              \
    X(CODE, ADDRESS, address)                                                                                \
    X(SYMBOL_OF, ADDRESS, place)                                                                             \
    X(SYMBOL_OF, SYMBOL, address)                                                                            \
    X(HW_ADDRESS, ADDRESS, address)                                                                          \
    X(SWITCH, CPU, cpu)                                                                                      \
    X(SWITCH, WAKEUP_CPU, cpu)                                                                               \
    X(TOPOLOGY, CPU, cpu)                                                                                    \
    X(SECTION, CATEGORY, category)                                                                           \
    X(SECTION_CATEGORY, CATEGORY, category)                                                                  \
    X(LOCK, ID, lock)

enum moved {
    MOVED_NOTHING,
    MOVED_frame,
    MOVED_address,
    MOVED_place,
    MOVED_cpu,
    MOVED_category,
    MOVED_lock,
};

static enum moved moved_as(unsigned table, unsigned column)
{
#define TD_X(of, name, function)                                                                             \
    if (table == TD_TABLE_##of && column == TD_##of##_##name)                                                \
        return MOVED_##function;
    MOVED(TD_X)
#undef TD_X
    return MOVED_NOTHING;
}

/* Names that are unique in one process. Without memory, the name has no label. */
static int64_t move_name(struct td_client_space *space, unsigned table, unsigned column, int64_t value)
{
    struct td_dict *dict = space->spaces->dict;
    const uint32_t string = (uint32_t)value;
    uint32_t labelled = string;
    if (table == TD_TABLE_THREAD_NAME || (table == TD_TABLE_GPU_CONTEXT && space->number && string))
        labelled = label_before(space, dict, string);
    if (table == TD_TABLE_POOL && space->number && string)
        labelled =
            td_client_space_name(space, dict, td_dict_text(dict, string), td_dict_text_bytes(dict, string));
    return labelled == UINT32_MAX ? value : labelled;
}

/* The report that the table belongs to; TD_CLIENT_REPORTS: none. */
static unsigned report_of(unsigned table)
{
    switch (table) {
    case TD_TABLE_CPU_SWITCH:
    case TD_TABLE_CPU_TOTAL:
    case TD_TABLE_THREAD_PROCESS:
    case TD_TABLE_FOREIGN_THREAD:
        return TD_CLIENT_REPORT_SWITCHES;
    case TD_TABLE_TOPOLOGY:
        return TD_CLIENT_REPORT_TOPOLOGY;
    default:
        return TD_CLIENT_REPORTS;
    }
}

/* Threads of any program of the machine: those that are no threads of the process keep their ids on this
 * machine, where another process of the trace may be theirs. */
static int64_t move_foreign(struct td_client_space *space, int64_t thread)
{
    const bool is_own = td_map_get(&space->threads, (uint64_t)thread, UINT32_MAX) != UINT32_MAX;
    if (!is_own && space->machine == space->spaces->machines[0])
        return thread;
    return (int64_t)td_client_space_thread(space, (uint64_t)thread);
}

static int64_t move_value(struct td_client_space *space, unsigned table, unsigned column, int64_t value)
{
    if (table == TD_ROW_GPU_ZONE)
        return column == TD_GPU_ZONE_THREAD ? (int64_t)td_client_space_thread(space, (uint64_t)value) : value;
    const enum td_column_type type = td_table_get_shape((enum td_table)table)->column[column].type;
    if (type == TD_TYPE_THREAD && report_of(table) == TD_CLIENT_REPORT_SWITCHES)
        return move_foreign(space, value);
    if (type == TD_TYPE_THREAD)
        return (int64_t)td_client_space_thread(space, (uint64_t)value);
    if (type == TD_TYPE_STRING)
        return move_name(space, table, column, value);
    if (table == TD_TABLE_SECTION && column == TD_SECTION_END && value < 0 && space->number)
        return value - ((int64_t)space->number << SECTION_SHIFT);
    if (table == TD_TABLE_PARAMETER && column == TD_PARAMETER_INDEX)
        return value + ((int64_t)space->number << PARAMETER_SHIFT);
    switch (moved_as(table, column)) {
    case MOVED_frame:
        return (int64_t)move_frame(space, (uint64_t)value);
    case MOVED_address:
        return (int64_t)move_address(space, (uint64_t)value);
    case MOVED_place:
        return (int64_t)move_place(space, (uint64_t)value);
    case MOVED_cpu:
        return move_cpu(space, value);
    case MOVED_category:
        return move_category(space, value);
    case MOVED_lock:
        return move_lock(space, value);
    default:
        return value;
    }
}

static bool takes_table(struct td_client_space *space, unsigned table)
{
    const unsigned report = report_of(table);
    return report == TD_CLIENT_REPORTS || td_client_space_reports(space, (enum td_client_report)report);
}

/* Process 0 has numbers of its own that the spaces must know of, even if none is changed. */
static bool is_unchanged(const struct td_client_space *space, unsigned table)
{
    return !space->is_apart && table != TD_TABLE_LOCK && table != TD_TABLE_SECTION_CATEGORY &&
           table != TD_TABLE_SECTION && table != TD_TABLE_CPU_SWITCH && table != TD_TABLE_TOPOLOGY &&
           table != TD_TABLE_THREAD_NAME;
}

/* The default pool has no name in its process. */
static int name_default_pool(struct td_client_space *space, int64_t *values)
{
    uint32_t name = td_client_space_name(space, space->spaces->dict, "memory", 6);
    if (name == UINT32_MAX)
        return TD_E_NOMEM;
    values[TD_POOL_NAME] = name;
    return 0;
}

/* The observer's name for a thread without events that another process of the trace has. */
static bool is_named_by_process(struct td_client_space *space, unsigned table, const int64_t *values)
{
    return space->observes && table == TD_TABLE_THREAD_NAME &&
           !is_owner(space, td_client_space_thread(space, (uint64_t)values[TD_THREAD_NAME_THREAD]));
}

int64_t td_client_space_row(struct td_client_space *space, struct td_hub *hub, unsigned table,
                            uint64_t parent, const int64_t *values, struct td_err *err)
{
    int64_t
        moved[TD_SERIES_COLUMNS > TD_GPU_ZONE_COLUMN_COUNT ? TD_SERIES_COLUMNS : TD_GPU_ZONE_COLUMN_COUNT];
    if (!space || (is_unchanged(space, table) && takes_table(space, table)))
        return td_hub_row(hub, table, parent, values, err);
    if (!takes_table(space, table) || is_named_by_process(space, table, values))
        return 0;
    const unsigned columns = table == TD_ROW_GPU_ZONE ? (unsigned)TD_GPU_ZONE_COLUMN_COUNT
                                                      : td_table_get_shape((enum td_table)table)->columns;
    for (unsigned c = 0; c < columns; c++)
        moved[c] = move_value(space, table, c, values[c]);
    if (table == TD_TABLE_CPU_SWITCH)
        parent = (uint64_t)move_cpu(space, (int64_t)parent);
    if (table == TD_TABLE_CPU_SWITCH && parent >= CPUS)
        return 0;
    if (table == TD_TABLE_POOL && !values[TD_POOL_NAME] && space->number &&
        name_default_pool(space, moved) != 0)
        return td_fail_no_memory(err, NULL);
    return td_hub_row(hub, table, parent, moved, err);
}

int td_client_space_set(struct td_client_space *space, struct td_hub *hub, unsigned table, uint64_t parent,
                        uint64_t row, unsigned column, int64_t value, struct td_err *err)
{
    if (!space)
        return td_hub_set(hub, table, parent, row, column, value, err);
    if (!takes_table(space, table))
        return 0;
    if (table == TD_TABLE_CPU_SWITCH)
        parent = (uint64_t)move_cpu(space, (int64_t)parent);
    if (table == TD_TABLE_CPU_SWITCH && parent >= CPUS)
        return 0;
    if (!is_unchanged(space, table))
        value = move_value(space, table, column, value);
    return td_hub_set(hub, table, parent, row, column, value, err);
}
