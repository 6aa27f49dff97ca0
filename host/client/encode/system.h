/* system.c. Both send nothing where the system does not tell; -1 when sending failed. */
#ifndef TD_HOST_CLIENT_ENCODE_SYSTEM_H
#define TD_HOST_CLIENT_ENCODE_SYSTEM_H
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

int td_system_send_topology(struct td_encoder *encoder);
struct td_load_sample {
    uint64_t busy, all;
    int64_t next_ms;
};
int td_system_send_load(struct td_encoder *encoder, struct td_load_sample *load, int64_t now_ms);
#endif
