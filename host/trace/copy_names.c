/* The dictionary of a source, in that of the model that is filled. */
#include "host/trace/copy_internal.h"
#include "proto/track.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOW_IN  "flow in "
#define FLOW_OUT "flow out "

/* ---- strings ---- */

static uint32_t note_failure(struct copy_run *run, uint32_t number)
{
    if (number == UINT32_MAX)
        run->failed = true;
    return number == UINT32_MAX ? 0 : number;
}

uint32_t td_copy_format_(struct copy_run *run, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int bytes = vasprintf(&text, format, args);
    va_end(args);
    uint32_t string = bytes < 0 ? UINT32_MAX : td_dict_string(run->dict, text, (size_t)bytes);
    if (bytes >= 0)
        free(text);
    return note_failure(run, string);
}

/* A model that is being filled gets new strings meanwhile. */
static int have_string(struct copy_run *run, uint64_t string)
{
    if (string < run->strings_count)
        return 0;
    uint32_t count = td_dict_string_count(run->from_dict);
    if (string >= count)
        return TD_E_USAGE;
    uint32_t *more = realloc(run->strings, count * sizeof *more);
    if (!more)
        return TD_E_NOMEM;
    memset(more + run->strings_count, 0xff, (count - run->strings_count) * sizeof *more);
    run->strings = more;
    run->strings_count = count;
    return 0;
}

uint32_t td_copy_string_(struct copy_run *run, uint64_t string)
{
    int rc = string ? have_string(run, string) : TD_E_USAGE;
    if (rc < 0) {
        run->failed |= rc == TD_E_NOMEM;
        return 0;
    }
    uint32_t *to = &run->strings[string];
    if (*to == COPY_NO_MAP) {
        uint32_t number = (uint32_t)string;
        *to = note_failure(run, td_dict_string(run->dict, td_dict_text(run->from_dict, number),
                                               td_dict_text_bytes(run->from_dict, number)));
    }
    return *to;
}

uint32_t td_copy_label_(struct copy_run *run, uint32_t string, bool after)
{
    const char *name = td_dict_text(run->from_dict, string), *label = run->options->label;
    if (!run->named)
        return td_copy_string_(run, string);
    if (!*name)
        return td_copy_format_(run, after ? "(%s)" : "%s", label);
    return after ? td_copy_format_(run, "%s (%s)", name, label) : td_copy_format_(run, "%s: %s", label, name);
}

uint32_t td_copy_suffix_(struct copy_run *run, const char *text)
{
    return td_copy_format_(run, "%s (%s)", text, run->named ? run->options->label : "another");
}

static bool is_flow(const char *line, size_t bytes)
{
    return (bytes > sizeof FLOW_IN - 1 && !memcmp(line, FLOW_IN, sizeof FLOW_IN - 1)) ||
           (bytes > sizeof FLOW_OUT - 1 && !memcmp(line, FLOW_OUT, sizeof FLOW_OUT - 1));
}

/* The text with the label after each line that is a flow. NULL: no memory. The caller frees. */
static char *label_flows(const char *text, const char *label)
{
    size_t lines = 1, bytes;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    char *whole = malloc(strlen(text) + lines * (strlen(label) + 1) + 1), *to = whole;
    for (; whole && *text; text += bytes) {
        bytes = strcspn(text, "\n");
        memcpy(to, text, bytes);
        to += bytes;
        if (is_flow(text, bytes))
            to += sprintf(to, " %s", label);
        if (text[bytes] == '\n') {
            *to++ = '\n';
            bytes++;
        }
    }
    if (whole)
        *to = 0;
    return whole;
}

uint32_t td_copy_zone_text_(struct copy_run *run, uint64_t string)
{
    const char *text = td_dict_text(run->from_dict, (uint32_t)string);
    if (!run->named || !strstr(text, "flow "))
        return td_copy_string_(run, string);
    char *labelled = label_flows(text, run->options->label);
    uint32_t number = note_failure(run, labelled ? td_dict_cstring(run->dict, labelled) : UINT32_MAX);
    free(labelled);
    return number;
}

/* ---- source locations ---- */

static uint64_t hash_location(const struct td_srcloc *s, uint32_t turn)
{
    uint64_t h = td_mix64((uint64_t)s->name << 32 | s->function);
    h = td_mix64(h ^ ((uint64_t)s->file << 32 | s->line));
    return td_mix64(td_mix64(h ^ ((uint64_t)s->color << 32 | s->flags)) + turn);
}

