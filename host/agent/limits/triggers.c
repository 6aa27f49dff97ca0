#include "host/agent/limits/triggers.h"
#include "host/agent/limits/trigger_text.h"
#include "host/base/grow.h"
#include "host/base/time_text.h"
#include "host/trace/rows.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HITS 64u
/* The base set begins with two frames that are no frames of the program: until it was ready, and until it
 * marked its first one. */
#define BASE_FRAMES 2
#define UNSURE      256u /* hits at most whose names are not known yet */

/* Zones that are open on a track. */
struct open_list {
    struct {
        int64_t start_ns;
        uint32_t srcloc, name; /* name: a string that replaces the location's, or 0 */
    } * zones;
    size_t count, capacity;
};

/* Whether a condition's pattern matches the text of a string or the name of a location, by number. */
enum { ANSWER_NONE, ANSWER_NO, ANSWER_YES };
struct pattern_answers {
    uint8_t *of;
    size_t capacity;
};

struct condition {
    struct td_trigger_text text;
    const char *word; /* as the user has given it */
    struct pattern_answers strings, srclocs, sets;
};

/* A message, zone or frame that would be a hit if its name matched. */
struct unsure {
    const struct condition *condition;
    int64_t time_ns, length_ns;
    uint32_t string, srcloc; /* srcloc: for zones without a string */
};

struct td_triggers {
    const struct td_dict *dict;
    struct td_dict_holder holder;
    struct condition *conditions;
    size_t count;
    unsigned kinds;         /* bits: 1 << kind */
    int64_t least_zone_ns;  /* no zone condition has a lower limit */
    struct open_list *open; /* by track */
    size_t open_capacity;
    int64_t *frames; /* by frame set: start of the frame that runs; INT64_MIN: none */
    size_t frame_count, frame_capacity;
    uint64_t base_frames;
    struct unsure unsure[UNSURE];
    size_t unsure_count;
    struct td_trigger_hit hits[HITS];
    size_t first_hit, hit_count;
    uint64_t skipped;
};

/* ---- names ---- */

static uint8_t *answer_at(struct pattern_answers *answers, uint32_t number)
{
    size_t before = answers->capacity;
    if (td_grow(&answers->of, &answers->capacity, (size_t)number + 1, 1) < 0)
        return NULL;
    memset(answers->of + before, ANSWER_NONE, answers->capacity - before);
    return &answers->of[number];
}

static bool is_unknown(const char *text)
{
    return !strcmp(text, TD_DICT_UNKNOWN);
}

/* True: it matches. A text that is not known yet gets no answer, and clears *known. */
static bool matches(const struct condition *condition, struct pattern_answers *answers, uint32_t number,
                    const char *text, bool *known)
{
    uint8_t *answer = answer_at(answers, number);
    if (answer && *answer != ANSWER_NONE)
        return *answer == ANSWER_YES;
    bool yes = fnmatch(condition->text.pattern, text, 0) == 0;
    *known = *known && !is_unknown(text);
    if (answer && !is_unknown(text))
        *answer = yes ? ANSWER_YES : ANSWER_NO;
    return yes;
}

static bool string_matches(const struct td_triggers *t, struct condition *condition, uint32_t string,
                           bool *known)
{
    return matches(condition, &condition->strings, string, td_dict_text(t->dict, string), known);
}

static bool zone_matches(const struct td_triggers *t, struct condition *condition, uint32_t srcloc,
                         uint32_t string, bool *known)
{
    if (string && string_matches(t, condition, string, known))
        return true;
    return matches(condition, &condition->srclocs, srcloc, td_dict_zone_name(t->dict, srcloc), known);
}

/* ---- hits ---- */

static void add_hit(struct td_triggers *t, int64_t time_ns, const char *what)
{
    if (t->hit_count == HITS) {
        t->skipped++;
        return;
    }
    struct td_trigger_hit *hit = &t->hits[(t->first_hit + t->hit_count++) % HITS];
    hit->time_ns = time_ns;
    snprintf(hit->what, sizeof hit->what, "%s", what);
}

