/* A lower bound for loading a trace file: the time in which the libraries alone decompress its blocks, in
 * `threads` threads, from memory into a buffer that is not read. */
#pragma once
#include <stdint.h>

/* Seconds, and the bytes that came out; < 0: the file could not be read. */
double floor_seconds(const char *path, unsigned threads, uint64_t *payload_bytes);
