/* Names that events refer to by address: source locations, literals, names of plots, frames, pools, fibers
 * and parameters. On the wire each is a number, its key, and the peer asks what the key means whenever it
 * likes, and never again. The key is the address, as long as that means one thing.
 *
 * A library that is unloaded leaves copies of its memory behind (unloaded.c) until all events of its time have
 * been sent. What a peer was told by address, or is told from then on, is kept beside the session (wire_keys.c): a
 * copy a name, however often its library comes back. When an address means something else later, because
 * another library has come to lie there, that gets a key of its own, above all addresses.
 *
 * Programs that unload nothing pay one look at td_unloaded_count for each record that is sent.
 */
#ifndef TD_HOST_CLIENT_ENCODE_WIRE_KEYS_H
#define TD_HOST_CLIENT_ENCODE_WIRE_KEYS_H
#include "host/client/encode/encoder.h"
#include "host/client/symbols/unloaded.h"
#include "host/wire/items.h"

#include <stdatomic.h>

/* ---- wire_keys.c. `kind` is TD_ANNOUNCED_SRCLOC, TD_ANNOUNCED_FIBER, or TD_ANNOUNCED_TEXT for all other texts, which have
 * one set of keys on the wire. */

uint64_t td_wire_key_slow(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t address,
                          const struct td_when *when);
/* The key for what the address meant then. */
static inline uint64_t td_wire_key(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t address,
                                   const struct td_when *when)
{
    if (__builtin_expect(!atomic_load_explicit(&td_unloaded_count, memory_order_relaxed), 1))
        return address;
    return td_unloaded_covers(address) ? td_wire_key_slow(encoder, kind, address, when) : address;
}
/* The record with the key in place of the address: itself, or *copy with its words in `words`. */
#define TD_WIRE_KEY_WORDS 8
const struct td_rec *td_record_with_wire_key(struct td_encoder *encoder, const struct td_rec *rec,
                                             struct td_rec *copy, uint64_t *words);

/* What keys mean. The caller has made sure that the peer was told them. 0: nothing is there any more. */
int td_wire_key_location(struct td_encoder *encoder, uint64_t key, struct td_wire_SourceLocation *location);
size_t td_wire_key_text(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t key, char *to,
                        size_t room);

uint32_t
td_wire_keys_settled(struct td_encoder *encoder); /* keeps what this peer was told; for td_unloaded_sweep() */
void td_wire_keys_destroy(struct td_wire_keys *keys);
#endif
