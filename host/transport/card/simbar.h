/* A simulated board behind its BAR (proto/sim/bar.h), however that got into this process's memory: a file
 * (shm.h), or a PCI device's BAR that is that file on another machine. */
#ifndef TD_HOST_TRANSPORT_CARD_SIMBAR_H
#define TD_HOST_TRANSPORT_CARD_SIMBAR_H
#include "host/transport/transport.h"
#include "proto/sim/bar.h"

struct td_simbar_config {
    void *map; /* the whole BAR, aligned to pages */
    uint64_t bytes;
    const char *name; /* of the transport: "shm", "pci" */
    const char *path; /* for messages; must outlive the transport */
    int far; /* the simulator runs under another kernel: no futex reaches it, process numbers mean nothing */
    int (*ended)(void *self);  /* 1: the simulator is known to have ended; NULL: only its heartbeat tells */
    void (*close)(void *self); /* called once, also when opening fails */
    void *self;
};
struct td_transport *td_simbar_open(const struct td_simbar_config *config, struct td_err *err);
struct td_bar_header *td_simbar_header(struct td_transport *t);
/* What this process writes where the header wants a process. */
uint32_t td_simbar_process(const struct td_transport *t);
#endif
