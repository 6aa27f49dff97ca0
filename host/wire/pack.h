/* Framing of the event stream: u32 count of packed bytes, one LZ4 block. All frames of a session share one
 * history of 64 KiB. An object belongs to one thread at a time. */
#pragma once
#include "host/base/err.h"
#include "proto/wire/items.h"
#include <stddef.h>
#include <stdint.h>

/* Sending side: collect items in the open frame, then pack it. */
struct td_packer;
struct td_packer *td_packer_create(void);         /* NULL: no memory */
void td_packer_destroy(struct td_packer *packer); /* NULL is allowed */
void td_packer_reset(struct td_packer *packer);   /* for a new session: empty frame, no history */
/* Where the caller writes the next items, at most td_packer_room() bytes; td_packer_add() then adds them to
 * the open frame. */
uint8_t *td_packer_at(struct td_packer *packer);
size_t td_packer_room(const struct td_packer *packer);
size_t td_packer_used(const struct td_packer *packer); /* bytes in the open frame */
void td_packer_add(struct td_packer *packer, size_t bytes);
/* Moves the open frame's bytes to `to`, which has room for TD_WIRE_FRAME_MAX, and returns their number. */
size_t td_packer_set_aside(struct td_packer *packer, uint8_t *to);
/* Packs the open frame and begins the next. Returns the number of bytes to send, 0 for an empty frame; *out
 * points to them until the next call. */
size_t td_packer_pack(struct td_packer *packer, const uint8_t **out);

/* Receiving side: bytes go in as they arrive, frames come out. Bytes may be hostile. */
struct td_unpacker;
struct td_unpacker *td_unpacker_create(void); /* NULL: no memory */
void td_unpacker_destroy(struct td_unpacker *unpacker);
/* Where the caller writes arriving bytes: sets *at and returns the room there, which is never 0 after
 * td_unpacker_next() returned 0. td_unpacker_fed() then adds the bytes. */
size_t td_unpacker_room(struct td_unpacker *unpacker, uint8_t **at);
void td_unpacker_fed(struct td_unpacker *unpacker, size_t bytes);
size_t td_unpacker_waiting(const struct td_unpacker *unpacker); /* bytes that are not yet frames */
/* The next whole frame: returns its size and points *frame to its bytes (valid until the next call). Returns
 * 0 when more bytes are needed, and TD_E_FORMAT for a count out of range or a block that does not decompress;
 * after that it always returns 0. */
int td_unpacker_next(struct td_unpacker *unpacker, const uint8_t **frame, struct td_err *err);
