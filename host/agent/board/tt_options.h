/* Where the buffers of tt-metal's own device profiler are, and the names of its zones. */
#ifndef TD_HOST_AGENT_BOARD_TT_OPTIONS_H
#define TD_HOST_AGENT_BOARD_TT_OPTIONS_H
struct td_tt_buffers_options {
    const char *place; /* "auto", or the address of the control words, or "ADDRESS,LAYOUT" (2025 ...) */
    const char *zones; /* of td_tt_zone_names_create() */
};
#endif
