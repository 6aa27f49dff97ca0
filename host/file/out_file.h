/* Where the bytes of a new trace file go: to a file without a name that takes its place when it is whole, or
 * directly to a pipe, a device or standard output.
 *
 * Where the file system can hold files without a name (O_TMPFILE: ext4, xfs, btrfs, tmpfs ...) a killed
 * program leaves nothing behind, except between the last two steps of replacing an older file, linking and
 * renaming. Elsewhere, from the first write on, and for claimed names, it leaves PATH.XXXXXXXX.part (eight
 * random letters). The older file is whole at any moment. */
#ifndef TD_HOST_FILE_OUT_FILE_H
#define TD_HOST_FILE_OUT_FILE_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_out_file;

enum td_out_how {
    TD_OUT_REPLACE = 0, /* takes the place of an older file */
    /* There must be no file of that name, when it is opened and when it is put in its place: TD_E_EXISTS. */
    TD_OUT_NEW = 1,
    /* With TD_OUT_NEW: one process at a time opens a name so, TD_E_EXISTS for the others (out_claim.h). */
    TD_OUT_CLAIM = 2,
    TD_OUT_PRIVATE = 4, /* a new file is for its owner alone, whatever the umask */
    TD_OUT_TEXT = 8     /* a terminal will do */
};

/* "-", /dev/stdout, /dev/fd/N, pipes and character devices are written directly. A link is followed, also one
 * to a file that is not there yet, but none that another user put into a folder like /tmp. A file that is
 * replaced keeps its permissions. `how` is a sum of td_out_how. Does not wait for the reader of a named pipe;
 * writing does. NULL: see err. */
struct td_out_file *td_out_file_open(const char *path, unsigned how, struct td_err *err);
/* gave_up() is asked a few times a second while a pipe takes nothing; 1: TD_E_STOPPED. NULL: never. */
int td_out_file_write(struct td_out_file *file, const void *data, size_t bytes, int (*gave_up)(void *self),
                      void *self, struct td_err *err);
/* Puts the file in its place, on the disk. Once, after the last write. */
int td_out_file_commit(struct td_out_file *file, struct td_err *err);
/* Closes; what was not committed is gone. NULL is allowed. */
void td_out_file_close(struct td_out_file *file);
/* How messages name it. */
const char *td_out_file_name(const struct td_out_file *file);
/* 1: what is written stays written (a pipe, a device, standard output). */
int td_out_file_is_direct(const struct td_out_file *file);
#endif
