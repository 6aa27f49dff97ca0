/* Source files of this machine, for traces. Their names come from outside (a program, a trace), which must
 * not be able to have other files read: what is stored may go to people that may not read this machine. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_FILES_H
#define TD_HOST_AGENT_CLIENT_CLIENT_FILES_H
#include "host/base/err.h"
#include "host/base/options.h"

#include <stdint.h>

#define TD_SOURCE_FILE_MAX (16 << 20) /* bytes */

/* Which files may be read. All zero: any. */
struct td_source_rules {
    char *folders[TD_WORDS_MAX]; /* only those in one of them: real paths, malloc'ed */
    size_t count;
};

/* The folders must be there. 0, or TD_E_USAGE; to be freed in any case. */
int td_source_rules_init(struct td_source_rules *rules, const struct td_words *folders, struct td_err *err);
void td_source_rules_free(struct td_source_rules *rules);

/* The bytes of the file of that name (which may hold zero bytes: then there is none), malloc'ed. NULL: there
 * is none that may be read: a regular file of 1 to TD_SOURCE_FILE_MAX bytes, none of them zero, changed
 * before `before_s` (Unix seconds), whose real path, all links followed, has the suffix of a source language
 * and is in one of the folders. Nothing else is opened for reading. Thread-safe. */
void *td_source_file_read(const struct td_source_rules *rules, const char *name, size_t name_bytes,
                          uint64_t before_s, size_t *bytes);
#endif
