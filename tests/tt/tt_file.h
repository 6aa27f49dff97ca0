/* Files of tt-metal for the tests: those of tests/data/tt, and those of the corpus. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* The file's bytes, to be freed; fails the test if it cannot be read. */
uint8_t *tt_file_read(const char *path, size_t *count);
/* The path of a file of tests/data/tt. Valid until the next call. */
const char *tt_file_data(const char *name);
/* The path of a file in the folder tt of the corpus; NULL, after a line on standard output: there is no
 * corpus. */
const char *tt_file_corpus(const char *name);
