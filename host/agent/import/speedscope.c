/* Imports a file of speedscope (https://www.speedscope.app/file-format-schema.json): each profile becomes a track with
 * zones. Frames may come after the profiles that name them, so events are kept in a small form until the end. */
#include "host/agent/import/importer.h"
#include "host/agent/import/json_head.h"
#include "host/agent/import/json_text.h"
#include "host/agent/import/json_walk.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>

#define NO_FRAME UINT32_MAX

struct scope_place {
    uint32_t srcloc, name; /* name: a string */
    bool is_known;         /* false: the frame is damaged */
};

/* The zones that are open. */
struct scope_stack {
    uint32_t *frames;
    size_t count, room;
};

struct scope_event {
    struct td_json_number at; /* in the profile's unit */
    uint32_t frame;
    bool opens;
};

struct scope_profile {
    uint32_t name, unit; /* strings; 0: none */
    bool is_sampled;
    struct td_json_number begin;
    struct scope_event *events;
    size_t event_count, event_room;
    /* Of samples: the end of the frames of each one, and how long it takes. */
    uint32_t *frames;
    size_t *ends;
    struct td_json_number *weights; /* whole below 0: damaged */
    size_t frame_count, frame_room, sample_count, sample_room, weight_count, weight_room;
};

struct td_speedscope {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_json_walk walk;
    struct td_text text;
    struct scope_place *places; /* of the frames */
    size_t place_count, place_room;
    struct scope_profile *profiles;
    size_t profile_count, profile_room;
    bool lacks_memory; /* a profile was skipped */
};

static const char purpose[] = "for the profiles of speedscope"; /* of td_fail_no_memory() */

static int lose(struct td_speedscope *scope, enum td_timeline_loss loss)
{
    td_timeline_get_counts(scope->timeline)->lost[loss]++;
    return 0;
}

/* Counts an event that makes no sense, unless it may be a part of a damaged one that was counted. */
static int lose_event(struct td_speedscope *scope)
{
    return scope->walk.tentative ? 0 : lose(scope, TD_LOSS_DAMAGED);
}

/* The string without its escapes; UINT32_MAX: no memory. */
static uint32_t string_of(struct td_speedscope *scope, struct td_tt_text text)
{
    scope->text.bytes = 0;
    if (td_text_add_json(&scope->text, text) != 0)
        return UINT32_MAX;
    return td_dict_string(scope->dict, scope->text.bytes ? scope->text.at : "", scope->text.bytes);
}

/* ---- reading */

static struct scope_profile *last_profile(struct td_speedscope *scope)
{
    return scope->profile_count ? &scope->profiles[scope->profile_count - 1] : NULL;
}

/* A frame that is damaged keeps its number, unless the text is a part of one. */
static int take_frame(struct td_speedscope *scope, char kind, struct td_tt_text text)
{
    struct td_tt_json_member member;
    struct td_srcloc srcloc = {0};
    bool has_name = false;
    size_t at = 0;
    while (kind == '{' && td_tt_json_next(text, &at, &member) > 0) {
        uint32_t line;
        if (td_tt_text_is(member.key, "name") && member.kind == '"') {
            srcloc.function = string_of(scope, member.value);
            has_name = true;
        } else if (td_tt_text_is(member.key, "file") && member.kind == '"') {
            srcloc.file = string_of(scope, member.value);
        } else if (td_tt_text_is(member.key, "line") && td_tt_text_u32(member.value, &line)) {
            srcloc.line = line;
        }
    }
    if (!has_name && scope->walk.tentative)
        return 0;
    struct scope_place place = {.is_known = has_name, .name = srcloc.function};
    if (has_name)
        place.srcloc = srcloc.function == UINT32_MAX || srcloc.file == UINT32_MAX
                           ? UINT32_MAX
                           : td_dict_srcloc(scope->dict, &srcloc);
    if (place.srcloc == UINT32_MAX)
        return TD_E_NOMEM;
    return TD_APPEND(scope->places, scope->place_count, scope->place_room, place);
}

static int take_event(struct td_speedscope *scope, struct scope_profile *profile, char kind,
                      struct td_tt_text text)
{
    struct td_tt_json_member member;
    struct scope_event event = {.frame = NO_FRAME};
    bool has_type = false, has_time = false;
    size_t at = 0;
    while (kind == '{' && td_tt_json_next(text, &at, &member) > 0) {
        if (td_tt_text_is(member.key, "type")) {
            event.opens = td_tt_text_is(member.value, "O");
            has_type = member.kind == '"' && (event.opens || td_tt_text_is(member.value, "C"));
        } else if (td_tt_text_is(member.key, "frame") && !td_tt_text_u32(member.value, &event.frame)) {
            event.frame = NO_FRAME;
        } else if (td_tt_text_is(member.key, "at")) {
            has_time = member.kind == '0' && td_json_number_read(member.value, &event.at);
        }
    }
    if (!has_type || !has_time || event.frame == NO_FRAME)
        return lose_event(scope);
    return TD_APPEND(profile->events, profile->event_count, profile->event_room, event);
}

