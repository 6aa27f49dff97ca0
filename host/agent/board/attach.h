/* Attaching to a board that runs already, wherever it is. */
#ifndef TD_HOST_AGENT_BOARD_ATTACH_H
#define TD_HOST_AGENT_BOARD_ATTACH_H
#include "host/device/board/board.h"

typedef struct td_transport *td_open_transport(const char *where, int wait_ms, struct td_err *err);

struct td_attach {
    const char *where;       /* as in td_transport_open() */
    const char *board;       /* name or description file; may be NULL where the board tells it itself */
    const char *grid;        /* "WxH" or NULL; only where it does not */
    int wait_ms;             /* for the board to appear */
    td_open_transport *open; /* NULL: td_transport_open */
};

/* Fills *t (the caller closes it) and *board. *text, if not NULL: the description where the board does not
 * tell it, else NULL; the caller frees it. */
int td_attach_open(const struct td_attach *attach, struct td_transport **t, struct td_board *board,
                   char **text, struct td_err *err);
#endif
