/* save.c: a session that goes to a file ($TENDRIL_SAVE, TRACY_SAVE_NO_SEND) instead of a peer. */
#ifndef TD_HOST_CLIENT_SESSION_SAVE_H
#define TD_HOST_CLIENT_SESSION_SAVE_H
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

int td_save_is_on(void);
void td_save_failed(int error); /* there is no session: says so if it was to be saved */
int td_save_begin(struct td_encoder *encoder, int64_t init_end); /* the file, or -1 */
/* Now and then while the session goes on: names that changed, and what is known of addresses in code by now.
 * 0, or -1 when writing failed. */
int td_save_step(struct td_encoder *encoder);
/* Answers what is left to answer, then ends the session; `failed`: says so instead. */
void td_save_end(struct td_encoder *encoder, int failed);
#endif
