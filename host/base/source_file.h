/* Reads source files of this machine for traces. The names come from a program or a trace, which are not
 * trusted: they must not get other files into a trace, because traces are passed on to other people. */
#pragma once
#include "host/base/err.h"
#include "host/base/options.h"

#include <stdbool.h>
#include <stdint.h>

#define TD_SOURCE_FILE_MAX (16 << 20) /* bytes */

/* Which source files may be read. All zero: those in any folder. */
struct td_source_rules {
    char *folders[TD_WORDS_MAX]; /* only files in these folders: real paths, malloc'ed */
    size_t count;
    bool none_else; /* without folders, no file may be read */
};

/* 0, or TD_E_USAGE: not a folder. The caller frees *rules in any case. */
int td_source_rules_init(struct td_source_rules *rules, const struct td_words *folders, struct td_err *err);
void td_source_rules_free(struct td_source_rules *rules);

/* The bytes of the file, malloc'ed. NULL: there is no such file that may be read. Thread-safe.
 *
 * A file may be read if it is a regular file of 1 to TD_SOURCE_FILE_MAX bytes, none of them zero, last
 * changed before `before_s` (Unix seconds), and if its real path (all links followed) has the suffix of a
 * source language and is in one of the folders. No other file is opened for reading. A name with zero bytes
 * is no file's. */
void *td_source_file_read(const struct td_source_rules *rules, const char *name, size_t name_bytes,
                          uint64_t before_s, size_t *bytes);
