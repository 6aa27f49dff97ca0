/* Reads any bytes as a trace in Fuchsia's format: the result is one error or a sound trace. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Fed in pieces of `piece` bytes. Returns its zones. */
int64_t fuchsia_trace_check(const void *bytes, size_t count, size_t piece);
