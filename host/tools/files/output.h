/* The trace file that a command writes at the end of its work. The file is opened before the work, so that a
 * path that cannot be written is an error at once. With `keep`, a trace that cannot be written there in the
 * end (full disk, deleted folder) goes to another file. */
#pragma once
#include "host/file/file.h"
#include "host/file/out_file.h"

struct output {
    const char *command, *path; /* "tendril capture", FILE; the caller's */
    int keep;                   /* 1: there is no other copy of the session */
    struct td_out_file *file;
    unsigned how; /* as of output_open() */
    /* Something in the way may go as soon as the trace is safe in another folder; then `path` is tried once more.
     * NULL: nothing. */
    void (*make_room)(void *self);
    void *room_self;
    char saved[4200]; /* where the trace was written: `path` or another file; "": nowhere */
    char folder[4200];
};

/* Opens output->path. Before, the caller sets the fields above `file`, and the rest to zero. `how` is a sum
 * of enum td_out_how. With `keep`, signals no longer end the process after this call; they are counted
 * (host/base/interrupt.h). After an error there is nothing to close. */
int output_open(struct output *output, unsigned how, struct td_err *err);
/* The folder that the file is in, for files next to it; valid as long as the output. NULL: the output is a pipe, a
 * device or standard output. */
const char *output_folder(struct output *output);
/* Writes the trace with a progress bar; to be called once. With `keep`, if the output cannot take the trace:
 *   - on a terminal, the user is asked for another file; success then is no error;
 *   - else the trace goes to a new file that only the user can read, in TMPDIR, /tmp, /var/tmp, the home
 *     folder, the current folder or /dev/shm. The call fails, and the error names that file.
 * Signals stop the writing only without `keep`, or into a pipe. */
int output_write(struct output *output, const struct td_trace *trace, struct td_file_options *options,
                 struct td_err *err);
/* Discards what was not written. */
void output_close(struct output *output);
