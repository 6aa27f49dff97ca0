/* Reads any bytes as a trace in Chrome's format: the result is one error or a sound trace. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Fed in pieces of `piece` bytes. -1: it was refused; else its zones. */
int64_t chrome_trace_check(const void *bytes, size_t count, size_t piece);
