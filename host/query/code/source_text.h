/* The text of a source file that a trace names: from the trace, else from this machine. One reader for the viewer,
 * annotate and report. */
#pragma once
#include "host/base/path_substitutions.h"
#include "host/base/source_file.h"
#include "host/trace/trace.h"

enum td_source_origin {
    TD_SOURCE_NONE,     /* there is no text */
    TD_SOURCE_IN_TRACE, /* the text of the time of the recording */
    TD_SOURCE_ON_DISK,  /* a file that is older than the program, or than the recording */
    TD_SOURCE_NEWER     /* a file that was changed later: lines may not fit */
};
struct td_source_text {
    enum td_source_origin origin;
    char *path;       /* of the file that was read; NULL: none was */
    const char *text; /* not terminated */
    size_t bytes;
    uint32_t line_count;
    size_t *lines; /* where each line begins in the text, and its end: line_count + 1 elements */
    void *owned;   /* what `text` points into, if it is not the trace's */
};

/* `file` is a string of the trace. `paths` (may be NULL) says where files are on this machine; a file that no
 * substitution matches is looked for at its own path. A file that may not be read as source code, or by `rules`
 * (NULL: in any folder), is not (host/base/source_file.h). 0, also if there is no text; TD_E_NOMEM, TD_E_LIMIT. */
int td_source_text_open(struct td_source_text *source, const struct td_trace *trace, uint32_t file,
                        const struct td_path_substitutions *paths, const struct td_source_rules *rules,
                        struct td_err *err);
void td_source_text_free(struct td_source_text *source);
/* A line from 1 on, without its end; *bytes is its length. NULL: there is no such line. */
const char *td_source_text_line(const struct td_source_text *source, uint32_t line, size_t *bytes);
const char *td_source_origin_name(enum td_source_origin origin); /* "trace", "disk", "newer", "none" */
