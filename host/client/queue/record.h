/* Reads one record of a queue by the table of kinds in records.h. Thread-safe: nothing has state. */
#pragma once
#include "host/client/queue/records.h"

#include <stdint.h>

/* A record as the consumer sees it; its pointers are valid until it is taken. */
struct td_rec {
    const uint64_t *word;
    int64_t time;                        /* ticks; INT64_MIN: none, it has the time of the record before it */
    const void *text;                    /* of kinds with a text; `bytes` long, without a NUL */
    const uint64_t *stack;               /* `frames` addresses */
    uint32_t kind, bytes, words, frames; /* words: its length */
};
/* An entry of the table of kinds; the members are the columns of records.h. */
struct td_record_info {
    const char *name;
    uint8_t words, ordered, tail, named;
};
enum { TD_REC_TAIL_NONE, TD_REC_TAIL_TEXT, TD_REC_TAIL_OWNED, TD_REC_TAIL_OWNED1 };
/* The parts of `named`: which word, and what is at the address in it. */
#define TD_REC_NAMED_WORD(named) ((named)&15u)
#define TD_REC_NAMED_WHAT(named) ((named) & ~15u)
enum {
    TD_REC_NAMED_NONE,
    TD_REC_NAMED_PLACE = 0x10,
    TD_REC_NAMED_PLACE1,
    TD_REC_NAMED_PLACE2,
    TD_REC_NAMED_TEXT = 0x20,
    TD_REC_NAMED_TEXT1,
    TD_REC_NAMED_TEXT2,
    TD_REC_NAMED_TEXT3,
    TD_REC_NAMED_TEXT4,
    TD_REC_NAMED_FIBER = 0x30,
    TD_REC_NAMED_FIBER2 = 0x32
};
extern const struct td_record_info td_record_infos[TD_REC_COUNT];

/* The whole time of a record from its word 0, which has the lower 56 bits. `begin`:
 * td_client_begin_ticks(). */
static inline int64_t td_rec_time(uint64_t word, uint64_t begin)
{
    return (int64_t)(begin + (uint64_t)((int64_t)((word & ~UINT64_C(0xff)) - (begin << 8)) >> 8));
}
/* Reads a record's words, which need not be in a queue. */
void td_rec_read(const uint64_t *word, struct td_rec *rec);
/* Frees the memory that the record owns: a long text, an image, a source location. */
void td_rec_free_owned(const struct td_rec *rec);