/* A sample that is damaged has one frame, NO_FRAME. */
static int take_sample(struct scope_profile *profile, char kind, struct td_tt_text text)
{
    const size_t first = profile->frame_count;
    bool is_good = kind == '[';
    struct td_tt_json_member item;
    size_t at = 0;
    while (is_good && td_tt_json_next_item(text, &at, &item) > 0) {
        uint32_t frame;
        is_good = item.kind == '0' && td_tt_text_u32(item.value, &frame);
        if (is_good && TD_APPEND(profile->frames, profile->frame_count, profile->frame_room, frame) < 0)
            return TD_E_NOMEM;
    }
    if (!is_good) {
        profile->frame_count = first;
        if (TD_APPEND(profile->frames, profile->frame_count, profile->frame_room, NO_FRAME) < 0)
            return TD_E_NOMEM;
    }
    return TD_APPEND(profile->ends, profile->sample_count, profile->sample_room, profile->frame_count);
}

static int take_weight(struct scope_profile *profile, char kind, struct td_tt_text text)
{
    struct td_json_number weight;
    if (kind != '0' || !td_json_number_read(text, &weight))
        weight.whole = -1;
    return TD_APPEND(profile->weights, profile->weight_count, profile->weight_room, weight);
}

static int take_member(struct td_speedscope *scope, struct scope_profile *profile, char kind,
                       struct td_tt_text text)
{
    const struct td_json_walk *walk = &scope->walk;
    uint32_t string = 0;
    if (kind == '"' && (string = string_of(scope, text)) == UINT32_MAX)
        return TD_E_NOMEM;
    if (td_json_walk_in(walk, 0, "name"))
        profile->name = string;
    else if (td_json_walk_in(walk, 0, "unit"))
        profile->unit = string;
    else if (td_json_walk_in(walk, 0, "type"))
        profile->is_sampled = td_tt_text_is(text, "sampled");
    else if (td_json_walk_in(walk, 0, "startValue") && !td_json_number_read(text, &profile->begin))
        lose(scope, TD_LOSS_FACT);
    return 0;
}

/* "exporter: speedscope@1" */
static int take_fact(struct td_speedscope *scope, char kind, struct td_tt_text text)
{
    const char *key = scope->walk.at[0].key;
    const bool is_wanted = !strcmp(key, "exporter") || !strcmp(key, "name");
    if (kind != '"' || !is_wanted)
        return 0;
    scope->text.bytes = 0;
    int bad = td_text_add(&scope->text, key, strlen(key));
    bad = bad ? bad : td_text_add(&scope->text, ": ", 2);
    bad = bad ? bad : td_text_add_json(&scope->text, text);
    return bad ? bad
               : td_timeline_fact(scope->timeline,
                                  (struct td_timeline_id){scope->text.at, scope->text.bytes});
}

static int take_value(void *self, char kind, struct td_tt_text text, struct td_err *err)
{
    struct td_speedscope *scope = self;
    const struct td_json_walk *walk = &scope->walk;
    struct scope_profile *profile = last_profile(scope);
    int bad = 0;
    if (walk->depth == 1)
        bad = take_fact(scope, kind, text);
    else if (walk->depth == 3 && !strcmp(walk->at[0].key, "shared"))
        bad = take_frame(scope, kind, text);
    else if (walk->depth == 3 && profile)
        bad = take_member(scope, profile, kind, text);
    else if (walk->depth == 4 && profile && td_json_walk_in(walk, 1, "events"))
        bad = take_event(scope, profile, kind, text);
    else if (walk->depth == 4 && profile && td_json_walk_in(walk, 1, "samples"))
        bad = take_sample(profile, kind, text);
    else if (walk->depth == 4 && profile)
        bad = take_weight(profile, kind, text);
    else
        lose_event(scope);
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

static bool add_new_profile(struct td_speedscope *scope)
{
    const int bad = TD_APPEND(scope->profiles, scope->profile_count, scope->profile_room,
                              (struct scope_profile){.name = 0});
    scope->lacks_memory = scope->lacks_memory || bad;
    return !bad;
}

/* Lists and objects at their places are entered, down to the events, samples, weights and frames. */
static enum td_json_choice choose(void *self, char kind)
{
    struct td_speedscope *scope = self;
    struct td_json_walk *walk = &scope->walk;
    const bool shared = walk->depth && !strcmp(walk->at[0].key, "shared");
    const bool profiles = walk->depth && !strcmp(walk->at[0].key, "profiles");
    bool is_entered = false;
    if (!walk->depth)
        is_entered = kind == '{';
    else if (walk->depth == 1)
        is_entered = (shared && kind == '{') || (profiles && kind == '[');
    else if (walk->depth == 2 && profiles)
        is_entered = kind == '{' && add_new_profile(scope);
    else if (walk->depth == 2)
        is_entered = kind == '[' && td_json_walk_in(walk, 0, "frames");
    else if (walk->depth == 3 && profiles)
        is_entered =
            kind == '[' && (td_json_walk_in(walk, 0, "events") || td_json_walk_in(walk, 0, "samples") ||
                            td_json_walk_in(walk, 0, "weights"));
    else
        return TD_JSON_TEXT;
    if (walk->depth >= 2 && is_entered && kind == '[')
        walk->items = td_json_walk_in(walk, 0, "samples")   ? '['
                      : td_json_walk_in(walk, 0, "weights") ? 0
                                                            : '{';
    return is_entered ? TD_JSON_ENTER : TD_JSON_SKIP;
}

/* ---- zones */

/* The unit's ns; of units that are no times, 1. */
static int64_t unit_of(struct td_speedscope *scope, const struct scope_profile *profile, bool *is_time)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"nanoseconds", 1}, {"microseconds", 1000}, {"milliseconds", 1000000}, {"seconds", 1000000000}};
    const char *unit = td_dict_text(scope->dict, profile->unit);
    *is_time = true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name))
            return units[i].ns;
    *is_time = false;
    return 1;
}

