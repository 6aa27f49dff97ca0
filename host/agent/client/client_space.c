#include "host/agent/client/client_space_internal.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "proto/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREAD_SHIFT 40
#define FIRST_FIBER  (UINT64_C(1) << 32)

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

static struct td_client_machine *find_machine(struct td_client_spaces *spaces, const char *name)
{
    for (size_t i = 0; i < spaces->machine_count; i++)
        if (!strncmp(spaces->machines[i]->name, name, sizeof spaces->machines[i]->name - 1))
            return spaces->machines[i];
    struct td_client_machine *machine = calloc(1, sizeof *machine);
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
    snprintf(label, TD_SPACE_LABEL_BYTES, "%.63s", name);
    for (const char *c = label; *c; c++)
        hash = td_mix64(hash + (uint8_t)*c);
    uint32_t n = td_map_get(&spaces->names, hash, 1);
    while (has_label(spaces, label))
        snprintf(label, TD_SPACE_LABEL_BYTES, "%.63s %u", name, ++n);
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
    struct td_client_machine *runs_on = space ? find_machine(spaces, machine) : NULL;
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

bool td_client_space_owns(const struct td_client_space *space, uint64_t id)
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
        return id && td_client_space_owns(observer, id) ? id : 0;
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
    for (uint64_t n = space->number ? space->number : TD_SPACE_NUMBERS;; n += TD_SPACE_NUMBERS) {
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

uint32_t td_client_space_label_before(const struct td_client_space *space, struct td_dict *dict,
                                      uint32_t string)
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
        labelled.name = td_client_space_label_before(space, dict, track->name);
    if (labelled.name == UINT32_MAX)
        return UINT32_MAX;
    uint32_t number = space && space->observes && !td_client_space_owns(space, track->thread)
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
