/* Times and ranges of time as text: numbers with a unit, which the user may leave out. Pure functions. */
#pragma once
#include <stddef.h>

#define TD_TIME_UNITS "ns, us, ms, s"

enum td_time_form {
    TD_TIME_WHOLE, /* "5 ns", "1.50 us", "2.25 ms", "1.500 s" */
    TD_TIME_PARTS, /* the same, and "0.5 ns" */
    TD_TIME_PAGE /* as TD_TIME_WHOLE for a page, with the sign of micro and a space at which no line breaks */
};
/* Writes a duration, with a unit in which it is from 1 to 1000, if there is one; returns `to`. The window has a
 * notation of its own, which its user chooses (td_format_ns()). */
const char *td_time_text(char *to, size_t bytes, double ns, enum td_time_form form);
/* The bytes of the unit that `text` begins with, which is *ns long; 0: none. */
size_t td_time_unit_read(const char *text, double *ns);

/* "1.2ms": a number with a unit (default ns); nothing may follow. 0 or TD_E_USAGE. */
int td_time_parse(const char *text, size_t bytes, double *ns);
/* "1.2ms..1.5ms"; the end is after the start. 0 or TD_E_USAGE. */
int td_range_parse(const char *text, double *from_ns, double *to_ns);
