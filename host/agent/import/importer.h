/* Imports a file of another format into the hub. Each format is one entry of TD_IMPORTERS and one
 * `const struct td_importer td_import_NAME` in the file that reads it.
 *
 *   create; begin_file; feed all bytes of the file, in any pieces; end_file; close; report; destroy
 *
 * Bytes may be hostile. An object belongs to one thread at a time. */
#pragma once
#include "host/agent/import/import_lines.h"
#include "host/agent/import/timeline.h"
#include "host/base/progress.h"
#include "host/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In this order a file's first bytes are compared with the formats: the strictest come first. */
#define TD_IMPORTERS(X)                                                                                      \
    X(tt)                                                                                                    \
    X(session)                                                                                               \
    X(fuchsia)                                                                                               \
    X(pprof)                                                                                                 \
    X(perfetto)                                                                                              \
    X(perf_data)                                                                                             \
    X(perf_script)                                                                                           \
    X(firefox)                                                                                               \
    X(speedscope)                                                                                            \
    X(chrome)                                                                                                \
    X(ctf)                                                                                                   \
    X(folded)

struct td_saved_session;
struct td_importer {
    const char *name;  /* "a Chrome trace" */
    const char *about; /* sentences for the help */
    bool (*begins)(const uint8_t *bytes, size_t count);
    bool (*is_folder)(
        const char *path); /* whether it is a trace of this format, for `read`; NULL: traces are files */
    void *(*create)(struct td_hub *hub); /* NULL: no memory */
    void (*destroy)(void *self);         /* NULL is allowed */
    /* NULL: of several files there is one trace for each. Else called for each file, with its first bytes; `file`
     * outlives the object, and error lines begin with it. */
    int (*begin_file)(void *self, const char *file, const uint8_t *bytes, size_t count, struct td_err *err);
    /* NULL: bytes are fed. Else called instead of feed and end_file where the bytes are those of a file. */
    int (*read)(void *self, const char *file, const struct td_progress *progress, bool *cut,
                struct td_err *err);
    int (*feed)(void *self, const uint8_t *bytes, size_t count, struct td_err *err);
    /* *cut: the file breaks off; what came before is kept. */
    int (*end_file)(void *self, bool *cut, struct td_err *err);
    int (*close)(void *self, struct td_err *err); /* after the last file; NULL: nothing is left to do */
    /* What is said after close; one of the three, the others are NULL. `session` is the session that the file has. */
    const struct td_timeline_counts *(*counts)(const void *self);
    void (*report)(void *self, const struct td_import_lines *to);
    const struct td_saved_session *(*session)(const void *self);
};

#define TD_X(name) extern const struct td_importer td_import_##name;
TD_IMPORTERS(TD_X)
#undef TD_X

/* The format of a file that begins with these bytes; NULL: none. */
const struct td_importer *td_importer_of(const uint8_t *bytes, size_t count);
/* The format of a folder; NULL: none. */
const struct td_importer *td_importer_of_folder(const char *path);
/* Formats by number, in the order of the list; NULL: there are no more. */
const struct td_importer *td_importer_at(size_t number);
