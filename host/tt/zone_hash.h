/* The 16-bit ids of zones (timer ids), and the compiler's lines from which they are made. */
#pragma once
#include "host/tt/tt_text.h"

struct td_tt_zone_source {
    struct td_tt_text name, file;
    uint32_t line;
};
/* The id of "name,file,line,KERNEL_PROFILER". */
uint16_t td_tt_zone_hash(const struct td_tt_zone_source *source);
/* Reads a line of zone_src_locations.log: the text after "#pragma message: ", or from the line's begin.
 * False: the line has another form. */
bool td_tt_zone_source_read(struct td_tt_text line, struct td_tt_zone_source *source);
/* Writes such a line, with a newline, as gcc prints it. Returns what snprintf() returns. */
int td_tt_zone_source_text(char *text, size_t room, const struct td_tt_zone_source *source);
