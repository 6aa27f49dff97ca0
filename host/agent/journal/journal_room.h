/* Room for what journals and agents on other machines bring, and what is kept whole until the end: kernels' ELFs,
 * source files. A journal packs zeros 200 times smaller than they are, so the bytes that arrive are no bound. Not
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_JOURNAL_ONE_MOST (UINT64_C(64) << 20) /* bytes of one file */
#define TD_JOURNAL_ALL_MOST                                                                                  \
    (UINT64_C(512) << 20) /* of all files of a kind, if the memory limit allows them */

struct td_journal_room {
    const char *what;  /* for messages: "source files" */
    uint64_t most;     /* bytes of all together */
    uint64_t used;     /* in pages, one more for each file */
    unsigned left_out; /* files that had no room */
};

/* An eighth of the memory limit (0: none), at most TD_JOURNAL_ALL_MOST. */
struct td_journal_room td_journal_room_within(const char *what, uint64_t memory_bytes);
/* Room for a new file. False: there is none, and the file is counted as left out. */
bool td_journal_room_begin(struct td_journal_room *room);
/* The file grows from `bytes` by `more`. False: there is no room; the file is to be removed, and its room is
 * given back. */
bool td_journal_room_grow(struct td_journal_room *room, uint64_t bytes, uint64_t more);
/* A file of so many bytes could not be kept. */
void td_journal_room_leave_out(struct td_journal_room *room, uint64_t bytes);
/* Fills a line about what was left out; "": nothing was. */
void td_journal_room_tell(const struct td_journal_room *room, char *line, size_t bytes);
