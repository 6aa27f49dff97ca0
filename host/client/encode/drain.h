/* drain.c. Takes what all queues hold; returns the number of records, or -1 when sending failed. `rest` gets 1
 * when records are there that could not be taken yet. */
#ifndef TD_HOST_CLIENT_ENCODE_DRAIN_H
#define TD_HOST_CLIENT_ENCODE_DRAIN_H
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

int td_client_drain(struct td_encoder *encoder, int *rest);
void td_client_drain_discard(void);
void td_client_drain_forked(void);
#endif
