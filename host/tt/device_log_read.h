/* Reads a device log of any era (proto/tt/device_log.h), row by row, from bytes that come in any pieces.
 *
 *   create; feed all bytes; end_stream; destroy
 *
 * Memory does not grow with the file. The rows of one core are not in order of time; see td_tt_log_row.
 * Errors are one line with file and row. Not thread-safe; bytes may be hostile. */
#pragma once
#include "host/base/err.h"
#include "host/tt/tt_text.h"
#include "proto/tt/device_log.h"

#define TD_TT_NO_TRACE UINT32_MAX /* as a trace id or its counter: the column is empty or missing */
#define TD_TT_NO_PLACE UINT32_MAX

/* The facts of the first two lines. */
struct td_tt_log_head {
    char arch[32];              /* "wormhole_b0"; "" if it is not known */
    double frequency_mhz;       /* 0: not known */
    uint32_t max_compute_cores; /* 0: not known */
    uint32_t columns;           /* bit 1 << enum td_tt_log_column: the file has this column */
    enum td_tt_log_era era;     /* the one with these columns, else 2025C */
};

/* A row. Texts are valid during the call. Columns that the file lacks are 0, "", or what is said here. */
struct td_tt_log_row {
    uint64_t time_cycles, data;
    uint64_t line; /* of the file, from 1 */
    uint32_t chip, core_x, core_y;
    uint32_t timer_id; /* of an end: as of its start */
    uint32_t run_id;
    uint32_t run_host_id;           /* without this column: the run id */
    uint32_t trace_id, trace_count; /* or TD_TT_NO_TRACE */
    uint32_t source_line;
    uint32_t logical_x, logical_y;                 /* or TD_TT_NO_PLACE */
    enum td_tt_marker type;                        /* TD_TT_NO_MARKER: none, or not known */
    int risc;                                      /* number of TD_TT_RISCS, -1: another name */
    struct td_tt_text risc_name, zone, file, meta; /* meta: JSON, with semicolons for commas */
};

struct td_tt_log_sink {
    /* Gets the facts, before the first row. May be NULL. Return 0, or a negative enum td_e to stop. */
    int (*take_head)(void *self, const struct td_tt_log_head *head, struct td_err *err);
    int (*take_row)(void *self, const struct td_tt_log_row *row, struct td_err *err);
    void *self;
};

struct td_tt_log_reader;
/* `file` is the name for error lines, and must outlive the reader. NULL: no memory. */
struct td_tt_log_reader *td_tt_log_reader_create(const char *file, const struct td_tt_log_sink *sink);
void td_tt_log_reader_destroy(struct td_tt_log_reader *reader); /* NULL is allowed */
/* 0, TD_E_FORMAT, TD_E_NOMEM, or what a function of the sink returned. Not to be called after an error. */
int td_tt_log_reader_feed(struct td_tt_log_reader *reader, const void *bytes, size_t count,
                          struct td_err *err);
/* A last row that is not complete (a file that was cut) is left out, and *cut is set. A file without the
 * two first lines is an error. */
int td_tt_log_reader_end_stream(struct td_tt_log_reader *reader, bool *cut, struct td_err *err);

/* A file that begins with these bytes may be a device log. */
bool td_tt_log_begins(const void *bytes, size_t count);

/* The number of TD_TT_RISCS with this name in tt-metal's files; -1: none. */
int td_tt_risc_number(struct td_tt_text name);
/* The name of that core in a trace; NULL: no such number. */
const char *td_tt_risc_track_name(int risc);
