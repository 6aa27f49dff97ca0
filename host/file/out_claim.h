/* Claims: of the processes that want to make one new file, one may go on.
 *
 * Each has its unfinished file beside the target, under a random name, TARGET.XXXXXXXX.part, and a lock
 * (flock()) on it, which ends with the process however it ends. A process looks for such files and makes
 * its own under a lock on the folder. Files of other users do not count, nor do those without a lock. */
#ifndef TD_HOST_FILE_OUT_CLAIM_H
#define TD_HOST_FILE_OUT_CLAIM_H

/* Opens the folder and locks it if that can be. -1: it cannot be read. */
int td_out_claim_begin(const char *folder);
/* 1: another process holds an unfinished file of that name. Removes empty ones that no process holds. */
int td_out_claim_is_taken(int folder, const char *target);
/* -1 is allowed. */
void td_out_claim_end(int folder);
#define TD_OUT_LETTERS 8
/* Random letters for a name that no other process can predict. 0, or -1: the system gives none. */
int td_out_claim_letters(char letters[TD_OUT_LETTERS + 1]);
/* A new name for an unfinished file; free() it. NULL: no memory, or no letters. */
char *td_out_claim_name(const char *target);
#endif
