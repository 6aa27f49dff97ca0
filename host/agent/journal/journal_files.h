/* Source files in a journal: the records that name them, followed by records with their bytes.
 *
 * The records may be hostile. An object belongs to one thread at a time. */
#pragma once
#include "host/agent/journal/journal_room.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file of the collector's machine. */
struct td_journal_source {
    char *name; /* not ended by 0 */
    size_t name_bytes;
    uint8_t *text;
    size_t bytes, capacity;
    bool found;
};

/* In the order in which the collector looked for them. All 0: there are none. */
struct td_journal_files {
    struct td_journal_source *all;
    size_t count, capacity;
    struct td_journal_room *room; /* the caller's; NULL: no bound */
    bool skips;                   /* the last file had no room: its text is ignored */
};

void td_journal_files_free(struct td_journal_files *files);
/* `bytes` of a record: u8 found, then the name. 0 or TD_E_NOMEM. */
int td_journal_files_add(struct td_journal_files *files, const uint8_t *bytes, size_t count);
/* Adds bytes to the last file. 0 or TD_E_NOMEM. */
int td_journal_files_add_text(struct td_journal_files *files, const uint8_t *bytes, size_t count);
/* A copy of the file's text, which the caller frees; NULL: it was not found, or there is no memory. */
void *td_journal_files_read(const struct td_journal_files *files, const char *name, size_t name_bytes,
                            size_t *bytes);