static void add_named_hit(struct td_triggers *t, const struct condition *condition, const char *name,
                          int64_t time_ns, int64_t length_ns)
{
    char what[sizeof t->hits->what], length[32];
    td_time_text(length, sizeof length, (double)length_ns, TD_TIME_WHOLE);
    if (condition->text.kind == TD_TRIGGER_MESSAGE)
        snprintf(what, sizeof what, "message '%.80s' (%.80s)", name, condition->word);
    else
        snprintf(what, sizeof what, "%s%s%.60s%s took %s (%.80s)",
                 condition->text.kind == TD_TRIGGER_ZONE ? "zone" : "frame", *name ? " '" : "", name,
                 *name ? "'" : "", length, condition->word);
    add_hit(t, time_ns, what);
}

static void note_unsure(struct td_triggers *t, const struct unsure *unsure)
{
    if (t->unsure_count == UNSURE) { /* names come late: forget the oldest */
        memmove(t->unsure, t->unsure + 1, (UNSURE - 1) * sizeof *t->unsure);
        t->unsure_count--;
    }
    t->unsure[t->unsure_count++] = *unsure;
}

/* Looks up names that were not known. */
static void look_again(struct td_triggers *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->unsure_count; i++) {
        const struct unsure u = t->unsure[i];
        struct condition *condition = &t->conditions[u.condition - t->conditions];
        bool known = true;
        bool is_message = condition->text.kind == TD_TRIGGER_MESSAGE;
        bool yes = is_message ? string_matches(t, condition, u.string, &known)
                              : zone_matches(t, condition, u.srcloc, u.string, &known);
        if (yes)
            add_named_hit(t, condition,
                          u.string ? td_dict_text(t->dict, u.string) : td_dict_zone_name(t->dict, u.srcloc),
                          u.time_ns, u.length_ns);
        else if (!known)
            t->unsure[kept++] = u;
    }
    t->unsure_count = kept;
}

/* ---- events ---- */

static void check_message(struct td_triggers *t, const struct td_event *e)
{
    for (size_t i = 0; i < t->count; i++) {
        struct condition *condition = &t->conditions[i];
        bool known = true;
        if (condition->text.kind != TD_TRIGGER_MESSAGE)
            continue;
        if (string_matches(t, condition, e->subject, &known))
            add_named_hit(t, condition, td_dict_text(t->dict, e->subject), e->time_ns, 0);
        else if (!known)
            note_unsure(t, &(struct unsure){condition, e->time_ns, 0, e->subject, 0});
    }
}

static void check_zone(struct td_triggers *t, int64_t start_ns, int64_t end_ns, uint32_t srcloc,
                       uint32_t string)
{
    int64_t length;
    if (__builtin_sub_overflow(end_ns, start_ns, &length) || length <= t->least_zone_ns)
        return;
    for (size_t i = 0; i < t->count; i++) {
        struct condition *condition = &t->conditions[i];
        bool known = true;
        if (condition->text.kind != TD_TRIGGER_ZONE || length <= condition->text.limit_ns)
            continue;
        if (zone_matches(t, condition, srcloc, string, &known))
            add_named_hit(t, condition,
                          string ? td_dict_text(t->dict, string) : td_dict_zone_name(t->dict, srcloc), end_ns,
                          length);
        else if (!known)
            note_unsure(t, &(struct unsure){condition, end_ns, length, string, srcloc});
    }
}

static bool set_matches(const struct td_triggers *t, struct condition *condition, uint32_t set)
{
    uint32_t name = td_dict_get_frame_set(t->dict, set, NULL);
    bool known = true;
    if (!condition->text.pattern || !set)
        return !condition->text.pattern && !set;
    return matches(condition, &condition->sets, set, td_dict_text(t->dict, name), &known);
}

static void check_frame(struct td_triggers *t, uint32_t set, int64_t start_ns, int64_t end_ns)
{
    int64_t length;
    if (__builtin_sub_overflow(end_ns, start_ns, &length))
        return;
    for (size_t i = 0; i < t->count; i++) {
        struct condition *condition = &t->conditions[i];
        if (condition->text.kind == TD_TRIGGER_FRAME && length > condition->text.limit_ns &&
            set_matches(t, condition, set))
            add_named_hit(t, condition, td_dict_text(t->dict, td_dict_get_frame_set(t->dict, set, NULL)),
                          end_ns, length);
    }
}

