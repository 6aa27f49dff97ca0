/* Parameters of the recorded program: setting them by name, once the program has set them up, and listing
 * them. */
#ifndef TD_HOST_TOOLS_SHARED_CAPTURE_SETTINGS_H
#define TD_HOST_TOOLS_SHARED_CAPTURE_SETTINGS_H
#include "host/agent/client/client_source.h"
#include "host/base/options.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"

struct capture_settings {
    struct td_words words; /* "NAME=VALUE"; must outlive all else */
    struct {
        size_t name_bytes;
        int32_t value;
        int done;
    } at[TD_WORDS_MAX];
};

/* Checks the words. 0 or TD_E_USAGE. */
int capture_settings_parse(struct capture_settings *settings, struct td_err *err);
/* Tells the program those that it has set up meanwhile. 0 or TD_E_NOMEM. */
int capture_settings_apply(struct capture_settings *settings, const struct td_trace *trace,
                           struct td_client_source *source, struct td_err *err);
/* On standard error: those that the program never had. */
void capture_settings_warn(const struct capture_settings *settings, const struct td_trace *trace);
/* Every parameter with its value, a line each. */
void capture_print_parameters(const struct td_trace *trace);
#endif
