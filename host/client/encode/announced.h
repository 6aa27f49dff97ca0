/* announced.c. Keys that the peer has been told, each with a number (0 at first). */
#ifndef TD_HOST_CLIENT_ENCODE_ANNOUNCED_H
#define TD_HOST_CLIENT_ENCODE_ANNOUNCED_H
#include <stddef.h>
#include <stdint.h>

struct td_announced;
enum td_announced_kind {
    TD_ANNOUNCED_TEXT,
    TD_ANNOUNCED_PLOT,       /* its name */
    TD_ANNOUNCED_FRAME_NAME, /* that of a frame set */
    TD_ANNOUNCED_THREAD,
    TD_ANNOUNCED_SRCLOC,
    TD_ANNOUNCED_LOCK,      /* its threads and how often it is held */
    TD_ANNOUNCED_LOCK_USER, /* lock << 32 | thread: it has waited for it or had it */
    TD_ANNOUNCED_POOL,
    TD_ANNOUNCED_FRAMES,    /* frame sets with starts: starts without their end */
    TD_ANNOUNCED_IMAGE,     /* frames of the main set that have an image */
    TD_ANNOUNCED_FIBER,     /* zones open in it */
    TD_ANNOUNCED_GPU_STACK, /* context << 32 | thread: zones open */
    TD_ANNOUNCED_CODE,      /* addresses of call stacks: their mapping */
    TD_ANNOUNCED_SYMBOL,    /* functions: their bytes and mapping (answer_code.c) */
    TD_ANNOUNCED_FILE       /* hashes of names of source files */
};
struct td_announced *td_announced_create(void);
void td_announced_destroy(struct td_announced *announced);
void td_announced_add(struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
int td_announced_has(const struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
/* The i-th key that was told and its kind; 0: there are not so many. */
int td_announced_at(const struct td_announced *announced, size_t i, enum td_announced_kind *kind,
                    uint64_t *key);
/* Its number, which the caller may change until the next call; NULL: not told. */
uint32_t *td_announced_value(struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
#endif
