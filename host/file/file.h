/* Trace files (.tracy): the reader and the writer.
 *
 * Written is version 0.11.1 in the parallel container with Zstd: what Tracy 0.11.1 and every later release
 * open. Read are versions 0.9.0 to 0.14.0 in every container form. Sections that the model has no place for
 * (locks, memory, call stacks, images, samples, symbols, GPU contexts of other programs) are checked and
 * skipped. Both are safe to call from several threads on different traces and paths. */
#ifndef TD_HOST_FILE_FILE_H
#define TD_HOST_FILE_FILE_H
#include "host/trace/trace.h"

/* What the format could not hold as it was; all zero: nothing. */
struct td_file_notice {
    /* Times below 0 or above what 47 bits hold. */
    uint64_t clamped_times;
    /* Source locations that are shown as one, because the format holds 65533. */
    uint64_t folded_locations;
    /* Texts beyond 2^24 strings or of 64 MiB and more, replaced by a note. */
    uint64_t dropped_texts;
    /* Zones in contexts whose own text, name or colour has no place there. */
    uint64_t dropped_extras;
    /* One line for the user, "" if there is nothing to say. */
    char text[240];
};

struct td_file_options { /* all zero: the defaults */
    /* How tracks of device cores are kept. 0: as threads; every statistic and text works on them, thousands
     * fit. 1: as GPU contexts, one a tile while these are at most 255, else one a chip, with a row a core. */
    int contexts;
    int streams;                   /* 1..255 compressed in parallel, each by a thread of its own; 0: 4 */
    int level;                     /* Zstd level 1..19; 0: 3 */
    struct td_file_notice *notice; /* filled if not NULL */
};

/* Writes a finished trace. The file appears whole under its name or not at all: it is written beside it (same
 * folder), synced and renamed; on an error an older file of that name stays as it was. `options` may be NULL.
 */
int td_file_write(const struct td_trace *trace, const char *path, const struct td_file_options *options,
                  struct td_err *err);

/* Reads a file into a new, finished model, *trace; td_trace_destroy() it. On an error *trace is NULL. */
int td_file_read(const char *path, struct td_trace **trace, struct td_err *err);
#endif
