/* Looks for cores that stopped by a fault while a recording runs; the end of the recording finds them anyway. */
#pragma once
#include "host/agent/board/board_source.h"

#include <stdbool.h>

struct td_fault_watch { /* all zero at first */
    uint32_t next;      /* the lane to look at next */
    bool found;
    uint32_t lane; /* where */
};

/* Reads the state of some of the board's cores, others than in the last call. 1: the board's first fault was
 * found, and `line` says where; 0: none, or it was found before; or a negative enum td_e. */
int td_fault_watch_look(struct td_fault_watch *watch, struct td_board_source *source, char *line,
                        size_t bytes, struct td_err *err);
/* Writes the line about a core that stopped by a fault. False: the board has no such lane. */
bool td_fault_watch_put(const struct td_board_source *source, uint32_t lane, char *line, size_t bytes);
