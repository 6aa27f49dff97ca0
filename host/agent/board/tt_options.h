/* Where the buffers of tt-metal's own device profiler are, and the names of its zones. */
#pragma once
struct td_tt_buffers_options {
    const char *place; /* "auto", or the address of the control words, or "ADDRESS,LAYOUT" (2025 ...) */
    const char *zones; /* of td_tt_zone_names_create() */
};
