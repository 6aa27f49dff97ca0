/* The folders and files of a report. */
#pragma once
#include "host/report/report.h"

#include <stdio.h>

/* Sets the paths in *result, and makes the folders that have files. */
int td_report_folders_make(const struct td_report_options *options, struct td_report_result *result,
                           struct td_err *err);
/* The path of a file that there is one of. */
void td_report_path(char path[TD_REPORT_PATH], const struct td_report_options *options,
                    const struct td_report_result *result, enum td_report_file file);

struct td_report_stream { /* all zero: not open */
    FILE *to;
    char path[TD_REPORT_PATH], unfinished[TD_REPORT_PATH];
};
int td_report_stream_open(struct td_report_stream *stream, const char *path, struct td_err *err);
/* With `keep` the file gets its name, else it is removed. Does nothing to one that is not open. */
int td_report_stream_close(struct td_report_stream *stream, bool keep, struct td_err *err);
