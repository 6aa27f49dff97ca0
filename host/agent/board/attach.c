#include "host/agent/board/attach.h"
#include "host/base/debug_log.h"
#include "host/device/board/attach.h"

#include <stdlib.h>
#include <string.h>

/* For a board that describes itself; the user's options must not contradict it. */
static int ask_board(const struct td_attach *a, struct td_transport *t, struct td_board *board,
                     struct td_err *err)
{
    int rc = td_board_of_transport(board, t, err);
    if (rc)
        return rc;
    if (a->grid)
        return td_fail(err, TD_E_USAGE, "the board at %s reports its own tiles (%ux%u); leave --grid out",
                       a->where, board->grid_width, board->grid_height);
    if (!a->board)
        return 0;
    struct td_board named;
    rc = td_board_load(&named, a->board, NULL, NULL, err);
    if (rc == 0 && strcmp(named.name, board->name) != 0)
        return td_fail(err, TD_E_USAGE, "the board at %s is %s, not %s", a->where, board->name, named.name);
    return rc;
}

int td_attach_open(const struct td_attach *a, struct td_transport **t, struct td_board *board, char **text,
                   struct td_err *err)
{
    char *own = NULL;
    if (text)
        *text = NULL;
    *t = (a->open ? a->open : td_transport_open)(a->where, a->wait_ms, err);
    if (!*t)
        return err && err->code ? err->code : TD_E_NOTFOUND;
    int rc;
    if ((*t)->ops->describe)
        rc = ask_board(a, *t, board, err);
    else if (!a->board && !(*t)->ops->identity)
        rc = td_fail(err, TD_E_USAGE,
                     "the board at %s does not report which board it is; name it with -b BOARD", a->where);
    else if ((rc = td_board_load_for(board, *t, a->board, a->grid, &own, err)) == 0)
        rc = td_board_attach(board, *t, err);
    td_debug(board, "%s at %s%s%s", rc ? "no board" : board->name, a->where, rc && err ? ": " : "",
             rc && err ? err->text : "");
    if (rc) {
        td_transport_close(*t);
        *t = NULL;
        free(own);
    } else if (text) {
        *text = own;
    } else {
        free(own);
    }
    return rc;
}
