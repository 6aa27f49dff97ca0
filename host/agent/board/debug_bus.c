#include "host/agent/board/debug_bus.h"
#include "host/transport/transport.h"

bool td_debug_bus_has_core(const struct td_board *board, uint32_t core)
{
    return board->debug_control && board->cores[core].pc_select;
}

/* The first core that the bus shows; core_count: none. */
static uint32_t first_core(const struct td_board *board)
{
    uint32_t core = 0;
    while (core < board->core_count && !td_debug_bus_has_core(board, core))
        core++;
    return core;
}

bool td_debug_bus_has_any(const struct td_board *board)
{
    return first_core(board) < board->core_count;
}

static int select_signal(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                         uint32_t select, struct td_err *err)
{
    return t->ops->write(t, at, board->debug_control, &select, sizeof select, err);
}

int td_debug_bus_switch(struct td_transport *t, const struct td_board *board, struct td_tile_at at, bool on,
                        struct td_err *err)
{
    const uint32_t core = first_core(board);
    return select_signal(t, board, at, on && core < board->core_count ? board->cores[core].pc_select : 0,
                         err);
}

int td_debug_bus_read_state(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                            struct td_err *err)
{
    uint32_t select = 0;
    const int rc = t->ops->read(t, at, board->debug_control, &select, sizeof select, err);
    return rc ? rc : select != 0;
}

int td_debug_bus_read_pc(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                         uint32_t core, uint32_t *pc, struct td_err *err)
{
    int rc = select_signal(t, board, at, board->cores[core].pc_select, err);
    rc = rc ? rc : t->ops->read(t, at, board->debug_data, pc, sizeof *pc, err);
    *pc &= board->debug_pc_mask;
    return rc;
}
