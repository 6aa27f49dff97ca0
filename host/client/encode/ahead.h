/* Sends the names of the keys that a frame uses for the first time, in frames before it: so whatever the peer has got
 * of a session that breaks off, it has the names. What addresses in code mean takes its time to find out, and is not
 * among them. */
#pragma once
#include "host/client/encode/encoder.h"
#include "host/wire/releases.h"

/* From the next frame on. `ask` answers the question, which the peer has not asked; 0, or negative: sending failed.
 * 0, or negative: no memory. */
int td_ahead_begin(struct td_encoder *encoder,
                   int (*ask)(struct td_encoder *encoder, enum td_query what, uint64_t ptr));
/* Sends the thread's name if it is not the one that was sent. A thread that has ended may have only its number left
 * for a name. 0, or negative. */
int td_ahead_thread(struct td_encoder *encoder, uint32_t thread);
