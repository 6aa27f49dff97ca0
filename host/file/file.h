/* Trace files (.tracy): the reader and the writer.
 *
 * Read is what releases 0.9.0 to 0.14.0 of Tracy, the development versions between them and Tenstorrent's
 * fork write, in every container form. What the model holds is all that a file can hold, so that a file which
 * is read and written again in its own version has the same content. Written is any of these versions; by
 * default one that all of them open. All functions are safe to call from several threads on different traces
 * and paths; they use threads of their own while they run. */
#ifndef TD_HOST_FILE_FILE_H
#define TD_HOST_FILE_FILE_H
#include "host/base/progress.h"
#include "host/file/format.h"
#include "host/trace/trace.h"

struct td_file_read_options { /* all zero: the defaults */
    /* What is whole of a damaged file, instead of an error; td_file_read() then returns 0 and says in
     * `salvaged` what is missing. */
    int salvage;
    uint64_t
        memory_bytes; /* the model keeps at most about so much in memory, the rest in a file (td_store) */
    int threads;      /* 0: as many as processors */
    struct td_progress progress;
    char salvaged[240]; /* out: one line, "" if the file was whole */
    uint32_t version;   /* out: of the payload */
};

/* Reads a file ("-": standard input) into a new, finished model, *trace; td_trace_destroy() it. On an error
 * *trace is NULL. `options` may be NULL. */
int td_file_read_with(const char *path, struct td_file_read_options *options, struct td_trace **trace,
                      struct td_err *err);
int td_file_read(const char *path, struct td_trace **trace, struct td_err *err);

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
    /* Everything else that this version has no place for: "3 trace sections, severities of 2 messages". */
    char dropped[600];
    /* One line for the user, "" if there is nothing to say. */
    char text[1000];
};

/* What to leave out; the letters are those of stock update's -s. */
/* clang-format off */
#define TD_STRIP(X)                                                                                           \
    X('l', LOCKS) X('m', MESSAGES) X('p', PLOTS) X('M', MEMORY) X('i', IMAGES) X('c', SWITCHES)              \
    X('s', SAMPLES) X('C', CODE) X('S', SOURCES)
/* clang-format on */
enum td_strip_bit {
#define TD_X(letter, name) TD_STRIP_BIT_##name,
    TD_STRIP(TD_X)
#undef TD_X
};
enum td_strip {
#define TD_X(letter, name) TD_STRIP_##name = 1 << TD_STRIP_BIT_##name,
    TD_STRIP(TD_X)
#undef TD_X
};

struct td_out_file;
struct td_file_options { /* all zero: the defaults */
    /* How tracks of device cores are kept. 0: as threads; every statistic and text works on them, thousands
     * fit. 1: as GPU contexts, one a tile while these are at most 255, else one a chip, with a row a core. */
    int contexts;
    /* Payload version, TD_FILE_VERSION(0, 9, 0) to (0, 14, 0); 0: the oldest that holds what every version
     * holds, 0.9.1 or 0.10.0, in a classic container. Versions up to 0.10.0 are written in a classic
     * container (one stream), later ones in a parallel one. */
    uint32_t version;
    int tenstorrent;              /* 1: as Tenstorrent's fork has it (its GPU type), version 0.10.0 */
    enum td_file_packing packing; /* default: Zstd */
    int level;                    /* of Zstd: 1..22; 0: 3 */
    int streams;                  /* of a parallel container, 1..255; 0: 4 */
    int threads;                  /* 0: as many as processors */
    unsigned strip;               /* TD_STRIP_... */
    struct td_out_file *file;     /* of out_file.h, opened beforehand for that path; the caller closes it */
    struct td_progress progress;
    struct td_file_notice *notice; /* filled if not NULL */
};

/* Sets version and tenstorrent from a name: "any" (version 0), "tt", "0.9.0" to "0.14.0". 0, or TD_E_USAGE
 * and a line that names --format. */
int td_file_format(const char *name, struct td_file_options *options, struct td_err *err);

/* Writes a finished trace to a file ("-": standard output). The file appears whole under its name or not at
 * all: it is written beside it (same folder), synced and renamed; on an error or a kill an older file of that
 * name stays as it was. `options` may be NULL. */
int td_file_write(const struct td_trace *trace, const char *path, const struct td_file_options *options,
                  struct td_err *err);
#endif
