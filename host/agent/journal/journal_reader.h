/* Reads a journal: bytes go in, in any pieces; records come out, in their order.
 *
 *   create; feed all bytes; close; read the state; destroy
 *
 * A recorder that was killed leaves an incomplete block at the end: the reader stops before it and counts its
 * bytes. If whole blocks follow, the journal is damaged in the middle: the reader stops before the damage.
 *
 * Does no I/O. Bytes may be hostile. An object belongs to one thread at a time. */
#pragma once
#include "host/agent/journal/journal_layout.h"
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* `bytes` are valid during the call, and not aligned. Any result but 0 stops the reader, and is returned. */
typedef int td_journal_visit(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                             size_t count, struct td_err *err);

struct td_journal_state {
    int64_t begin_ns, last_ns; /* wall time of the journal's begin and of the last whole block */
    uint64_t whole_bytes;      /* up to the end of the last whole block */
    uint64_t torn_bytes;       /* after it */
    bool damaged;              /* of these bytes some are whole blocks */
};

struct td_journal_reader;
struct td_journal_reader *td_journal_reader_create(td_journal_visit *visit, void *self); /* NULL: no memory */
void td_journal_reader_destroy(struct td_journal_reader *reader);                        /* NULL is allowed */
/* 0; TD_E_FORMAT: this is no journal; TD_E_VERSION: of another release; TD_E_NOMEM; or what visit()
 * returned. */
int td_journal_reader_feed(struct td_journal_reader *reader, const uint8_t *bytes, size_t count,
                           struct td_err *err);
/* Ends the bytes. TD_E_FORMAT: there is not even a whole head. */
int td_journal_reader_close(struct td_journal_reader *reader, struct td_err *err);
const struct td_journal_state *td_journal_reader_state(const struct td_journal_reader *reader);
