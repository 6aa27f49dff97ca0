/* Reads a NoC trace object by object, from bytes that come in any pieces.
 *
 *   create; feed all bytes; end_stream; destroy
 *
 * Memory does not grow with the file. Errors are one line with file and line. Not thread-safe; bytes may
 * be hostile. */
#pragma once
#include "host/base/err.h"
#include "host/tt/noc_trace.h"

/* Takes an object. `line` is that of its begin. Returns 0, or a negative enum td_e to stop. */
typedef int td_tt_noc_take(void *self, const struct td_tt_noc_event *event, uint64_t line,
                           struct td_err *err);

struct td_tt_noc_reader;
/* `file` is the name for error lines, and must outlive the reader. NULL: no memory. */
struct td_tt_noc_reader *td_tt_noc_reader_create(const char *file, td_tt_noc_take *take, void *self);
void td_tt_noc_reader_destroy(struct td_tt_noc_reader *reader); /* NULL is allowed */
int td_tt_noc_reader_feed(struct td_tt_noc_reader *reader, const void *bytes, size_t count,
                          struct td_err *err);
/* *cut: the list has no end, or ends inside an object; the objects before are passed. */
int td_tt_noc_reader_end_stream(struct td_tt_noc_reader *reader, bool *cut, struct td_err *err);

/* A file that begins with these bytes may be a NoC trace. */
bool td_tt_noc_begins(const void *bytes, size_t count);

/* What the name of a file says: noc_trace_dev<device>[_<op>]_ID<run host id>[_traceID<n>].json, in any
 * folder. */
struct td_tt_noc_file {
    uint32_t device, run_host_id;
    uint32_t trace_id; /* UINT32_MAX: none */
    struct td_tt_text op_name;
};
/* False: it is not such a name. What comes before "noc_trace_dev" does not matter. */
bool td_tt_noc_file_read(const char *path, struct td_tt_noc_file *file);
