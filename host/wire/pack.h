/* Framing of the event stream: u32 count of packed bytes, one LZ4 block. All frames of a session share one
 * history of 64 KiB. An object belongs to one thread at a time.
 */
#ifndef TD_HOST_WIRE_PACK_H
#define TD_HOST_WIRE_PACK_H
#include "host/base/err.h"
#include "proto/wire/items.h"
#include <stddef.h>
#include <stdint.h>

/* Sending side: collect items in the open frame, then pack it. */
struct td_packer;
struct td_packer *td_packer_create(void);         /* NULL: no memory */
void td_packer_destroy(struct td_packer *packer); /* NULL is allowed */
void td_packer_reset(struct td_packer *packer);   /* for a new session: empty frame, no history */
/* Where the next bytes go. The caller may write up to td_packer_room() bytes there and then says how many
 * they were. */
uint8_t *td_packer_at(struct td_packer *packer);
size_t td_packer_room(const struct td_packer *packer);
size_t td_packer_used(const struct td_packer *packer); /* bytes in the open frame */
void td_packer_add(struct td_packer *packer, size_t bytes);
/* Moves the open frame's bytes to `to`, which has room for TD_WIRE_FRAME_MAX; returns how many. */
size_t td_packer_set_aside(struct td_packer *packer, uint8_t *to);
/* Packs the open frame and begins the next. *out stays valid until the next call. Returns the bytes to send,
 * 0 when the frame was empty. */
size_t td_packer_pack(struct td_packer *packer, const uint8_t **out);

/* Receiving side: feed what arrives, take frames. Bytes may be hostile. */
struct td_unpacker;
struct td_unpacker *td_unpacker_create(void); /* NULL: no memory */
void td_unpacker_destroy(struct td_unpacker *unpacker);
/* Where arriving bytes go: writes the address to *at and returns the room (never 0 after td_unpacker_next()
 * said 0). */
size_t td_unpacker_room(struct td_unpacker *unpacker, uint8_t **at);
void td_unpacker_fed(struct td_unpacker *unpacker, size_t bytes);
size_t td_unpacker_waiting(const struct td_unpacker *unpacker); /* bytes fed and not yet taken as frames */
/* Takes the next whole frame: returns its size and its bytes in *frame (valid until the next call), 0 when
 * more bytes are needed, TD_E_FORMAT for a count out of range or a block that does not decompress; then
 * nothing more comes. */
int td_unpacker_next(struct td_unpacker *unpacker, const uint8_t **frame, struct td_err *err);
#endif
