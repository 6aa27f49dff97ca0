#include "host/agent/limits/trigger_text.h"
#include "host/base/time_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "5ms", "0.5s": a number from 0 with a unit. 0 or TD_E_USAGE. */
static int parse_time(const char *text, int64_t *time_ns)
{
    char *end;
    if (!(*text >= '0' && *text <= '9') && *text != '.')
        return TD_E_USAGE;
    double value = strtod(text, &end);
    double unit_ns;
    const size_t unit_bytes = td_time_unit_read(end, &unit_ns);
    value *= unit_bytes ? unit_ns : 1;
    if (!unit_bytes || end[unit_bytes] || !isfinite(value) || value > 9e18)
        return TD_E_USAGE;
    *time_ns = (int64_t)value;
    return 0;
}

static bool begins_with(const char *text, const char *with, const char **rest)
{
    size_t bytes = strlen(with);
    *rest = text + bytes;
    return strncmp(text, with, bytes) == 0;
}

/* "NAME>5ms", where NAME may have '>' too, or is empty. */
static int parse_limit(const char *text, struct td_trigger_text *trigger)
{
    const char *limit = strrchr(text, '>');
    if (!limit || parse_time(limit + 1, &trigger->limit_ns) < 0)
        return TD_E_USAGE;
    if (limit == text)
        return 0;
    trigger->pattern = strndup(text, (size_t)(limit - text));
    return trigger->pattern ? 0 : TD_E_NOMEM;
}

static int parse_named(const char *text, struct td_trigger_text *trigger)
{
    int rc = parse_limit(text, trigger);
    return rc == 0 && !trigger->pattern ? TD_E_USAGE : rc;
}

static int parse_trigger(const char *text, struct td_trigger_text *trigger)
{
    static const struct {
        const char *word;
        enum td_trigger_kind kind;
    } words[] = {{"fault", TD_TRIGGER_FAULT}, {"crash", TD_TRIGGER_CRASH}, {"signal", TD_TRIGGER_SIGNAL}};
    const char *rest;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        trigger->kind = words[i].kind;
        if (!strcmp(text, words[i].word))
            return 0;
    }
    trigger->kind = TD_TRIGGER_MESSAGE;
    if (begins_with(text, "message:", &rest)) {
        trigger->pattern = strdup(rest);
        return !*rest ? TD_E_USAGE : trigger->pattern ? 0 : TD_E_NOMEM;
    }
    trigger->kind = TD_TRIGGER_ZONE;
    if (begins_with(text, "zone:", &rest))
        return parse_named(rest, trigger);
    trigger->kind = TD_TRIGGER_FRAME;
    if (begins_with(text, "frame:", &rest))
        return parse_named(rest, trigger);
    if (begins_with(text, "frame", &rest) && *rest == '>')
        return parse_limit(rest, trigger);
    return TD_E_USAGE;
}

int td_trigger_text_parse(const char *text, struct td_trigger_text *trigger, struct td_err *err)
{
    *trigger = (struct td_trigger_text){0};
    int rc = parse_trigger(text, trigger);
    if (rc == 0)
        return 0;
    free(trigger->pattern);
    trigger->pattern = NULL;
    if (rc == TD_E_NOMEM)
        return td_fail_no_memory(err, NULL);
    return td_fail(
        err, TD_E_USAGE,
        "--trigger %s: not message:TEXT, zone:NAME>5ms, frame>20ms, frame:SET>20ms, fault, crash or "
        "signal (units: ns, us, ms, s)",
        text);
}
