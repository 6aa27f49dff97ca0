/* Claims: if several processes want to make the same new file, only one of them gets to write it.
 *
 * The process that writes has an unfinished file in the target's folder, under a random name,
 * TARGET.XXXXXXXX.part, and a lock (flock()) on it, which ends with the process. Under a lock on the folder,
 * a process first searches for such files of others and then makes its own. Files of other users and files
 * without a lock do not count. */
#pragma once
#include <stdbool.h>

/* Opens the folder and locks it if the file system can. Returns a descriptor; TD_E_IO: it cannot be read. */
int td_out_claim_begin(const char *folder);
/* Another process holds an unfinished file for `target`. Removes empty ones that no process holds. */
bool td_out_claim_is_taken(int folder, const char *target);
/* Closes the folder, which ends its lock. A negative `folder` is allowed. */
void td_out_claim_end(int folder);
#define TD_OUT_LETTERS 8
/* Random letters for a name that no other process can predict. Returns 0; TD_E_IO: no random numbers. */
int td_out_claim_letters(char letters[TD_OUT_LETTERS + 1]);
/* A new name for an unfinished file; the caller frees it. NULL: no memory, or no random numbers. */
char *td_out_claim_name(const char *target);
