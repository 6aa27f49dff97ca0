/* The viewer's options that hold for all traces, and what the user did to one trace. Both are kept in files
 * (store.h). */
#ifndef TD_HOST_VIEWER_APP_SETTINGS_H
#define TD_HOST_VIEWER_APP_SETTINGS_H
#include "host/viewer/app/store.h"

struct td_view;

/* X(ID, name, values): a choice between words; the first one is the default. */
/* clang-format off */
#define TD_CHOICES(X)                          \
    X(TIMES,   times,   "short", "exact")      \
    X(COLOURS, colours, "dark", "contrast")    \
    X(MOUSE,   mouse,   "tendril", "tracy")
/* clang-format on */
enum td_choice {
#define TD_X(id, name, ...) TD_CHOICE_##id,
    TD_CHOICES(TD_X)
#undef TD_X
        TD_CHOICE_COUNT
};

struct td_settings {              /* all zero: the defaults */
    double scale;                 /* 0: that of the display */
    int choices[TD_CHOICE_COUNT]; /* numbers of words */
};

const char *td_choice_name(enum td_choice choice);
const char *td_choice_word(enum td_choice choice, int number); /* NULL: there are fewer */

void td_settings_read(struct td_settings *settings);
int td_settings_write(const struct td_settings *settings, struct td_err *err);
/* Sets the formats and colours of the process. */
void td_settings_apply(const struct td_settings *settings);
cJSON *td_settings_to_json(const struct td_settings *settings);

/* The trace's state: visible range, text that is searched for, closed groups. A trace is known by its
 * program, the time of its capture and the process. */
cJSON *td_trace_state_read(const struct td_view *view); /* NULL: none */
int td_trace_state_write(const struct td_view *view, struct td_err *err);
cJSON *td_trace_state_of(const struct td_view *view);
/* Sets the range and the search. */
void td_trace_state_show(struct td_view *view, const cJSON *state);
/* Closes the groups, when all of them are there. */
void td_trace_state_arrange(struct td_view *view, const cJSON *state);
#endif
