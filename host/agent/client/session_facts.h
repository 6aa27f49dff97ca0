/* What a session with a program says about its trace, and about the file that is made of it. */
#pragma once
#include "host/trace/trace.h"
#include "host/wire/hello.h"

#include <time.h>

struct td_session_facts {
    struct td_wire_welcome welcome;
    const struct td_wire_release *release;
    uint64_t frame_offset; /* td_client_source_frame_offset() */
    time_t when;           /* of the session */
};

/* Sets the facts of a trace that is not finished. 0 or TD_E_NOMEM. */
int td_session_describe(const struct td_session_facts *facts, struct td_trace *trace);
/* The format, as of --format, that the program's own release reads. It may be one without a file version. */
const char *td_session_format(const struct td_wire_release *release);
