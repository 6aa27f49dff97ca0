/* The viewer's options that hold for all traces. They are kept in a file (store.h). */
#pragma once
#include "host/viewer/model/tab_places.h"
#include "host/viewer/model/store.h"

/* X(ID, name, values): a choice between words; the first one is the default. */
/* clang-format off */
#define TD_CHOICES(X)                                                      \
    X(TIMES,   times,     "short", "exact", "clock")                                \
    X(COLOURS, colours,   "dark", "contrast", "light")                     \
    X(MOUSE,   mouse,     "tendril", "tracy")                              \
    X(ZONES,   zones,     "name", "static", "track", "location")         \
    X(OWN,     own,       "used", "ignored")                               \
    X(INHERIT, inherited, "off", "on")                                     \
    X(NAMES,   names,     "full", "needed", "normal", "short", "shortest") \
    X(GRID,    grid,      "chip", "logical")                               \
    X(CHAIN,   chain,     "zone", "operation")                             \
    X(TRAFFIC, traffic,   "links", "arrows")                               \
    X(TRANSFERS, transfers, "chosen", "all", "off")                        \
    X(SWITCHES, switches, "shown", "hidden")                               \
    X(INACTIVE, inactive, "plain", "darkened")                             \
    X(SAMPLES, samples,   "shown", "hidden")                               \
    X(CPUS,    cpus,      "shown", "hidden")                               \
    X(MIGRATIONS, migrations, "mouse", "selected", "off")                  \
    X(GHOSTS,  ghosts,    "empty", "all", "instead", "off") \
    X(LOCKS,   locks,     "shown", "contended", "hidden", "beside")       \
    X(PLOTS,   plots,     "shown", "hidden")                               \
    X(PLOT_SCALE, plotscale, "visible", "trace")                           \
    X(GPU,     gpu,       "shown", "hidden")                               \
    X(OPENS,   opens,     "smart", "entry", "sample")                      \
    X(OUTSIDE, outside,   "dimmed", "plain")                               \
    X(FPS,     fps,       "60", "30", "144")                               \
    X(STRIP,   strip,     "shown", "hidden")                               \
    X(TARGETS, targets,   "hidden", "marked")                              \
    X(EMPTY,   empty,     "shown", "hidden")                               \
    X(HINTS,   hints,     "shown", "hidden")
/* clang-format on */
enum td_choice {
#define TD_X(id, name, ...) TD_CHOICE_##id,
    TD_CHOICES(TD_X)
#undef TD_X
        TD_CHOICE_COUNT
};

struct td_settings {              /* all zero: the defaults */
    double scale;                 /* 0: that of the display */
    int choices[TD_CHOICE_COUNT]; /* numbers of words; of FPS also other numbers, below 0 */
    struct td_tab_places regions;
};

const char *td_choice_name(enum td_choice choice);
const char *td_choice_word(enum td_choice choice, int number); /* NULL: there are fewer */
/* The number of a word, which for FPS may be any number of frames a second from 1 to TD_FPS_MAX; INT_MIN: it has no such
 * value. */
#define TD_FPS_MAX 10000
int td_choice_number(enum td_choice choice, const char *word);
/* The word of a number; of FPS, other ones are written to `room`. */
#define TD_CHOICE_BYTES 16
const char *td_choice_text(enum td_choice choice, int number, char room[TD_CHOICE_BYTES]);
void td_settings_read(struct td_settings *settings);
int td_settings_write(const struct td_settings *settings, struct td_err *err);
/* Sets the formats and colours of the process. */
void td_settings_apply(const struct td_settings *settings);
cJSON *td_settings_to_json(const struct td_settings *settings);
/* Changes what the object has. 0; TD_E_FORMAT: *err names the first field that is unknown or wrong. */
int td_settings_from_json(struct td_settings *settings, const cJSON *object, struct td_err *err);