static int frame_event(struct td_triggers *t, const struct td_event *e)
{
    if (td_grow(&t->frames, &t->frame_capacity, (size_t)e->subject + 1, sizeof *t->frames) < 0)
        return TD_E_NOMEM;
    while (t->frame_count < t->frame_capacity)
        t->frames[t->frame_count++] = INT64_MIN;
    int64_t *start = &t->frames[e->subject];
    bool counts = e->subject || t->base_frames++ > BASE_FRAMES;
    if (e->kind != TD_EVENT_FRAME_START && *start != INT64_MIN && counts)
        check_frame(t, e->subject, *start, e->time_ns);
    *start = e->kind == TD_EVENT_FRAME_END ? INT64_MIN : e->time_ns;
    return 0;
}

static struct open_list *open_of(struct td_triggers *t, uint32_t track)
{
    size_t before = t->open_capacity;
    if (td_grow(&t->open, &t->open_capacity, (size_t)track + 1, sizeof *t->open) < 0)
        return NULL;
    memset(t->open + before, 0, (t->open_capacity - before) * sizeof *t->open);
    return &t->open[track];
}

static int open_event(struct td_triggers *t, const struct td_event *e)
{
    struct open_list *open = open_of(t, e->track);
    if (!open)
        return TD_E_NOMEM;
    if (e->kind == TD_EVENT_ZONE_BEGIN) {
        if (td_grow(&open->zones, &open->capacity, open->count + 1, sizeof *open->zones) < 0)
            return TD_E_NOMEM;
        open->zones[open->count].start_ns = e->time_ns;
        open->zones[open->count].name = 0;
        open->zones[open->count++].srcloc = e->srcloc;
    } else if (open->count && e->kind == TD_EVENT_ZONE_NAME) {
        open->zones[open->count - 1].name = e->subject;
    } else if (open->count) {
        open->count--;
        check_zone(t, open->zones[open->count].start_ns, e->time_ns, open->zones[open->count].srcloc,
                   open->zones[open->count].name);
    }
    return 0;
}

static int one_event(struct td_triggers *t, const struct td_event *e)
{
    const bool zones = t->kinds >> TD_TRIGGER_ZONE & 1;
    switch (e->kind) {
    case TD_EVENT_ZONE_BEGIN:
    case TD_EVENT_ZONE_END:
    case TD_EVENT_ZONE_NAME:
        return zones && e->track < td_dict_track_count(t->dict) ? open_event(t, e) : 0;
    case TD_EVENT_ZONE:
        if (zones)
            check_zone(t, e->time_ns, e->value.end_ns, e->srcloc, 0);
        return 0;
    case TD_EVENT_MESSAGE:
        if (t->kinds >> TD_TRIGGER_MESSAGE & 1)
            check_message(t, e);
        return 0;
    case TD_EVENT_FRAME:
    case TD_EVENT_FRAME_START:
    case TD_EVENT_FRAME_END:
        if (!(t->kinds >> TD_TRIGGER_FRAME & 1) || e->subject >= td_dict_frame_set_count(t->dict))
            return 0;
        return frame_event(t, e);
    case TD_EVENT_CRASH:
        td_triggers_report(t, TD_TRIGGER_CRASH, e->time_ns, "the program crashed (crash)");
        return 0;
    default:
        return 0;
    }
}

static int take_events(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct td_triggers *t = self;
    if (t->unsure_count)
        look_again(t);
    for (size_t i = 0; i < count; i++) {
        if (one_event(t, &events[i]) < 0)
            return td_fail_no_memory(err, "for the triggers");
    }
    return 0;
}

/* Zones of GPU contexts come as rows. */
static int take_row(void *self, unsigned table, uint64_t parent, const int64_t *values, struct td_err *err)
{
    struct td_triggers *t = self;
    if (table == TD_ROW_GPU_ZONE && t->kinds >> TD_TRIGGER_ZONE & 1 && values[TD_GPU_ZONE_START] >= 0 &&
        values[TD_GPU_ZONE_END] > values[TD_GPU_ZONE_START])
        check_zone(t, values[TD_GPU_ZONE_START], values[TD_GPU_ZONE_END],
                   (uint32_t)values[TD_GPU_ZONE_SRCLOC], 0);
    return 0;
}

