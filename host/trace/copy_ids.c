/* Numbers that several sources may have in common: threads, chips, processors, address spaces, locks. */
#include "host/base/grow.h"
#include "host/trace/copy_internal.h"
#include "proto/track.h"

#include <stdio.h>
#include <stdlib.h>

#define CPUS          256u /* lists of CPU_SWITCH */
#define NEW_ID_SHIFT  40
#define SPACE_SHIFT   48
#define SPACES        65536u /* keys of address spaces: bits 48 to 63 */
#define SPACE_NUMBERS 4096u  /* bits 48 to 59 */

/* ---- chips and processors ---- */

/* If a chip of the source is in use, all chips of the source go after all that are in use. */
static void choose_chips(struct copy_run *run)
{
    struct td_copier *copier = run->copier;
    unsigned most = 0, end = 0;
    bool any = false, taken = false;
    for (uint32_t t = 0; t < td_dict_track_count(run->from_dict); t++) {
        const struct td_track *track = td_dict_get_track(run->from_dict, t);
        if (track->kind != TD_TRACK_CORE || !td_track_is_device(track->thread))
            continue;
        unsigned chip = td_track_chip(track->thread);
        run->chips[chip] = 1;
        taken |= copier->chips[chip];
        most = chip > most ? chip : most;
        any = true;
    }
    for (unsigned c = 0; c < COPY_CHIPS; c++)
        end = copier->chips[c] ? c + 1 : end;
    if (!any || !run->apart)
        return;
    run->chip_shift = (uint16_t)(taken ? end : 0);
    run->cores_apart = run->chip_shift + most >= COPY_CHIPS;
    for (unsigned c = 0; c < COPY_CHIPS && !run->cores_apart; c++) {
        if (!run->chips[c])
            continue;
        copier->chips[c + run->chip_shift] = 1;
        if (run->named && td_trace_note(run->to, TD_NOTE_CHIP, "%u is chip %u of %s", c + run->chip_shift, c,
                                        run->options->label) < 0)
            run->failed = true;
    }
}

uint64_t td_copy_after_greatest_(const struct td_series *rows, unsigned column, uint64_t limit,
                                 uint64_t least)
{
    for (uint64_t i = 0; i < td_series_count(rows); i++) {
        uint64_t value = (uint64_t)td_series_get(rows, i, column);
        if (value < limit && value >= least)
            least = value + 1;
    }
    return least;
}

static void choose_cpus(struct copy_run *run)
{
    struct td_copier *copier = run->copier;
    const struct td_series *topology = td_trace_table(run->from, TD_TABLE_TOPOLOGY);
    uint64_t cpus = td_copy_after_greatest_(topology, TD_TOPOLOGY_CPU, UINT32_MAX, 0);
    uint64_t lists = td_trace_lists(run->from, TD_TABLE_CPU_SWITCH);
    cpus = cpus > lists ? cpus : lists;
    run->cpu_base = copier->cpus;
    run->package_base = copier->packages;
    run->no_cpus = copier->cpus + cpus > CPUS;
    if (run->no_cpus) {
        snprintf(copier->notice, sizeof copier->notice,
                 "the format has %u processors: those of %s and maybe others are left out", CPUS,
                 run->options->label ? run->options->label : "the source");
        return;
    }
    copier->cpus += cpus;
    copier->packages += td_copy_after_greatest_(topology, TD_TOPOLOGY_PACKAGE, UINT32_MAX, 0);
}

void td_copy_begin_ids_(struct copy_run *run)
{
    choose_chips(run);
    choose_cpus(run);
}

/* ---- threads ---- */

bool td_copy_knows_thread_(const struct copy_run *run, uint64_t thread)
{
    return td_map_get(&run->thread_map, thread, COPY_NO_MAP) != COPY_NO_MAP;
}

