#include "host/agent/client/client_ahead.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES ((size_t)256 << 10)

struct td_ahead_piece {
    struct td_ahead_piece *next;
    size_t begin, end;
    uint8_t data[PIECE_BYTES];
};

uint8_t *td_client_ahead_room(struct td_client_ahead *ahead, size_t *room)
{
    struct td_ahead_piece *last = ahead->last;
    if (!last || last->end == PIECE_BYTES) {
        struct td_ahead_piece *fresh =
            ahead->bytes < TD_CLIENT_AHEAD_BYTES ? malloc(sizeof *fresh) : NULL; /* not cleared */
        if (!fresh)
            return NULL;
        fresh->next = NULL;
        fresh->begin = fresh->end = 0;
        if (last)
            last->next = fresh;
        else
            ahead->first = fresh;
        ahead->last = last = fresh;
    }
    *room = PIECE_BYTES - last->end;
    return last->data + last->end;
}

void td_client_ahead_fed(struct td_client_ahead *ahead, size_t bytes)
{
    ahead->last->end += bytes;
    ahead->bytes += bytes;
}

size_t td_client_ahead_take(struct td_client_ahead *ahead, uint8_t *to, size_t most)
{
    size_t taken = 0;
    while (ahead->first && taken < most) {
        struct td_ahead_piece *piece = ahead->first;
        const size_t left = piece->end - piece->begin, n = left < most - taken ? left : most - taken;
        memcpy(to + taken, piece->data + piece->begin, n);
        piece->begin += n;
        taken += n;
        if (piece->begin < piece->end)
            break;
        ahead->first = piece->next;
        ahead->last = piece->next ? ahead->last : NULL;
        free(piece);
    }
    ahead->bytes -= taken;
    return taken;
}

void td_client_ahead_free(struct td_client_ahead *ahead)
{
    while (ahead->first) {
        struct td_ahead_piece *piece = ahead->first;
        ahead->first = piece->next;
        free(piece);
    }
    *ahead = (struct td_client_ahead){0};
}
