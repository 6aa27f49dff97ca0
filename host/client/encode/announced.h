/* The set of keys that were sent to a peer: addresses of names, thread ids and so on. Each key has a kind
 * and a number, 0 at first, for its user. A peer may ask only about keys in the set. For one thread, the
 * session's. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_announced;
enum td_announced_kind {
    TD_ANNOUNCED_TEXT,
    TD_ANNOUNCED_PLOT,       /* address of its name */
    TD_ANNOUNCED_FRAME_NAME, /* address of a frame set's name */
    TD_ANNOUNCED_THREAD,
    TD_ANNOUNCED_SRCLOC,
    TD_ANNOUNCED_LOCK,      /* number: its threads, and how often it is held */
    TD_ANNOUNCED_LOCK_USER, /* lock << 32 | thread that has waited for it or held it */
    TD_ANNOUNCED_POOL,
    TD_ANNOUNCED_FRAMES,    /* frame set; number: 1 after a start */
    TD_ANNOUNCED_IMAGE,     /* frame of the main set with an image */
    TD_ANNOUNCED_FIBER,     /* number: open zones */
    TD_ANNOUNCED_GPU_STACK, /* context << 32 | thread; number: open zones */
    TD_ANNOUNCED_CODE,      /* address of a call stack; number: its mapping */
    TD_ANNOUNCED_SYMBOL,    /* function; number: its bytes and mapping (answer_code.c) */
    TD_ANNOUNCED_FILE       /* hash of a source file's name */
};
struct td_announced *td_announced_create(void); /* NULL: no memory */
void td_announced_destroy(struct td_announced *announced);
/* Adds the key unless the set has it. Without memory it does nothing: a peer gets no answer about that
 * key. */
void td_announced_add(struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
bool td_announced_has(const struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
/* 1: *kind and *key are the i-th key in the order of adding; 0: the set has fewer. */
bool td_announced_at(const struct td_announced *announced, size_t i, enum td_announced_kind *kind,
                     uint64_t *key);
/* The key's number, which the caller may change until the next td_announced_add(); NULL: not in the set. */
uint32_t *td_announced_value(struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