/* A location that may have equals: the turn-th of them. */
static uint32_t share_location(struct copy_run *run, const struct td_srcloc *location, uint32_t turn)
{
    struct td_map *known = &run->copier->locations;
    uint64_t key = hash_location(location, turn);
    uint32_t number = run->apart ? td_map_get(known, key, COPY_NO_MAP) : COPY_NO_MAP;
    if (number != COPY_NO_MAP) {
        struct td_srcloc same = *td_dict_get_srcloc(run->dict, number);
        same.flags &= (1u << TD_SRCLOC_OWN_SHIFT) - 1;
        if (!memcmp(&same, location, sizeof same))
            return number;
    }
    number = td_dict_own_srcloc(run->dict, location);
    if (run->apart && number != UINT32_MAX && td_map_add(known, key, number) < 0)
        number = UINT32_MAX;
    return note_failure(run, number);
}

static int copy_locations(struct copy_run *run)
{
    struct td_map turns = {0}; /* hash of the content -> how many of the source came before */
    for (uint32_t i = 1; i < run->locations_count && !run->failed; i++) {
        struct td_srcloc s = *td_dict_get_srcloc(run->from_dict, i);
        bool own = s.flags >> TD_SRCLOC_OWN_SHIFT != 0;
        s.flags &= (1u << TD_SRCLOC_OWN_SHIFT) - 1;
        s.name = td_copy_string_(run, s.name);
        s.function = td_copy_string_(run, s.function);
        s.file = td_copy_string_(run, s.file);
        if (!own) {
            run->locations[i] = note_failure(run, td_dict_srcloc(run->dict, &s));
            continue;
        }
        uint64_t key = hash_location(&s, 0);
        uint32_t turn = td_map_get(&turns, key, 0);
        if (td_map_set(&turns, key, turn + 1) < 0)
            run->failed = true;
        run->locations[i] = share_location(run, &s, turn);
    }
    td_map_finish(&turns);
    return run->failed ? TD_E_NOMEM : 0;
}

/* ---- tracks ---- */

/* If the name begins with a core's place, the place with the new number of the chip, or 0. */
static uint32_t rename_core(struct copy_run *run, const struct td_track *track)
{
    char place[64];
    const char *name = td_dict_text(run->from_dict, track->name);
    int n = snprintf(place, sizeof place, TD_TRACK_NAME_FORMAT, track->chip, track->x, track->y, "");
    if (run->cores_apart || strncmp(name, place, (size_t)n))
        return 0;
    return td_copy_format_(run, TD_TRACK_NAME_FORMAT, track->chip + run->chip_shift, track->x, track->y,
                           name + n);
}

static uint32_t name_track(struct copy_run *run, const struct td_track *track)
{
    uint32_t core = track->kind == TD_TRACK_CORE ? rename_core(run, track) : 0;
    if (core)
        return core;
    if (run->named && !track->name && track->kind == TD_TRACK_THREAD)
        return td_copy_format_(run, "%s: thread %" PRIu64, run->options->label, track->thread);
    return track->name ? td_copy_label_(run, track->name, false) : 0;
}

static void move_track(struct copy_run *run, struct td_track *track)
{
    /* Rows of a GPU context may have any numbers; only those of threads follow the threads. */
    if (track->kind != TD_TRACK_GPU || td_copy_knows_thread_(run, track->thread))
        track->thread = td_copy_thread_(run, track->thread);
    track->file_number = 0;
    if (track->kind != TD_TRACK_CORE)
        return;
    if (!td_track_is_device(track->thread)) {
        track->kind = track->context ? TD_TRACK_GPU : TD_TRACK_THREAD;
        return;
    }
    track->chip = (uint16_t)(track->chip + run->chip_shift);
}

static int copy_track(struct copy_run *run, uint32_t number)
{
    if (!td_copy_has_track_(run, number)) {
        run->tracks[number] = COPY_NO_MAP;
        return 0;
    }
    struct td_track track = *td_dict_get_track(run->from_dict, number);
    uint32_t name = run->apart ? name_track(run, &track) : td_copy_string_(run, track.name);
    if (run->apart)
        move_track(run, &track);
    track.name = name;
    if (track.context)
        track.context += (uint32_t)run->base[TD_TABLE_GPU_CONTEXT];
    run->tracks[number] = note_failure(run, td_dict_track(run->dict, &track));
    return run->failed ? TD_E_NOMEM : 0;
}

