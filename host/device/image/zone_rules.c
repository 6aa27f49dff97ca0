#include "host/device/image/zone_rules.h"
#include "host/base/grow.h"

#include <fnmatch.h>
#include <string.h>

enum rule_kind { RULE_ZONES, RULE_NOT, RULE_TILES, RULE_CORES, RULE_EVERY, RULE_KINDS };
static const char *const rule_names[RULE_KINDS] = {"zones", "not", "tiles", "cores", "every"};

struct rule {
    enum rule_kind kind;
    const char *glob;           /* of RULE_ZONES, RULE_NOT and RULE_CORES */
    uint32_t first[2], last[2]; /* of RULE_TILES: columns, rows */
};

struct td_zone_rules {
    char *text; /* the rules' own, cut into globs */
    struct rule *rules;
    size_t count, capacity;
    uint64_t every;
};

/* "3", "0-3" or "*" up to `end`. */
static bool parse_range(const char *text, const char *end, uint32_t *first, uint32_t *last)
{
    if (end - text == 1 && *text == '*') {
        *first = 0;
        *last = UINT32_MAX;
        return true;
    }
    uint32_t *to[2] = {first, last};
    for (int i = 0; i < 2; i++) {
        unsigned value = 0;
        int digits = 0;
        for (; text < end && *text >= '0' && *text <= '9' && digits < 6; text++, digits++)
            value = 10 * value + (unsigned)(*text - '0');
        if (!digits)
            return false;
        *to[i] = value;
        if (i == 0 && text == end)
            *last = value;
        if (text == end)
            return *first <= *last;
        if (i == 0 && *text++ != '-')
            return false;
    }
    return false;
}

static bool parse_tiles(const char *text, struct rule *rule)
{
    const char *comma = strchr(text, ',');
    return comma && parse_range(text, comma, &rule->first[0], &rule->last[0]) &&
           parse_range(comma + 1, comma + 1 + strlen(comma + 1), &rule->first[1], &rule->last[1]);
}

static bool parse_every(const char *text, uint64_t *every)
{
    uint32_t first, last;
    if (!parse_range(text, text + strlen(text), &first, &last) || first != last || !first)
        return false;
    *every = first;
    return true;
}

static int add_rule(struct td_zone_rules *rules, char *text, struct td_err *err)
{
    char *value = strchr(text, '=');
    struct rule rule = {.kind = RULE_KINDS};
    if (value)
        *value++ = 0;
    for (int i = 0; value && i < RULE_KINDS; i++)
        if (!strcmp(text, rule_names[i]))
            rule.kind = (enum rule_kind)i;
    if (rule.kind == RULE_KINDS || !*value)
        return td_fail(err, TD_E_USAGE,
                       "'%.100s' is no rule about zones: zones=GLOB, not=GLOB, tiles=X,Y, "
                       "cores=GLOB or every=K",
                       text);
    if (rule.kind == RULE_TILES && !parse_tiles(value, &rule))
        return td_fail(err, TD_E_USAGE,
                       "'%.100s' names no tiles: give columns and rows, such as 0-3,2 or *,1", value);
    if (rule.kind == RULE_EVERY && !parse_every(value, &rules->every))
        return td_fail(err, TD_E_USAGE, "'%.100s' is no number of launches, 1 to 999999", value);
    rule.glob = value;
    return TD_APPEND(rules->rules, rules->count, rules->capacity, rule) < 0 ? td_fail_no_memory(err, NULL)
                                                                            : 0;
}

struct td_zone_rules *td_zone_rules_create(const char *text, struct td_err *err)
{
    struct td_zone_rules *rules = calloc(1, sizeof *rules);
    if (!rules || !(rules->text = strdup(text ? text : ""))) {
        td_zone_rules_destroy(rules);
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    rules->every = 1;
    char *rest = NULL;
    for (char *one = strtok_r(rules->text, ";\n", &rest); one; one = strtok_r(NULL, ";\n", &rest))
        if (add_rule(rules, one, err)) {
            td_zone_rules_destroy(rules);
            return NULL;
        }
    return rules;
}

void td_zone_rules_destroy(struct td_zone_rules *rules)
{
    if (!rules)
        return;
    free(rules->rules);
    free(rules->text);
    free(rules);
}

static bool is_in(const struct rule *rule, uint32_t x, uint32_t y)
{
    return x >= rule->first[0] && x <= rule->last[0] && y >= rule->first[1] && y <= rule->last[1];
}

bool td_zone_rules_has_core(const struct td_zone_rules *rules, uint32_t x, uint32_t y, const char *core)
{
    bool asked[RULE_KINDS] = {false}, found[RULE_KINDS] = {false};
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *r = &rules->rules[i];
        asked[r->kind] = true;
        if (r->kind == RULE_TILES)
            found[RULE_TILES] |= is_in(r, x, y);
        else if (r->kind == RULE_CORES)
            found[RULE_CORES] |= fnmatch(r->glob, core, 0) == 0;
    }
    return (!asked[RULE_TILES] || found[RULE_TILES]) && (!asked[RULE_CORES] || found[RULE_CORES]);
}

bool td_zone_rules_has_launch(const struct td_zone_rules *rules, uint64_t launch)
{
    return launch % rules->every == 0;
}

bool td_zone_rules_has_marker(const struct td_zone_rules *rules, enum td_site_kind kind, const char *name)
{
    const bool follows = kind != TD_SITE_MAIN && kind != TD_SITE_ZTEXT;
    bool wanted = true, asked = false;
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *r = &rules->rules[i];
        if (r->kind == RULE_NOT && fnmatch(r->glob, name, 0) == 0)
            return false;
        if (r->kind != RULE_ZONES || !follows)
            continue;
        wanted = (asked && wanted) || fnmatch(r->glob, name, 0) == 0;
        asked = true;
    }
    return wanted;
}
