/* The energy that the machine's processors report (Linux powercap, Intel RAPL), as plots of power. Used by the
 * session's thread. */
#pragma once
#include "host/client/encode/encoder.h"

#define TD_POWER_DOMAINS 32
struct td_power_domain {
    char name[96];             /* "package-0:core" */
    int fd;                    /* energy_uj */
    uint64_t last_uj, most_uj; /* most_uj: where the counter starts again */
};
/* All zero at first. */
struct td_power {
    struct td_power_domain domains[TD_POWER_DOMAINS];
    unsigned count;
    bool looked;
    int64_t next_ms;
};
/* Sends what was used since the last report, if it is time. 0, or negative: sending failed. */
int td_power_send(struct td_power *power, struct td_encoder *encoder, int64_t now_ms);
void td_power_close(struct td_power *power);
/* Finds the domains below a folder; td_power_send() uses the system's. */
void td_power_look(struct td_power *power, const char *folder);
