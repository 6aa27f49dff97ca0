/* Source locations of tt-metal's zones. Those of its own device profiler have 16-bit ids, whose names are in the
 * compiler's lines in zone_src_locations.log. The file grows while kernels are compiled: it is read again for an id that is not known. */
#pragma once
#include "host/agent/board/board_tap.h"
#include "host/event/dict.h"
#include "host/tt/zone_hash.h"

/* Of a zone whose name is known; zones that wait, by their names, are marked so. UINT32_MAX: no memory. */
uint32_t td_tt_zone_srcloc(struct td_dict *dict, const struct td_tt_zone_source *zone);

struct td_tt_zone_names;
/* place: the file, or a folder that has it, also in its folder .logs; NULL: where tt-metal writes it, by the
 * environment; "": nowhere. A file that is not there yet is no error. tap: gets the lines that name zones; may be NULL.
 * NULL: no memory. */
struct td_tt_zone_names *td_tt_zone_names_create(struct td_dict *dict, const char *place,
                                                 const struct td_board_tap *tap);
void td_tt_zone_names_destroy(struct td_tt_zone_names *names);
/* Takes a line of the file. 0 or TD_E_NOMEM. */
int td_tt_zone_names_add(struct td_tt_zone_names *names, struct td_tt_text line);
/* Of a zone with this id. UINT32_MAX: no memory. */
uint32_t td_tt_zone_names_srcloc(struct td_tt_zone_names *names, uint16_t id);
/* Ids without a name. */
uint32_t td_tt_zone_names_unknown(const struct td_tt_zone_names *names);
