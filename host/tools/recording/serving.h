/* --serve: viewers connect to a recording while it is made. Without the option the functions do nothing. */
#pragma once
#include "host/agent/client/client_source.h"
#include "host/base/options.h"
#include "host/serve/serve.h"

#include <pthread.h>

/* Parameters that users of viewers have set, until the recording's thread sends them to the program. */
#define SERVING_PARAMETERS 256u

struct serving {
    const char *where; /* the option's value */
    struct td_serve *serve;
    bool is_described;
    pthread_mutex_t lock;
    struct {
        uint32_t index;
        int32_t value;
    } parameters[SERVING_PARAMETERS];
    unsigned parameter_count;
};

/* An entry of a command's table of options; `s` is its struct serving. */
/* clang-format off */
#define SERVING_OPTION(s)                                                                                    \
    {0, "serve", TD_OPT_STRING, &(s).where, "[ADDR:]PORT",                                                   \
     "let viewers and recorders of any release connect and follow the recording", NULL, 0, 0}
/* clang-format on */

/* Viewers read from the start, so that nothing may be dropped (--keep). 0 or TD_E_USAGE. */
int serving_check(const struct serving *serving, int64_t keep_ns, struct td_err *err);
/* For a model that has no events yet. 0 or a negative enum td_e. */
int serving_begin(struct serving *serving, struct td_trace *trace, struct td_err *err);
/* The program's welcome: viewers may connect from now on. Later calls are ignored. */
void serving_describe_client(struct serving *serving, const struct td_client_source *source);
/* The same for a recording that is known by its program's name. */
void serving_describe(struct serving *serving, const char *program);
/* Sends what users of viewers have set. 0 or TD_E_NOMEM. */
int serving_apply(struct serving *serving, struct td_client_source *source, struct td_err *err);
/* Before td_trace_finish(): viewers get the rest. Prints a line if one did not, which begins with `command`. */
void serving_end(struct serving *serving, const char *command);
