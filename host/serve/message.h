/* Messages. They are sent between the zones of their track, because the items of one thread have to be in its
 * order (part_zones.c). */
#pragma once
#include "host/serve/put.h"

/* The time of the track's next message; INT64_MAX: there is none. *may_send: it is old enough. */
int64_t td_message_next(struct td_viewer *v, uint32_t track, bool *may_send);
/* Sends it: enum td_part_result. */
int td_message_send(struct td_viewer *v, uint32_t track);
