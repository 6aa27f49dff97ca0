/* Parameters of the captured program (capture --set): sets them by name after the program has announced them,
 * and lists them. Set `words`, call capture_settings_parse() once, then capture_settings_apply() from time to
 * time during the session, and capture_settings_warn() at its end. */
#pragma once
#include "host/agent/client/client_source.h"
#include "host/base/options.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"

struct capture_settings {
    struct td_words words; /* "NAME=VALUE"; the caller's */
    struct {
        size_t name_bytes;
        int32_t value;
        int done;
    } at[TD_WORDS_MAX];
};

/* Checks the words. 0 or TD_E_USAGE. */
int capture_settings_parse(struct capture_settings *settings, struct td_err *err);
/* Sends the values of those parameters that the program has announced since the last call. 0 or TD_E_NOMEM.
 */
int capture_settings_apply(struct capture_settings *settings, const struct td_trace *trace,
                           struct td_client_source *source, struct td_err *err);
/* Prints, to standard error, the names that the program has not announced. */
void capture_settings_warn(const struct capture_settings *settings, const struct td_trace *trace);
/* Prints each parameter and its value, to standard output. */
void capture_print_parameters(const struct td_trace *trace);
