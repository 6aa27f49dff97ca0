/* Copies of the memory of libraries that the program unloaded. Events name source locations and texts by
 * address, so a copy is kept until all events from before the unloading are sent (wire_keys.h).
 * tendril/library.h calls td_client_library_unloads() when a library is unloaded.
 *
 * Unless a comment says otherwise, the caller holds TD_FORK_LOCK_UNLOADED. No thread holds it while it
 * waits for the loader or for a peer. */
#pragma once
#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Any thread, without the lock. */
extern atomic_uint td_unloaded_count;      /* unloadings so far; 0: nothing of this module is needed */
bool td_unloaded_covers(uint64_t address); /* 0: the address was in no unloaded library */

struct td_unloaded;
/* When a record was written: its time, or the number of an ordered record whose time the program gave. */
struct td_when {
    int64_t time;
    uint32_t number;
    int by_number;
};
#define TD_NOW (&(const struct td_when){.time = INT64_MAX})
/* The library that the address belonged to at that time; NULL: to what is mapped there now. The result is
 * the same for all times after *from up to *to. */
const struct td_unloaded *td_unloaded_at(uint64_t address, const struct td_when *when, int64_t *from,
                                         int64_t *to);
/* The next library unloaded after the `serial`-th and after `before`, oldest first; NULL: no more. *when:
 * just before it was unloaded. */
const struct td_unloaded *td_unloaded_after(uint32_t serial, const struct td_unloaded *before,
                                            struct td_when *when);
bool td_unloaded_has(const struct td_unloaded *library, uint64_t address);
/* Read the library's memory as td_safe_copy() and td_safe_copy_text() do. */
bool td_unloaded_read(const struct td_unloaded *library, uint64_t address, void *to, size_t bytes);
size_t td_unloaded_text(const struct td_unloaded *library, uint64_t address, char *to, size_t room);

/* ---- These take the lock themselves. ---- */

/* Frees copies that no event can refer to any more. All records up to `time` have been taken (INT64_MAX:
 * there are none), and the session has settled all libraries up to the `serial`-th
 * (td_wire_keys_settled()). */
void td_unloaded_sweep(int64_t time, uint32_t serial);
void td_unloaded_process_exits(void);  /* the process ends: libraries are not unmapped any more */
bool td_unloaded_any_kept(void);       /* whether any copy is kept */
unsigned td_unloaded_lost_count(void); /* libraries whose memory could not be kept */

void td_unloaded_forked(void); /* in the child of fork(), under the lock: frees all copies */
