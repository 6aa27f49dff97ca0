/* A transport that goes wrong on command: the simulator's, with the faults of hardware. */
#pragma once
#include "host/transport/transport.h"

enum fault {
    FAULT_NONE,
    FAULT_ONES,    /* reads give ones, writes go nowhere: a card that is not on its bus any more */
    FAULT_TIMEOUT, /* every access takes a while, and fails */
    FAULT_WRITE,   /* writes fail */
    FAULT_READ,    /* reads fail */
    FAULT_GONE     /* every access says so */
};

/* What the next opened ones do as soon as the file `trigger` is there. Only in this process. */
void faulty_plan(enum fault fault, const char *trigger);
/* As td_transport_open(), for simulated boards. Has no map, and reports that no process cleans up. */
struct td_transport *faulty_open(const char *where, int wait_ms, struct td_err *err);
