/* Takes records from all queues and encodes them for a session. Used by the session's thread. */
#pragma once
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

/* Takes the records that the queues hold. Returns their number, or negative: sending failed. *rest: 1 if
 * records remain that are not due yet. */
int td_client_drain(struct td_encoder *encoder, int *rest);
void td_client_drain_discard(void); /* takes all records and drops them */
void td_client_drain_forked(void);  /* in the child of fork() */
