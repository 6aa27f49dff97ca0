/* Attaches to a board that runs already, at any transport. Not thread-safe. */
#pragma once
#include "host/device/board/board.h"

typedef struct td_transport *td_open_transport(const char *where, int wait_ms, struct td_err *err);

struct td_attach {
    const char *where;       /* as for td_transport_open() */
    const char *board;       /* name or description file; may be NULL if the board describes itself */
    const char *grid;        /* "WxH" or NULL; must be NULL if the board describes itself */
    int wait_ms;             /* for the board to appear */
    td_open_transport *open; /* NULL: td_transport_open */
};

/* Fills *t, which the caller closes, and *board. If text is not NULL, *text is the description of a board
 * that does not describe itself, else NULL; the caller frees it. 0 or a negative enum td_e. */
int td_attach_open(const struct td_attach *attach, struct td_transport **t, struct td_board *board,
                   char **text, struct td_err *err);
