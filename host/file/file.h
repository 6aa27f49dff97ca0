/* Trace files (.tracy): the reader and the writer.
 *
 * The reader takes files of Tracy 0.9.0 to 0.14.0, of the development versions between them and of
 * Tenstorrent's fork, in every container form. The model holds everything that a file can hold: a file that
 * is read and written again in its own version has the same content. The writer writes any of these versions,
 * by default one that all of them open.
 *
 * Several threads may call these functions at once, on different traces and paths. The functions use threads
 * of their own while they run. Actions return 0 or a negative enum td_e, and fill `err`. */
#pragma once
#include "host/base/progress.h"
#include "host/file/format.h"
#include "host/trace/trace.h"

/* For a viewer that shows the model while it is read. All zero: nothing reads it. */
struct td_file_growth {
    /* The model may be read by any thread from now on: the file's names and source locations are there. Called
     * in the thread that reads the file. */
    void (*begun)(void *self, struct td_trace *trace);
    /* Nothing may read the model until td_file_read_with() returns: it waits until this call returns. Called
     * after `begun` only, also if reading fails; then *trace is destroyed next. */
    void (*ending)(void *self);
    void *self;
};

struct td_file_read_options { /* all zero: the defaults */
    /* 1: of a damaged file, read the intact part. td_file_read_with() then returns 0, and `salvaged` says
     * what is missing. */
    int salvage;
    /* The model keeps at most about this much in memory, the rest in a temporary file. 0: all in memory. */
    uint64_t memory_bytes;
    int threads; /* 0: as many as processors */
    struct td_progress progress;
    struct td_file_growth growth;
    char salvaged[240]; /* out: one line, "" if the file is undamaged */
    uint32_t version;   /* out: of the payload */
};

/* Reads a file ("-": standard input) into a new, finished model, *trace, which the caller destroys. On an
 * error *trace is NULL. `options` may be NULL. */
int td_file_read_with(const char *path, struct td_file_read_options *options, struct td_trace **trace,
                      struct td_err *err);
int td_file_read(const char *path, struct td_trace **trace, struct td_err *err);

/* What the written version cannot hold; all zero: it holds everything. */
struct td_file_notice {
    /* Times below 0 or above what 47 bits hold. */
    uint64_t clamped_times;
    /* Source locations that were merged into one, because the format holds 65533. */
    uint64_t folded_locations;
    /* Texts replaced by a note: those after 2^24 strings, and those of 64 MiB and more. */
    uint64_t dropped_texts;
    /* Zones in GPU contexts that lost their own text, name or colour. */
    uint64_t dropped_extras;
    /* Everything else that this version cannot hold: "3 trace sections, 1 GPU note". */
    char dropped[600];
    /* One line for the user, "" if nothing was lost. */
    char text[1000];
};

/* Data to leave out; the letters are those of stock update's -s. */
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
    /* How tracks of device cores are written. 0: as threads, which have all statistics and texts, and of
     * which thousands fit. 1: as GPU contexts with a row for each core: a context for each tile or, if there
     * would be more than 255, for each chip. */
    int contexts;
    /* Payload version, TD_FILE_VERSION(0, 9, 0) to (0, 14, 0). 0: the oldest that holds everything that all
     * versions hold, 0.9.1 or 0.10.0. Versions up to 0.10.0 are written in a classic container (one stream),
     * later ones in a parallel one. */
    uint32_t version;
    int tenstorrent;              /* 1: for Tenstorrent's fork (its GPU type), version 0.10.0 */
    enum td_file_packing packing; /* default: Zstd */
    int level;                    /* of Zstd: 1..22; 0: 3 */
    int streams;                  /* of a parallel container, 1..255; 0: 4 */
    int threads;                  /* 0: as many as processors */
    unsigned strip;               /* TD_STRIP_... */
    struct td_out_file *file;     /* NULL, or the path opened by td_out_file_open(); the caller closes it */
    struct td_progress progress;
    struct td_file_notice *notice; /* filled if not NULL */
};

/* Sets `version` and `tenstorrent` from a name: "any" (version 0), "tt", "0.9.0" to "0.14.0". Returns 0, or
 * TD_E_USAGE with a line that names --format. */
int td_file_format(const char *name, struct td_file_options *options, struct td_err *err);

/* Writes a finished trace to a file ("-": standard output). The file appears complete under its name or not
 * at all: it is written in the same folder, synced and renamed. After an error, or if the process is killed,
 * an older file of that name is unchanged. `options` may be NULL. */
int td_file_write(const struct td_trace *trace, const char *path, const struct td_file_options *options,
                  struct td_err *err);
