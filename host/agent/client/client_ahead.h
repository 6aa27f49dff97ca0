/* Bytes of a session that have arrived and are not decoded yet. A program may send faster than this process makes
 * a trace of it: what it has sent is taken nevertheless, and is in the journal, up to a limit. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define TD_CLIENT_AHEAD_BYTES ((size_t)32 << 20) /* packed; some seconds of decoding */

struct td_client_ahead { /* all zero at first */
    struct td_ahead_piece *first, *last;
    size_t bytes;
};
/* Where the next bytes go; *room: how many. NULL: the limit is reached, or there is no memory. */
uint8_t *td_client_ahead_room(struct td_client_ahead *ahead, size_t *room);
void td_client_ahead_fed(struct td_client_ahead *ahead, size_t bytes);
/* Moves the oldest bytes, at most `most`, to `to`. Returns their number. */
size_t td_client_ahead_take(struct td_client_ahead *ahead, uint8_t *to, size_t most);
void td_client_ahead_free(struct td_client_ahead *ahead);
