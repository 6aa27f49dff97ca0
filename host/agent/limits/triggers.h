/* Triggers: conditions on events at which the interesting part of a recording has just happened.
 *
 *   message:TEXT       a message that matches TEXT
 *   zone:NAME>TIME     a zone whose name matches NAME lasted longer than TIME
 *   frame>TIME         a frame of the base set lasted longer than TIME
 *   frame:SET>TIME     a frame of a set whose name matches SET did
 *   fault, crash       a core stopped by a fault; the program crashed
 *   signal             this process got SIGUSR1
 *
 * The base set's frames before the program's first mark do not count. TEXT, NAME and SET are patterns as of a shell (*, ?, [...]). TIME is a number with a unit: ns, us, ms, s.
 *
 * The triggers are a sink of the hub. Each new string or source location is compared with the patterns once; a
 * length is compared before a name. The names of locations that the client has only promised are looked up
 * again when they are known. Not thread-safe. */
#pragma once
#include "host/base/options.h"
#include "host/event/event.h"

/* The event that a trigger waited for. */
struct td_trigger_hit {
    int64_t time_ns; /* in the trace; TD_TRIGGER_NOW: when it was noticed */
    char what[200];  /* "zone 'step' took 6.1 ms (zone:step>5ms)" */
};
#define TD_TRIGGER_NOW INT64_MIN

enum td_trigger_kind {
    TD_TRIGGER_MESSAGE,
    TD_TRIGGER_ZONE,
    TD_TRIGGER_FRAME,
    TD_TRIGGER_FAULT,
    TD_TRIGGER_CRASH,
    TD_TRIGGER_SIGNAL
};

struct td_triggers;
/* `words`: the conditions, which the caller keeps; so it does `dict`, the hub's. NULL: a condition is wrong, or
 * no memory. With `dict` NULL, only checks the words. */
struct td_triggers *td_triggers_create(const struct td_words *words, struct td_dict *dict,
                                       struct td_err *err);
void td_triggers_destroy(struct td_triggers *triggers); /* NULL is allowed */
struct td_sink td_triggers_sink(struct td_triggers *triggers);
/* There is a condition of this kind. */
bool td_triggers_has(const struct td_triggers *triggers, enum td_trigger_kind kind);
/* What the hub does not know: a fault, a crash or a signal. Does nothing if there is no such condition. */
void td_triggers_report(struct td_triggers *triggers, enum td_trigger_kind kind, int64_t time_ns,
                        const char *what);
/* The next hit, oldest first; false: there is none. Of more than 64 that wait, the last ones are counted. */
bool td_triggers_take(struct td_triggers *triggers, struct td_trigger_hit *hit);
/* Hits that were only counted. */
uint64_t td_triggers_skipped(const struct td_triggers *triggers);
