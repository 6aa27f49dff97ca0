/* The keys by which events on the wire refer to names: source locations, literals, names of plots, frames,
 * pools, fibers and parameters. A peer may ask once for the meaning of a key, at any time. The key is the
 * address of the name, as long as the address means one thing. Used by the session's thread.
 *
 * When a library is unloaded, copies of its memory are kept until all events from before are sent
 * (unloaded.h). The names among them that were sent to the peer, or are sent later, are kept for the session:
 * one copy a name, however often the library is loaded again. If an address means something else later,
 * because another library was loaded there, that meaning gets a key of its own, above all addresses.
 *
 * In programs that unload nothing, this costs one read of td_unloaded_count for each record that is sent.
 */
#pragma once
#include "host/client/encode/encoder.h"
#include "host/client/symbols/unloaded.h"
#include "host/wire/releases.h"

#include <stdbool.h>
#include <stdatomic.h>

struct td_wire_SourceLocation;

/* `kind` is TD_ANNOUNCED_SRCLOC, TD_ANNOUNCED_FIBER, or TD_ANNOUNCED_TEXT for all other texts. */

uint64_t td_wire_key_slow(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t address,
                          const struct td_when *when);
/* The key for what the address meant at that time. */
static inline uint64_t td_wire_key(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t address,
                                   const struct td_when *when)
{
    if (__builtin_expect(!atomic_load_explicit(&td_unloaded_count, memory_order_relaxed), 1))
        return address;
    return td_unloaded_covers(address) ? td_wire_key_slow(encoder, kind, address, when) : address;
}
/* The record with the key in place of the address: `rec` itself if they are the same, else *copy, whose
 * words are in `words`. */
#define TD_WIRE_KEY_WORDS 8
const struct td_rec *td_record_with_wire_key(struct td_encoder *encoder, const struct td_rec *rec,
                                             struct td_rec *copy, uint64_t *words);

/* What a key means, for keys that were sent to the peer. 0 (of a text: no bytes): its memory is gone. */
bool td_wire_key_location(struct td_encoder *encoder, uint64_t key, struct td_wire_SourceLocation *location);
size_t td_wire_key_text(struct td_encoder *encoder, enum td_announced_kind kind, uint64_t key, char *to,
                        size_t room);

/* Settles all unloaded libraries: their names that the peer may ask for are kept here from now on. Returns
 * the number of libraries, for td_unloaded_sweep(). */
uint32_t td_wire_keys_settled(struct td_encoder *encoder);
void td_wire_keys_destroy(struct td_wire_keys *keys);
