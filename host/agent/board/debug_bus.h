/* Program counters of running cores, read from outside: a tile's debug bus shows one core at a time. A board whose
 * description has no [debug_bus] has none that is known.
 *
 * What returns int returns 0 or a negative enum td_e. */
#pragma once
#include "host/device/board/board.h"

#include <stdbool.h>

bool td_debug_bus_has_core(const struct td_board *board, uint32_t core);
/* Whether it shows any core. */
bool td_debug_bus_has_any(const struct td_board *board);
/* A core is shown only some ticks after its tile's bus was switched on. */
int td_debug_bus_switch(struct td_transport *t, const struct td_board *board, struct td_tile_at at, bool on,
                        struct td_err *err);
/* 1: a program has switched it on; 0: it is off. */
int td_debug_bus_read_state(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                            struct td_err *err);
int td_debug_bus_read_pc(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                         uint32_t core, uint32_t *pc, struct td_err *err);
