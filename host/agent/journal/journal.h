/* Journal: a file that holds what a recording has received so far, so that the recording can be recovered if
 * its process is killed or the machine stops (`tendril recover`).
 *
 *   create; put ... ; flush when the recording has ended; the trace is written; destroy, which removes it
 *
 * put copies the record into a bounded buffer. Two threads of the journal's own write it within about 0.1 s
 * and sync the file at least once a second. A journal never ends a recording: if its disk is full, or slower
 * than the recording for more than TD_JOURNAL_WAIT_MS, the journal fails. Then put does nothing, and
 * td_journal_trouble() gives the reason once.
 *
 * Layout: journal_layout.h. Files and names: journal_file.h. All functions but create and destroy may be
 * called from any thread. */
#pragma once
#include "host/agent/journal/journal_layout.h"
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define TD_JOURNAL_WAIT_MS 2000 /* that put waits at most for room in the buffer */

struct td_journal;
/* The journal of the trace `output`; journal_file.h chooses its name. NULL: *err says why. */
struct td_journal *td_journal_create(const char *output, struct td_err *err);
/* A journal that goes to another machine: fd is a connected, blocking socket, which stays the caller's; `name`
 * is for messages. Nothing is synced, put and flush wait for the peer without limit, and the journal fails when
 * the connection does. After shutdown(fd) no call waits any longer. */
struct td_journal *td_journal_create_stream(int fd, const char *name, struct td_err *err);
/* Ends the threads, closes the file, and removes it unless `keep`. NULL is allowed. */
void td_journal_destroy(struct td_journal *journal, bool keep);
/* The name of its file. */
const char *td_journal_path(const struct td_journal *journal);
/* A number for a source that is not used in this journal yet. */
uint16_t td_journal_new_source(struct td_journal *journal);
/* Adds a record of `head` and `bytes`, together at most TD_JOURNAL_RECORD_MAX. `journal` may be NULL. */
void td_journal_put(struct td_journal *journal, enum td_journal_kind kind, uint16_t source, const void *head,
                    size_t head_bytes, const void *bytes, size_t count);
/* Adds bytes of any number, in as many records of this kind as they need. */
void td_journal_put_bytes(struct td_journal *journal, enum td_journal_kind kind, uint16_t source,
                          const void *bytes, size_t count);
/* A record of the kind SETTING, as printf() writes its value. */
void td_journal_put_setting(struct td_journal *journal, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Waits until everything is written and synced, for at most 10 s. */
void td_journal_flush(struct td_journal *journal);
/* True, once: the journal has failed. Fills a line for the user. */
bool td_journal_trouble(struct td_journal *journal, char *line, size_t bytes);
bool td_journal_has_failed(const struct td_journal *journal);
/* A program has connected, or a core has written. */
bool td_journal_has_data(const struct td_journal *journal);
