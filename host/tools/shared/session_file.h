/* A trace of one program's session, as a file: what capture and import share. */
#ifndef TD_HOST_TOOLS_SHARED_SESSION_FILE_H
#define TD_HOST_TOOLS_SHARED_SESSION_FILE_H
#include "host/agent/client/client_stream.h"
#include "host/tools/shared/output.h"
#include "host/trace/trace.h"

#include <time.h>

struct session_file {
    struct output *output;
    const char *format; /* NULL or "same": of the program's own release */
    const struct td_wire_welcome
        *welcome;        /* NULL: of no program with a client; then the rest is not looked at, */
    const char *program; /* and it is called so, and the file is for all releases */
    const struct td_wire_release *release;
    const struct td_client_counts *counts;
    uint64_t frame_offset;
    time_t when; /* it was captured */
    int threads; /* that pack the file; 0: as many as processors */
};

/* 0, or TD_E_USAGE: there is no such format. For the start of a command: at the end all would be lost. */
int session_file_check(const char *format, struct td_err *err);
/* Finishes the trace and writes it (output_write()); what the format has no place for is told on standard
 * error. */
int session_file_save(const struct session_file *session, struct td_trace *trace, struct td_err *err);
/* What is in it, on standard output; welcome is not NULL. */
void session_file_print(const struct session_file *session, const struct td_trace *trace);
#endif
