/* Files of traces that are cut out of a recording while it runs (--rotate), and their size (--max-size). */
#pragma once
#include "host/agent/limits/flight.h"
#include "host/file/file.h"

struct cut_files {
    const char *command, *path; /* "tendril capture"; FILE, of which FILE-0001 ... are made; the caller's */
    unsigned how;               /* for td_out_file_open(): TD_OUT_REPLACE or TD_OUT_NEW */
    int quiet;
    /* Sets the trace's facts (program, date) and the file's options; called from threads, one at a time. NULL:
     * nothing is to be set. */
    int (*prepare)(void *self, struct td_trace *cut, struct td_file_options *options, struct td_err *err);
    void *self;
    unsigned number; /* of the last file */
};

/* Checks that the first file can be written. */
int cut_files_check(const struct cut_files *files, struct td_err *err);
/* What the collection calls. */
struct td_cut_files cut_files_callbacks(struct cut_files *files);
