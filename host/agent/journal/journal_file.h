/* The files of journals: names, locks, left-overs.
 *
 * The journal of FILE is FILE.journal, next to it; if that exists, FILE.2.journal, FILE.3.journal ... A
 * journal is never overwritten. Its process holds a lock on it, which the system drops when the process ends,
 * killed or not. A journal without a lock is left over from a recording that was killed.
 *
 * Thread-safe. A process must not open its own journal a second time: closing that would drop the lock. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TD_JOURNAL_SUFFIX   ".journal"
#define TD_JOURNAL_NAMES    32   /* of journals of one file */
#define TD_JOURNAL_PATH_MAX 4200 /* of a journal's path, with its end */

/* Creates the journal of `output`, which only its owner may read, and locks it. Fills `path`. Returns the
 * descriptor, or a negative enum td_e. */
int td_journal_file_create(const char *output, char path[TD_JOURNAL_PATH_MAX], struct td_err *err);
/* Removes the file if `path` still names it. Closes nothing. */
void td_journal_file_remove(int fd, const char *path);
/* Finds journals of `output` that no process writes: calls visit() for each. Returns how many there are. */
size_t td_journal_file_left(const char *output, void (*visit)(void *self, const char *path), void *self);
/* Opens a journal for reading, and locks it, so that only one process recovers it. Returns the descriptor;
 * TD_E_NOTFOUND: no such file; TD_E_EXISTS: a process is writing it or recovers it; TD_E_IO. */
int td_journal_file_open(const char *path, struct td_err *err);
/* The name ends as a journal's does. */
bool td_journal_file_is_name(const char *path);