static int take_zones(void *self, uint32_t track, const struct td_zone_mark *marks, size_t count,
                      struct td_err *err)
{
    struct td_triggers *t = self;
    if (!(t->kinds >> TD_TRIGGER_ZONE & 1))
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct td_event event = td_zone_mark_event(track, &marks[i]);
        if (track < td_dict_track_count(t->dict) && open_event(t, &event) < 0)
            return td_fail_no_memory(err, "for the triggers");
    }
    return 0;
}

/* ---- the object ---- */

static int add_condition(struct td_triggers *t, const char *word, struct td_err *err)
{
    struct condition *condition = &t->conditions[t->count];
    int rc = td_trigger_text_parse(word, &condition->text, err);
    if (rc < 0)
        return rc;
    condition->word = word;
    t->count++;
    t->kinds |= 1u << condition->text.kind;
    if (condition->text.kind == TD_TRIGGER_ZONE && condition->text.limit_ns < t->least_zone_ns)
        t->least_zone_ns = condition->text.limit_ns;
    return 0;
}

static void hold_strings(void *self, struct td_dict *dict)
{
    struct td_triggers *t = self;
    for (size_t i = 0; i < t->unsure_count; i++)
        td_dict_hold(dict, t->unsure[i].string);
    for (size_t track = 0; track < t->open_capacity; track++)
        for (size_t i = 0; i < t->open[track].count; i++)
            td_dict_hold(dict, t->open[track].zones[i].name);
    for (size_t i = 0; i < t->count; i++) {
        struct pattern_answers *strings = &t->conditions[i].strings;
        if (strings->capacity)
            memset(strings->of, ANSWER_NONE, strings->capacity);
    }
}

struct td_triggers *td_triggers_create(const struct td_words *words, struct td_dict *dict, struct td_err *err)
{
    struct td_triggers *t = calloc(1, sizeof *t);
    struct condition *conditions = t ? calloc(words->count + 1, sizeof *conditions) : NULL;
    if (!conditions) {
        free(t);
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    t->conditions = conditions;
    t->dict = dict;
    t->least_zone_ns = INT64_MAX;
    t->holder = (struct td_dict_holder){.hold = hold_strings, .self = t};
    if (dict)
        td_dict_add_holder(dict, &t->holder);
    for (size_t i = 0; i < words->count; i++) {
        if (add_condition(t, words->words[i], err) < 0) {
            td_triggers_destroy(t);
            return NULL;
        }
    }
    return t;
}

void td_triggers_destroy(struct td_triggers *t)
{
    if (!t)
        return;
    td_dict_remove_holder(&t->holder);
    for (size_t i = 0; i < t->count; i++) {
        free(t->conditions[i].text.pattern);
        free(t->conditions[i].strings.of);
        free(t->conditions[i].srclocs.of);
        free(t->conditions[i].sets.of);
    }
    for (size_t i = 0; i < t->open_capacity; i++)
        free(t->open[i].zones);
    free(t->conditions);
    free(t->open);
    free(t->frames);
    free(t);
}

struct td_sink td_triggers_sink(struct td_triggers *t)
{
    return (struct td_sink){.events = take_events, .self = t, .row = take_row, .zones = take_zones};
}

bool td_triggers_has(const struct td_triggers *t, enum td_trigger_kind kind)
{
    return t->kinds >> kind & 1;
}

void td_triggers_report(struct td_triggers *t, enum td_trigger_kind kind, int64_t time_ns, const char *what)
{
    if (td_triggers_has(t, kind))
        add_hit(t, time_ns, what);
}

bool td_triggers_take(struct td_triggers *t, struct td_trigger_hit *hit)
{
    if (t->unsure_count)
        look_again(t);
    if (!t->hit_count)
        return false;
    *hit = t->hits[t->first_hit];
    t->first_hit = (t->first_hit + 1) % HITS;
    t->hit_count--;
    return true;
}

uint64_t td_triggers_skipped(const struct td_triggers *t)
{
    return t->skipped;
}
