/* The clock and the time of the client's start. tendril/client.h has the functions that programs call, too:
 * td_client_begin_ticks(), td_client_tick_ns(). Thread-safe after td_epoch_begin(). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void td_epoch_begin(void); /* takes the time of the start: once, before the other functions */
/* What was marked at this time is of the session, too: a marker that starts the client has read the clock before. */
void td_epoch_include(int64_t ticks);
void td_epoch_is_late(void);
bool td_client_began_late(void); /* 1: markers that ran before the client's start were dropped */
uint64_t td_client_epoch(void);  /* Unix seconds of the start */
