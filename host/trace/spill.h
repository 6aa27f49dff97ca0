/* The temporary file of a store. Its segments are mapped shared, so that the system may write them out and
 * reuse their memory. When the resident pages exceed the budget, they are dropped from memory: passes over
 * the data report the bytes they read, and a thread polls how much of the process's mapped files is resident.
 * Used by the store only. Thread-safe after td_spill_create(). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_spill;

/* `resident_bytes`: the budget, how much of the file may stay in memory. The file is in the first of `folder`,
 * $TMPDIR and /var/tmp that is on a disk and can be written, else in the first that can be written; with `folder`
 * NULL in $TMPDIR, else in /var/tmp. On failure returns NULL and writes a line to `problem`. */
struct td_spill *td_spill_create(uint64_t resident_bytes, const char *folder, char *problem,
                                 size_t problem_bytes);
void td_spill_destroy(struct td_spill *spill); /* NULL is allowed */
/* A new segment of at least `least` bytes, all zero, for which disk space is reserved; *bytes gets its size, which
 * is what is suitable if *bytes is 0 before, and else hardly more than `least`.
 * On failure returns NULL and writes a line to `problem`. */
void *td_spill_segment(struct td_spill *spill, size_t least, size_t *bytes, char *problem,
                       size_t problem_bytes);
/* Moves whole pages of memory, which nothing writes meanwhile, to the file. Readers use them meanwhile. 0, or
 * TD_E_IO with a line in `problem`: they are still in memory. */
int td_spill_replace(struct td_spill *spill, void *at, size_t bytes, char *problem, size_t problem_bytes);
/* Drops all resident pages from memory; their content stays in the file. From any thread. */
void td_spill_trim(struct td_spill *spill);
/* Reports that a pass read `bytes` of the file. From any thread. */
void td_spill_touch(struct td_spill *spill, size_t bytes);
/* Size of the file; 0 for NULL. */
uint64_t td_spill_bytes(const struct td_spill *spill);
/* Whether the file is in memory (tmpfs), not on a disk. */
bool td_spill_is_in_memory(const struct td_spill *spill);
/* Bytes that are free for this user on the disk that has the file. UINT64_MAX: not known. */
uint64_t td_spill_free_bytes(const struct td_spill *spill);
/* The folder that the file is in. */
const char *td_spill_folder(const struct td_spill *spill);