/* An id that is not in use: the id itself if possible. A core has the place of its chip's new number. */
static uint64_t choose_thread(const struct copy_run *run, uint64_t thread)
{
    uint64_t id = thread;
    if (td_track_is_device(thread) && !run->cores_apart)
        id = td_track_id(td_track_chip(thread) + run->chip_shift, td_track_x(thread), td_track_y(thread),
                         td_track_core(thread));
    for (uint64_t n = run->copier->sources; td_map_get(&run->copier->threads, id, 0); n++)
        id = thread + (n << NEW_ID_SHIFT);
    return id;
}

uint64_t td_copy_thread_(struct copy_run *run, uint64_t thread)
{
    if (!run->apart || !thread)
        return thread;
    if (thread == run->last_thread)
        return run->last_thread_to;
    uint32_t at = td_map_get(&run->thread_map, thread, COPY_NO_MAP);
    if (at == COPY_NO_MAP) {
        uint64_t id = choose_thread(run, thread);
        at = (uint32_t)run->thread_count;
        if (td_grow(&run->thread_ids, &run->thread_capacity, run->thread_count + 1, sizeof id) < 0 ||
            td_map_add(&run->thread_map, thread, at) < 0 ||
            td_map_add(&run->copier->threads, id, run->copier->sources + 1) < 0) {
            run->failed = true;
            return thread;
        }
        run->thread_ids[run->thread_count++] = id;
    }
    run->last_thread = thread;
    return run->last_thread_to = run->thread_ids[at];
}

/* ---- addresses ---- */

/* Another number of an address space of the same kind (bits 60 to 63), UINT32_MAX: all are in use. The
 * programs' spaces are numbered from below, others (the kernel's) from above. */
static uint32_t choose_space(const struct copy_run *run, uint32_t key)
{
    uint32_t kind = key & ~(SPACE_NUMBERS - 1);
    if (!td_map_get(&run->copier->spaces, key, 0))
        return key;
    for (uint32_t i = 1; i < SPACE_NUMBERS; i++) {
        uint32_t other = kind | (kind < 0x8000u ? i : SPACE_NUMBERS - 1 - i);
        if (!td_map_get(&run->copier->spaces, other, 0))
            return other;
    }
    return COPY_NO_MAP;
}

static uint64_t move_address(struct copy_run *run, uint64_t address)
{
    if (!run->apart)
        return address;
    if (!run->spaces && !(run->spaces = calloc(SPACES, sizeof *run->spaces))) {
        run->failed = true;
        return address;
    }
    uint32_t key = (uint32_t)(address >> SPACE_SHIFT), *to = &run->spaces[key];
    if (!*to) {
        uint32_t space = choose_space(run, key);
        if (space == COPY_NO_MAP || td_map_add(&run->copier->spaces, space, 1) < 0) {
            run->no_space |= space == COPY_NO_MAP;
            run->failed = true;
            return address;
        }
        *to = 1 + space;
    }
    return (address & ((UINT64_C(1) << SPACE_SHIFT) - 1)) | (uint64_t)(*to - 1) << SPACE_SHIFT;
}

uint64_t td_copy_address_(struct copy_run *run, uint64_t address)
{
    return address ? move_address(run, address) : 0;
}

/* A frame id has an address without its bits 62 and 63, which are equal to bits 60 and 61; or bit 62 is set,
 * and it has a serial number. Frame 0 is one, too. */
uint64_t td_copy_frame_id_(struct copy_run *run, uint64_t frame)
{
    if (frame & TD_FRAME_SCRIPTED)
        return move_address(run, frame);
    uint64_t address = move_address(run, frame | (frame & UINT64_C(3) << 60) << 2);
    return run->apart ? address & TD_FRAME_BITS : frame;
}

/* ---- locks ---- */

int64_t td_copy_lock_(struct copy_run *run, int64_t lock)
{
    struct td_copier *copier = run->copier;
    uint64_t id = (uint64_t)lock;
    if (!run->apart)
        return lock;
    if (td_map_get(&copier->locks, id, 0))
        id = copier->next_lock;
    if (td_map_add(&copier->locks, id, 1) < 0)
        run->failed = true;
    if (id >= copier->next_lock)
        copier->next_lock = id + 1;
    return (int64_t)id;
}
