/* What finishing and writing a trace will take of address space; for memory see td_trace_room(). */
#pragma once
#include "host/trace/trace.h"

/* Bytes, about; the mapped temporary file counts, too. */
uint64_t td_trace_space_needed(const struct td_trace *trace);