static const struct scope_place *place_of(const struct td_speedscope *scope, uint32_t frame)
{
    return frame < scope->place_count && scope->places[frame].is_known ? &scope->places[frame] : NULL;
}

static int add_events(struct td_speedscope *scope, const struct scope_profile *profile, uint32_t owner,
                      int64_t unit_ns)
{
    struct td_timeline_place at = {.owner = owner};
    int bad = 0;
    for (size_t i = 0; i < profile->event_count && !bad; i++) {
        const struct scope_event *event = &profile->events[i];
        const struct scope_place *place = place_of(scope, event->frame);
        if (!place)
            lose(scope, TD_LOSS_DAMAGED);
        else if (!td_json_number_scaled_ns(event->at, unit_ns, &at.time_ns))
            lose(scope, TD_LOSS_TIME);
        else if (event->opens)
            bad = td_timeline_begin(scope->timeline, at, place->srcloc, place->name, 0);
        else
            bad = td_timeline_end(scope->timeline, at, place->name, 0);
    }
    return bad;
}

/* Begins and ends zones so that those of the sample are open: what it has in common with the last one stays. */
static int change_stack(struct td_speedscope *scope, struct scope_stack *open, struct td_timeline_place at,
                        const uint32_t *frames, size_t count)
{
    size_t same = 0;
    int bad = 0;
    while (frames && same < count && same < open->count && open->frames[same] == frames[same])
        same++;
    for (; open->count > same && !bad; open->count--)
        bad = td_timeline_end(scope->timeline, at, scope->places[open->frames[open->count - 1]].name, 0);
    for (size_t i = same; frames && i < count && !bad; i++) {
        const struct scope_place *place = &scope->places[frames[i]];
        bad = td_timeline_begin(scope->timeline, at, place->srcloc, place->name, 0);
        bad = bad ? bad : TD_APPEND(open->frames, open->count, open->room, frames[i]);
    }
    return bad;
}

static bool is_sample(const struct td_speedscope *scope, const uint32_t *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!place_of(scope, frames[i]))
            return false;
    return true;
}

/* A sample that cannot be read leaves a gap, if it is known how long it takes. */
static int add_samples(struct td_speedscope *scope, const struct scope_profile *profile, uint32_t owner,
                       int64_t unit_ns)
{
    struct scope_stack open = {0};
    struct td_timeline_place at = {.owner = owner};
    struct td_json_number time = profile->begin;
    int bad = 0;
    size_t i = 0;
    for (; i < profile->sample_count && i < profile->weight_count && !bad; i++) {
        const size_t first = i ? profile->ends[i - 1] : 0, count = profile->ends[i] - first;
        const struct td_json_number weight = profile->weights[i];
        const bool has_weight = weight.whole >= 0;
        if (!td_json_number_scaled_ns(time, unit_ns, &at.time_ns)) {
            lose(scope, TD_LOSS_TIME);
            break;
        }
        if (has_weight && is_sample(scope, profile->frames + first, count)) {
            bad = change_stack(scope, &open, at, profile->frames + first, count);
        } else {
            lose(scope, TD_LOSS_DAMAGED);
            bad = change_stack(scope, &open, at, NULL, 0);
        }
        if (has_weight)
            time = td_json_number_add(time, weight);
    }
    const size_t most =
        profile->sample_count > profile->weight_count ? profile->sample_count : profile->weight_count;
    td_timeline_get_counts(scope->timeline)->lost[TD_LOSS_DAMAGED] += most - i;
    if (!bad && td_json_number_scaled_ns(time, unit_ns, &at.time_ns))
        bad = change_stack(scope, &open, at, NULL, 0);
    free(open.frames);
    return bad;
}

