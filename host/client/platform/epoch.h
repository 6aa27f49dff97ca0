/* The clock of the client, and when the client began. Thread-safe. */
#ifndef TD_HOST_CLIENT_PLATFORM_EPOCH_H
#define TD_HOST_CLIENT_PLATFORM_EPOCH_H
#include <stddef.h>
#include <stdint.h>

void td_epoch_begin(void); /* now; before all others, once */
void td_epoch_is_late(void);
int td_client_began_late(void); /* 1: markers before the session's start were dropped */
uint64_t td_client_epoch(void); /* Unix seconds of the start */
#endif
