/* Asks a card's management processor, through the transport's windows. What it does not report is left out: old
 * firmware reports less. */
#pragma once
#include "host/device/board/board.h"

struct td_arc_report {
    bool has_board, has_clock, has_columns, has_dram;
    uint64_t board; /* serial number */
    uint32_t clock_mhz, columns, dram,
        bundle; /* bundle: the firmware's release, a byte a part; 0: not reported */
};

/* TD_E_NOTFOUND: the description does not say where telemetry is. */
int td_arc_read(const struct td_board *board, struct td_transport *t, struct td_arc_report *report,
                struct td_err *err);
/* "p150a" ..., NULL: unknown. */
const char *td_arc_board_name(uint64_t serial_number);
/* Sends a message, whose low byte is `message`; *result: what it answers, may be NULL. TD_E_NOTFOUND: this board
 * takes none in this way. */
int td_arc_send(const struct td_board *board, struct td_transport *t, uint32_t message, uint32_t *result,
                struct td_err *err);
/* Lets the cores leave reset where they need the firmware for that. 0 if they do not. */
int td_arc_wake_cores(const struct td_board *board, struct td_transport *t, struct td_err *err);
