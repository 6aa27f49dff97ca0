/* Source locations of the zones of tt-metal's streaming device profiler: the ELFs of its kernels name them. Kernels are
 * compiled and loaded while the program runs: their folder is looked through again for an id that is not known. */
#pragma once
#include "host/agent/board/board_tap.h"
#include "host/event/dict.h"
#include "host/tt/tt_text.h"

struct td_tt_ring_names;
/* folder: with the ELFs, also in folders below it; NULL: where tt-metal puts them, by the environment; "": nowhere. tap:
 * gets lines that name zones; may be NULL. NULL: no memory. */
struct td_tt_ring_names *td_tt_ring_names_create(struct td_dict *dict, const char *folder,
                                                 const struct td_board_tap *tap);
void td_tt_ring_names_destroy(struct td_tt_ring_names *names);
/* Takes a line that a tap got. 0 or TD_E_NOMEM. */
int td_tt_ring_names_add(struct td_tt_ring_names *names, struct td_tt_text line);
/* Of a zone with this id. UINT32_MAX: no memory. */
uint32_t td_tt_ring_names_srcloc(struct td_tt_ring_names *names, uint32_t id);
/* Ids without a name. */
uint32_t td_tt_ring_names_unknown(const struct td_tt_ring_names *names);
