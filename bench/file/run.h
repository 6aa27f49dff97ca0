/* Programs that are measured: real time and peak memory of each. */
#pragma once
#include <stdint.h>

struct run {
    double seconds; /* < 0: it failed */
    double peak_bytes;
    uint64_t number; /* the first number on its output, 0: none */
};

/* Runs `argv` (argv[0]: its path) with output to nowhere; the first kilobyte is looked at. */
struct run run_program(const char *const *argv);
/* Keeps the better of two runs of the same thing: the one that took less time, and less memory. */
void run_keep(struct run *best, struct run run);
/* Bytes of a file; < 0: there is none. */
double file_bytes(const char *path);
