/* The machine code at a zone's marker, found by the source lines that the trace has of code. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/trace/trace.h"

struct td_zone_site {
    uint64_t function; /* address of the function around the marker, also if an inlined one has the marker */
    uint64_t address;  /* of the first instruction of the marker's line, else of the next line with code */
    uint32_t file;     /* string: the marker's file as the code's debug information names it */
};
/* Of several functions that have the location's file and line, the one whose path of the file is most like the
 * location's, and then one whose code is in the trace. Where no line of code is known, the function that the location
 * names. 0, TD_E_NOTFOUND (nothing is known of code there), TD_E_STOPPED or TD_E_NOMEM. */
int td_zone_site_find(const struct td_trace *trace, uint32_t srcloc, const struct td_progress *progress,
                      struct td_zone_site *site, struct td_err *err);
