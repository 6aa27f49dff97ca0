/* The messages of each track, in the order in which they came. A finished trace has this table; for a growing one
 * it is made here, once for all viewers, and takes one or two bytes a message. Thread-safe. */
#pragma once
#include "host/trace/trace.h"
#include "host/trace/tables.h"

struct td_message_order;

struct td_message_order *td_message_order_create(const struct td_trace *trace); /* NULL: no memory */
void td_message_order_destroy(struct td_message_order *order);                  /* NULL is allowed */
/* Adds the messages that have come since the last call. 0 or TD_E_NOMEM. */
int td_message_order_extend(struct td_message_order *order);
/* Rows as in the table TRACK_MESSAGE. */
const struct td_series *td_message_order_of(const struct td_message_order *order, uint32_t track);
