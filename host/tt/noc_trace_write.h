/* Writes a NoC trace. Errors are left in the stream (ferror()). */
#pragma once
#include "host/tt/noc_trace_read.h"

#include <stdio.h>

struct td_tt_noc_writer {
    FILE *to;
    uint64_t count; /* objects so far */
};
void td_tt_noc_write_begin(struct td_tt_noc_writer *writer, FILE *to);
/* The fields that are there, in order of their names. */
void td_tt_noc_write_event(struct td_tt_noc_writer *writer, const struct td_tt_noc_event *event);
void td_tt_noc_write_end(struct td_tt_noc_writer *writer);
/* The name of the file, without a folder; characters that no file name can have are left out. Returns what
 * snprintf() returns. */
int td_tt_noc_file_name(char *name, size_t room, const struct td_tt_noc_file *file);
