#include "host/viewer/model/state_check.h"
#include "host/base/plain_text.h"
#include "host/viewer/model/annotations.h"
#include "host/query/sums/lane_filter.h"
#include "host/viewer/model/source_paths.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIND_BYTES 128 /* of a text that is searched for */

const char *td_state_grouping(int number)
{
    static const char *const words[] = {"place", "kind", "kernel", "flat"};
    return number >= 0 && number < (int)(sizeof words / sizeof *words) ? words[number] : NULL;
}

static const char *check_text(const cJSON *field)
{
    return cJSON_IsString(field) ? NULL : "is not a text";
}

static const char *check_find(const cJSON *field)
{
    return !cJSON_IsString(field)                    ? "is not a text"
           : strlen(field->valuestring) < FIND_BYTES ? NULL
                                                     : "is too long";
}

static const char *check_time(const cJSON *field)
{
    return cJSON_IsNumber(field) && fabs(field->valuedouble) <= TD_STATE_TIME ? NULL : "is not a time in ns";
}

static const char *check_filter(const cJSON *field)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    return cJSON_IsString(field) && td_lane_filter_parse(&filter, field->valuestring, &mistake)
               ? NULL
               : "is not a filter of lanes";
}

static const char *check_grouping(const cJSON *field)
{
    for (int i = 0; cJSON_IsString(field) && td_state_grouping(i); i++)
        if (!strcmp(td_state_grouping(i), field->valuestring))
            return NULL;
    return "is not place, kind, kernel or flat";
}

static const char *check_rows(const cJSON *field)
{
    int count = 0;
    if (!cJSON_IsArray(field))
        return "is not a list of names";
    for (const cJSON *name = field->child; name; name = name->next) {
        if (!cJSON_IsString(name))
            return "is not a list of names";
        if (++count > TD_STATE_ROWS)
            return "has too many names";
    }
    return NULL;
}

static const char *check_notes(const cJSON *field)
{
    struct td_annotations notes = {0};
    const int rc = td_annotations_from_json(&notes, field, NULL);
    td_annotations_free(&notes);
    return rc < 0 ? "is not a list of notes" : NULL;
}

/* Each entry: the number of a context, and how its clock drifts. */
static const char *check_clocks(const cJSON *field)
{
    static const char *const names[] = {"context", "drift", "offset_ns"};
    if (!cJSON_IsArray(field))
        return "is not a list of clocks";
    for (const cJSON *clock = field->child; clock; clock = clock->next)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(clock, names[i])))
                return "is not a list of clocks";
    return NULL;
}

static const char *check_paths(const cJSON *field)
{
    struct td_path_substitutions paths = {0};
    struct td_words words = {0};
    bool good = cJSON_IsArray(field) && cJSON_GetArraySize(field) <= TD_SOURCE_RULES;
    for (const cJSON *rule = good ? field->child : NULL; good && rule; rule = rule->next) {
        good = cJSON_IsString(rule);
        words.words[words.count++] = rule->valuestring;
    }
    good = good && td_path_substitutions_init(&paths, &words, NULL) == 0;
    td_path_substitutions_free(&paths);
    return good ? NULL : "is not a list of at most 16 substitutions REGEX;REPLACEMENT";
}

static const char *check_views(const cJSON *list);

static const struct {
    const char *name;
    const char *(*check)(const cJSON *field); /* what is wrong; NULL: nothing */
} fields[] = {
    {"program", check_text},      {"description", check_text}, {"from_ns", check_time},
    {"until_ns", check_time},     {"find", check_find},        {"filter", check_filter},
    {"grouping", check_grouping}, {"order", check_rows},       {"closed", check_rows},
    {"ghosts", check_rows},       {"no_ghosts", check_rows},   {"joined", check_rows},
    {"hidden", check_rows},       {"pinned", check_rows},      {"notes", check_notes},
    {"gpu", check_clocks},        {"paths", check_paths},      {"views", check_views},
};

static int check_field(const cJSON *field, struct td_err *err)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].name, field->string))
            continue;
        const char *wrong = fields[i].check(field);
        return wrong ? td_fail(err, TD_E_FORMAT, "\"%s\" %s", fields[i].name, wrong) : 0;
    }
    return td_fail(err, TD_E_FORMAT, "\"%.60s\" is not known", TD_PLAIN(field->string));
}

/* Each has a name, and what a state has, too. */
static const char *check_views(const cJSON *list)
{
    if (!cJSON_IsArray(list))
        return "is not a list of views";
    for (const cJSON *view = list->child; view; view = view->next) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(view, "name");
        if (!cJSON_IsString(name))
            return "has a view without a name";
        for (const cJSON *field = view->child; field; field = field->next)
            if (field != name && (!strcmp(field->string, "views") || check_field(field, NULL) < 0))
                return "has a view with a wrong field";
    }
    return NULL;
}

int td_state_check(const cJSON *state, struct td_err *err)
{
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(state, "from_ns"),
                *until = cJSON_GetObjectItemCaseSensitive(state, "until_ns");
    if (!cJSON_IsObject(state))
        return td_fail(err, TD_E_FORMAT, "the state of a trace is not an object");
    for (const cJSON *field = state->child; field; field = field->next)
        if (check_field(field, err) < 0)
            return TD_E_FORMAT;
    if (!from != !until || (from && !(from->valuedouble < until->valuedouble)))
        return td_fail(err, TD_E_FORMAT, "\"from_ns\" and \"until_ns\" are not a range");
    return 0;
}
