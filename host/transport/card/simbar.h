/* A simulated board through its BAR (proto/sim/bar.h), which is mapped into this process: the simulator's
 * file (shm.h), or the BAR of a PCI device that is this file on another machine. */
#pragma once
#include "host/transport/transport.h"
#include "proto/sim/bar.h"

#include <stdbool.h>

struct td_simbar_config {
    void *map; /* the whole BAR, aligned to pages */
    uint64_t bytes;
    const char *name; /* of the transport: "shm", "pci" */
    const char *path; /* for messages; must outlive the transport */
    int far; /* the simulator runs under another kernel: futexes do not reach it, process numbers differ */
    bool (*ended)(void *self); /* the simulator has ended; NULL: only its heartbeat shows it */
    void (*close)(void *self); /* called once, also when opening fails */
    void *self;
};
struct td_transport *td_simbar_open(const struct td_simbar_config *config, struct td_err *err);
struct td_bar_header *td_simbar_header(struct td_transport *t);
/* This process's number as the header's fields want it. */
uint32_t td_simbar_process(const struct td_transport *t);