int td_copy_tracks_(struct copy_run *run)
{
    for (uint32_t t = 0; t < run->tracks_count; t++) {
        const struct td_track *track = td_dict_get_track(run->from_dict, t);
        if (track->kind != TD_TRACK_GPU)
            td_copy_thread_(run, track->thread);
    }
    for (uint32_t t = 0; t < run->tracks_count && !run->failed; t++)
        copy_track(run, t);
    return run->failed ? TD_E_NOMEM : 0;
}

/* ---- plots, frame sets ---- */

/* "WHAT (chip 0 tile ...)" and "WHAT (0/1,2/BRISC)" are plots of a core: they get the new number of the
 * chip. 0: another plot. */
static uint32_t rename_core_plot(struct copy_run *run, const char *name)
{
    unsigned chip, x, y;
    const char *place = strrchr(name, '('), *rest;
    bool is_long = place && sscanf(place, "(chip %4u tile %4u,%4u ", &chip, &x, &y) == 3;
    if (!is_long && (!place || sscanf(place, "(%4u/%4u,%4u/", &chip, &x, &y) != 3))
        return 0;
    if (run->cores_apart || chip >= COPY_CHIPS)
        return 0;
    int before = (int)(place - name);
    rest = place + 1 + (is_long ? 5 : 0);
    rest += strspn(rest, "0123456789");
    return td_copy_format_(run, "%.*s(%s%u%s", before, name, is_long ? "chip " : "", chip + run->chip_shift,
                           rest);
}

static void copy_plots(struct copy_run *run)
{
    for (uint32_t i = 0; i < run->plots_count && !run->failed; i++) {
        struct td_plot plot = *td_dict_get_plot(run->from_dict, i);
        uint32_t name = run->apart ? rename_core_plot(run, td_dict_text(run->from_dict, plot.name)) : 0;
        /* A file's plots of CPU usage have no names of their own. */
        if (run->apart && plot.kind == TD_PLOT_CPU_USAGE) {
            plot.kind = TD_PLOT_USER;
            plot.format = 2;
        }
        plot.name = name ? name : td_copy_label_(run, plot.name, true);
        run->plots[i] = note_failure(run, td_dict_plot(run->dict, &plot));
    }
}

static void copy_frame_sets(struct copy_run *run)
{
    for (uint32_t i = 0; i < run->sets_count && !run->failed; i++) {
        int continuous;
        uint32_t name = td_dict_get_frame_set(run->from_dict, i, &continuous);
        if (!name && run->named)
            name = td_copy_format_(run, "Frame (%s)", run->options->label);
        else if (name)
            name = td_copy_label_(run, name, true);
        run->sets[i] = note_failure(run, td_dict_frame_set(run->dict, name, continuous));
    }
}

/* ---- begin and end ---- */

static uint32_t *make_map(uint32_t count)
{
    return calloc((size_t)count + 1, sizeof(uint32_t));
}

int td_copy_begin_names_(struct copy_run *run)
{
    run->locations_count = td_dict_srcloc_count(run->from_dict);
    run->tracks_count = td_dict_track_count(run->from_dict);
    run->plots_count = td_dict_plot_count(run->from_dict);
    run->sets_count = td_dict_frame_set_count(run->from_dict);
    run->locations = make_map(run->locations_count);
    run->tracks = make_map(run->tracks_count);
    run->plots = make_map(run->plots_count);
    run->sets = make_map(run->sets_count);
    if (!run->locations || !run->tracks || !run->plots || !run->sets)
        return TD_E_NOMEM;
    uint32_t strings = run->apart || run->ranged ? 0 : td_dict_string_count(run->from_dict);
    for (uint32_t s = 1; s < strings && !run->failed; s++)
        td_copy_string_(run, s);
    if (copy_locations(run) < 0)
        return TD_E_NOMEM;
    copy_plots(run);
    copy_frame_sets(run);
    return run->failed ? TD_E_NOMEM : 0;
}

void td_copy_end_names_(struct copy_run *run)
{
    free(run->strings);
    free(run->locations);
    free(run->tracks);
    free(run->plots);
    free(run->sets);
}
