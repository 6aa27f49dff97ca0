/* Size watch: estimates how large the file of a growing trace will be, to end the recording in time.
 *
 * The trace's weight (td_trace_weight()) grows as its file does, but how much of the file a unit of weight takes
 * depends on the data. So whenever the weight has grown by a part of the wanted size, a thread copies a sample
 * of the latest zones and rows, at most 32 MB, and writes it to a file without a name. Each part of the trace
 * counts with the measure of its own sample. What was collected too much is to be cut off at the end. Not thread-safe. */
#pragma once
#include "host/agent/limits/flight.h"

struct td_size_watch;
/* `files` measures. NULL: no memory. */
struct td_size_watch *td_size_watch_create(uint64_t file_bytes, const struct td_cut_files *files,
                                           const struct td_trace *trace);
void td_size_watch_destroy(struct td_size_watch *watch); /* NULL is allowed */
/* To be called often, by the thread that fills the trace. True, from the first time on: the file has reached the
 * size. */
bool td_size_watch_look(struct td_size_watch *watch);
/* Waits until no sample is being copied, so that the trace may be finished. NULL is allowed. */
void td_size_watch_settle(struct td_size_watch *watch);
