/* `tendril record` as a child process whose recording the viewer shows while it runs. */
#pragma once
#include "host/agent/child.h"

struct td_live_record {
    struct td_child child;
    int port, port_fd; /* where the recorder serves what it records */
};

/* Starts `tendril record ARGS`; args ends with NULL. 0 or a negative enum td_e. */
int td_live_record_start(struct td_live_record *record, char *const *args, struct td_err *err);
/* Asks the recorder to end, and waits until it has saved. Returns its exit code. */
int td_live_record_end(struct td_live_record *record);