/* "NAME: 1 ns is 1 byte" */
static int add_scale(struct td_speedscope *scope, const struct scope_profile *profile)
{
    const bool bytes = !strcmp(td_dict_text(scope->dict, profile->unit), "bytes");
    const char *name = td_dict_text(scope->dict, profile->name);
    char *text;
    const int length = asprintf(&text, "%s%s1 ns is 1 %s", name, *name ? ": " : "",
                                bytes ? "byte" : "of the numbers in the file");
    if (length < 0)
        return TD_E_NOMEM;
    const int bad = td_timeline_fact(scope->timeline, (struct td_timeline_id){text, (size_t)length});
    free(text);
    return bad;
}

static int add_profile(struct td_speedscope *scope, size_t number)
{
    const struct scope_profile *profile = &scope->profiles[number];
    char id[32];
    bool is_time;
    const int64_t unit_ns = unit_of(scope, profile, &is_time);
    snprintf(id, sizeof id, "profile %zu", number + 1);
    const uint32_t owner = td_timeline_thread(
        scope->timeline, td_timeline_process(scope->timeline, (struct td_timeline_id){"", 0}),
        (struct td_timeline_id){id, strlen(id)});
    if (owner == UINT32_MAX || (!is_time && add_scale(scope, profile) < 0))
        return TD_E_NOMEM;
    if (profile->name)
        td_timeline_name_thread(scope->timeline, owner, profile->name);
    return (profile->is_sampled ? add_samples : add_events)(scope, profile, owner, unit_ns);
}

static void free_profile(struct scope_profile *profile)
{
    free(profile->events);
    free(profile->frames);
    free(profile->ends);
    free(profile->weights);
    *profile = (struct scope_profile){0};
}

/* ---- the interface */

static void destroy_speedscope(void *self)
{
    struct td_speedscope *scope = self;
    if (!scope)
        return;
    for (size_t i = 0; i < scope->profile_count; i++)
        free_profile(&scope->profiles[i]);
    td_json_walk_free(&scope->walk);
    td_timeline_destroy(scope->timeline);
    td_text_free(&scope->text);
    free(scope->profiles);
    free(scope->places);
    free(scope);
}

static void *create_speedscope(struct td_hub *hub)
{
    struct td_speedscope *scope = calloc(1, sizeof *scope);
    if (!scope)
        return NULL;
    scope->dict = td_hub_dict(hub);
    scope->timeline = td_timeline_create(hub);
    scope->walk = (struct td_json_walk){.choose = choose, .value = take_value, .self = scope};
    if (scope->timeline)
        return scope;
    free(scope);
    return NULL;
}

static bool begins_speedscope(const uint8_t *bytes, size_t count)
{
    static const struct td_json_sign signs[] = {{NULL, "$schema", '"', "speedscope"},
                                                {"shared", "frames", '[', NULL}};
    return td_json_head_signs(bytes, count, signs, 2) != 0;
}

static int feed_speedscope(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_speedscope *scope = self;
    return td_json_walk_feed(&scope->walk, (const char *)bytes, count, err);
}

static int end_speedscope_file(void *self, bool *cut, struct td_err *err)
{
    struct td_speedscope *scope = self;
    int64_t zero_ns;
    int bad = td_json_walk_end_stream(&scope->walk, cut, err);
    if (!bad && scope->lacks_memory)
        bad = td_fail_no_memory(err, purpose);
    for (size_t i = 0; i < scope->profile_count && !bad; i++) {
        bad = add_profile(scope, i) < 0 ? td_fail_no_memory(err, purpose) : 0;
        free_profile(&scope->profiles[i]);
    }
    return bad ? bad : td_timeline_finish(scope->timeline, &zero_ns, err);
}

static const struct td_timeline_counts *counts_of_speedscope(const void *self)
{
    return td_timeline_get_counts(((const struct td_speedscope *)self)->timeline);
}

const struct td_importer td_import_speedscope = {
    .name = "a file of speedscope",
    .about = "Each of its profiles becomes a track with zones.",
    .begins = begins_speedscope,
    .create = create_speedscope,
    .destroy = destroy_speedscope,
    .feed = feed_speedscope,
    .end_file = end_speedscope_file,
    .counts = counts_of_speedscope,
};
