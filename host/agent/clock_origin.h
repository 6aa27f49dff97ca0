/* Where a trace's time 0 is on the clocks of its machine, so that traces of several processes and machines
 * can be merged (`tendril merge`). Kept as the note TD_NOTE_CLOCK_ORIGIN, pairs KEY=VALUE with spaces
 * between them:
 *
 *   real=NS real_error=NS        time of day (since 1970) at time 0; the machine's bound on its error
 *   boot=UUID error=NS           the machine's boot; the bound on the error of the next two lines
 *   at=NS mono=NS                a time of the trace, and CLOCK_MONOTONIC_RAW then
 *   at=NS mono=NS                a later pair; without it the clocks run at one speed
 *
 * The last three lines are there if the trace's clock is one of the recorder's machine. Two traces with the
 * same boot are then related within the sum of their errors. Not for virtual time. */
#pragma once
#include "host/trace/trace.h"
#include <stdbool.h>

/* The clocks of this machine at one moment. */
struct td_clock_moment {
    uint64_t ticks; /* td_host_ticks() */
    int64_t mono_ns, real_ns;
    int64_t error_ns; /* how far the moments of the three may be apart */
};
void td_clock_moment_take(struct td_clock_moment *moment);

struct td_clock_origin {
    int64_t real_ns, real_error_ns;
    char boot[40]; /* "": the lines below are not there */
    int64_t error_ns;
    unsigned pairs; /* 1 or 2 */
    struct {
        int64_t at_ns, mono_ns;
    } pair[2];
};

/* For a trace whose time of a tick is (tick - zero_ticks) * ns_per_tick. `begin` is of the session's start;
 * the present moment is its end. */
void td_clock_origin_of_ticks(struct td_clock_origin *origin, const struct td_clock_moment *begin,
                              uint64_t zero_ticks, double ns_per_tick);
/* The trace's time `at_ns` becomes its time 0. */
void td_clock_origin_move(struct td_clock_origin *origin, int64_t at_ns);
/* For a program on another machine, of which only the time of day is known: to a second. */
void td_clock_origin_of_day(struct td_clock_origin *origin, uint64_t epoch_s);
/* The text of the note, into TD_CLOCK_ORIGIN_TEXT bytes. */
#define TD_CLOCK_ORIGIN_TEXT 320
void td_clock_origin_text(const struct td_clock_origin *origin, char *text);
/* Reads that text, which may be NULL. False: it makes no sense. */
bool td_clock_origin_parse(const char *text, struct td_clock_origin *origin);
/* Adds the note. Returns 0 or TD_E_NOMEM. */
int td_clock_origin_note(struct td_trace *trace, const struct td_clock_origin *origin);
/* Reads the trace's note. False: it has none, or one that makes no sense. */
bool td_clock_origin_read(const struct td_trace *trace, struct td_clock_origin *origin);
