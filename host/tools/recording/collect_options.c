#include "host/tools/recording/collect_options.h"

#define NS_PER_S     1e9
#define MOST_SECONDS 1e8

static bool is_seconds(double seconds)
{
    return seconds >= 0 && seconds <= MOST_SECONDS;
}

static int check_flight(const struct collect_options *given, struct td_err *err)
{
    if (!is_seconds(given->keep) || !is_seconds(given->after))
        return td_fail(err, TD_E_USAGE, "--keep and --after: a number of seconds");
    if (given->after > 0 && !given->triggers.count)
        return td_fail(err, TD_E_USAGE, "--after without --trigger: after what?");
    if (given->rotate && (!given->triggers.count || !(given->keep > 0)))
        return td_fail(err, TD_E_USAGE, "--rotate needs --keep SECONDS and --trigger WHAT");
    if (given->keep > 0 && given->max_size)
        return td_fail(err, TD_E_USAGE, "--keep and --max-size exclude each other");
    struct td_triggers *triggers = td_triggers_create(&given->triggers, NULL, err);
    td_triggers_destroy(triggers);
    return triggers ? 0 : TD_E_USAGE;
}

int collect_options_parse(const struct collect_options *given, struct td_collection_options *options,
                          struct td_err *err)
{
    int rc = check_flight(given, err);
    if (rc == 0 && given->max_size)
        rc = td_memory_size(given->max_size, "--max-size", &options->max_bytes, err);
    if (rc == 0 && given->max_size && !options->max_bytes)
        rc = td_fail(err, TD_E_USAGE, "--max-size %s: a size such as 600M", given->max_size);
    if (rc < 0)
        return rc;
    options->max_seconds = given->max_seconds;
    options->keep_ns = (int64_t)(given->keep * NS_PER_S);
    options->after_ns = (int64_t)(given->after * NS_PER_S);
    options->triggers = given->triggers;
    options->rotate = given->rotate;
    options->strict = given->strict;
    return td_memory_limit_parse(given->memory_limit, &options->memory, err);
}
