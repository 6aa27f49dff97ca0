/* Times and ranges of time as the user writes them: numbers with an optional unit. Pure functions. */
#ifndef TD_HOST_BASE_TIME_TEXT_H
#define TD_HOST_BASE_TIME_TEXT_H
#include <stddef.h>

#define TD_TIME_UNITS "ns, us, ms, s"

/* "1.2ms": a number with a unit (default ns); nothing may follow. 0 or TD_E_USAGE. */
int td_time_parse(const char *text, size_t bytes, double *ns);
/* "1.2ms..1.5ms"; the end is after the start. 0 or TD_E_USAGE. */
int td_range_parse(const char *text, double *from_ns, double *to_ns);
#endif
