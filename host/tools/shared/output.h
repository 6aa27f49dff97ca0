/* The trace that a command writes after its work. What cannot be written is said before the work begins; a
 * session that exists nowhere else survives a full disk and a folder that vanished. */
#ifndef TD_HOST_TOOLS_SHARED_OUTPUT_H
#define TD_HOST_TOOLS_SHARED_OUTPUT_H
#include "host/file/file.h"
#include "host/file/out_file.h"

struct output {
    const char *command, *path; /* "tendril capture"; the caller's */
    int keep;                   /* 1: the session exists nowhere else */
    struct td_out_file *file;
    char saved[4200]; /* where the trace is: the path, or another place that took it; "": nowhere */
};

/* Opens the output's path; the fields above `file` are set, the rest is zero. `how` is a sum of td_out_how.
 * With `keep`, signals no longer end the process from here on, they are counted (host/base/interrupt.h). On
 * an error nothing is left to close. */
int output_open(struct output *output, unsigned how, struct td_err *err);
/* Writes the trace, once, with a progress bar. What cannot take a session that is to be kept is an error, but
 * the session goes to another file: the one that the user names on the terminal (which is no error then),
 * else a new one, readable by the user alone, in TMPDIR, /tmp, /var/tmp, the home folder, the current one or
 * /dev/shm; the error names it. Signals stop the writing only of what need not be kept, or into a pipe. */
int output_write(struct output *output, const struct td_trace *trace, struct td_file_options *options,
                 struct td_err *err);
/* What was not written is gone. */
void output_close(struct output *output);
#endif
