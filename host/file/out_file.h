/* Writes a new file: to a file without a name, which gets its name when it is complete, or directly to a
 * pipe, a device or standard output. An older file of that name is intact until it is replaced as a whole.
 *
 * If the program is killed, nothing is left in file systems that have files without a name (O_TMPFILE:
 * ext4, xfs, btrfs, tmpfs ...), except between the last two steps of replacing an older file, linking and
 * renaming. In other file systems from the first write on, and for claimed names, PATH.XXXXXXXX.part (eight
 * random letters) is left. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_out_file;

enum td_out_how {
    TD_OUT_REPLACE = 0, /* replaces an older file */
    /* TD_E_EXISTS if a file of that name exists, on opening or when the new file gets its name. */
    TD_OUT_NEW = 1,
    /* With TD_OUT_NEW: only one process at a time may open a name; TD_E_EXISTS for others (out_claim.h). */
    TD_OUT_CLAIM = 2,
    TD_OUT_PRIVATE = 4, /* only the owner may read a new file, independent of the umask */
    TD_OUT_TEXT = 8,    /* a terminal is allowed */
    TD_OUT_KEEP_OLD =
        16,           /* an older file that is replaced is PATH.old then, and takes that name from another */
    TD_OUT_NAMED = 32 /* the unfinished file has a name, for a library that opens it itself */
};

/* Opens `path` for writing; `how` is a sum of td_out_how. "-", /dev/stdout, /dev/fd/N, pipes and character
 * devices are written directly. Links are followed, even to a file that does not exist yet, except links of
 * other users in folders like /tmp. A replaced file keeps its permissions. Opening does not wait for the
 * reader of a named pipe; writing does. NULL: see err. */
struct td_out_file *td_out_file_open(const char *path, unsigned how, struct td_err *err);
/* Writes all bytes. While a pipe is full or has no reader, gave_up() is called a few times a second; if it
 * returns 1, the result is TD_E_STOPPED. gave_up may be NULL. */
int td_out_file_write(struct td_out_file *file, const void *data, size_t bytes, int (*gave_up)(void *self),
                      void *self, struct td_err *err);
/* Syncs the file and gives it its name. To be called once, after the last write. */
int td_out_file_commit(struct td_out_file *file, struct td_err *err);
/* Closes and frees; a file that was not committed is removed. NULL is allowed. */
void td_out_file_close(struct td_out_file *file);
/* The name for messages. */
const char *td_out_file_name(const struct td_out_file *file);
/* With TD_OUT_NAMED: the name of the unfinished file, unless it is written directly. Valid as long as *file. */
const char *td_out_file_unfinished(const struct td_out_file *file);
/* The file is a pipe, a device or standard output: written bytes cannot be taken back. */
bool td_out_file_is_direct(const struct td_out_file *file);
