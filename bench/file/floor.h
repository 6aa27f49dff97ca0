/* What loading a trace file cannot be faster than: its blocks decompressed by the libraries alone, by so many
 * threads, from memory into a buffer that nobody looks at. */
#ifndef TD_BENCH_FILE_FLOOR_H
#define TD_BENCH_FILE_FLOOR_H
#include <stdint.h>

/* Seconds, and the bytes that came out; < 0: the file could not be read. */
double floor_seconds(const char *path, unsigned threads, uint64_t *payload_bytes);
#endif
