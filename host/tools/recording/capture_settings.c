#include "host/tools/recording/capture_settings.h"
#include "host/base/plain_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number or a word; false: it is neither. */
static bool read_value(const char *text, int32_t *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i])) {
            *value = (int32_t)(i & 1);
            return true;
        }
    char *end;
    long long number = strtoll(text, &end, 0);
    *value = (int32_t)number;
    return *text && !*end && number >= INT32_MIN && number <= INT32_MAX;
}

int capture_settings_parse(struct capture_settings *settings, struct td_err *err)
{
    for (size_t i = 0; i < settings->words.count; i++) {
        const char *text = settings->words.words[i], *equals = strrchr(text, '=');
        if (!equals || equals == text || !read_value(equals + 1, &settings->at[i].value))
            return td_fail(
                err, TD_E_USAGE,
                "--set '%s': it must be NAME=VALUE, where VALUE is a whole number of 32 bits, true "
                "or false",
                text);
        settings->at[i].name_bytes = (size_t)(equals - text);
    }
    return 0;
}

static int64_t get_parameter(const struct td_trace *trace, uint64_t row, unsigned column)
{
    return td_series_get(td_trace_table(trace, TD_TABLE_PARAMETER), row, column);
}

static uint64_t count_parameters(const struct td_trace *trace)
{
    return td_series_count(td_trace_table(trace, TD_TABLE_PARAMETER));
}

static const char *parameter_name(const struct td_trace *trace, uint64_t row)
{
    return td_dict_text(td_trace_dict(trace), (uint32_t)get_parameter(trace, row, TD_PARAMETER_NAME));
}

int capture_settings_apply(struct capture_settings *settings, const struct td_trace *trace,
                           struct td_client_source *source, struct td_err *err)
{
    uint64_t count = settings->words.count ? count_parameters(trace) : 0;
    for (size_t i = 0; i < settings->words.count; i++) {
        for (uint64_t row = 0; row < count && !settings->at[i].done; row++) {
            const char *name = parameter_name(trace, row);
            if (strlen(name) != settings->at[i].name_bytes ||
                strncmp(name, settings->words.words[i], settings->at[i].name_bytes) != 0)
                continue;
            uint32_t index = (uint32_t)get_parameter(trace, row, TD_PARAMETER_INDEX);
            int bad = td_client_source_set_parameter(source, index, settings->at[i].value, err);
            if (bad)
                return bad;
            settings->at[i].done = 1;
        }
    }
    return 0;
}

void capture_settings_warn(const struct capture_settings *settings, const struct td_trace *trace)
{
    uint64_t count = count_parameters(trace);
    for (size_t i = 0; i < settings->words.count; i++) {
        if (settings->at[i].done)
            continue;
        fputs("tendril capture: the program has no parameter '", stderr);
        td_plain_print(stderr, settings->words.words[i], settings->at[i].name_bytes);
        fputs("'; it has", stderr);
        for (uint64_t row = 0; row < count; row++)
            fprintf(stderr, "%s '%s'", row ? "," : "", TD_PLAIN(parameter_name(trace, row)));
        fprintf(stderr, count ? "\n" : " none\n");
    }
}

void capture_print_parameters(const struct td_trace *trace)
{
    static const char *const types[] = {"", " (yes or no)", " (trigger)"};
    for (uint64_t row = 0; row < count_parameters(trace); row++) {
        uint64_t type = (uint64_t)get_parameter(trace, row, TD_PARAMETER_TYPE);
        printf("parameter    %s = %" PRId64 "%s\n", TD_PLAIN(parameter_name(trace, row)),
               get_parameter(trace, row, TD_PARAMETER_VALUE), types[type < 3 ? type : 0]);
    }
}
