/* Which trace a file has, for traces without a time of capture (imported ones, for example): program and process do
 * not tell two of them apart. */
#pragma once
#include "host/trace/trace.h"

/* A checksum of the file's size and of parts of it, evenly spread: a trace is compressed, so a change of its contents
 * changes most bytes after it. 0: the trace has a time, or there is no such file. */
uint64_t td_trace_file_sum(const struct td_trace_info *info, const char *path);
