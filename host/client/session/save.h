/* A session that is saved to a file instead of sent to a peer (TENDRIL_SAVE, TRACY_SAVE_NO_SEND). It asks
 * itself the queries of a recorder, so that the file has all names. Used by the session's thread. */
#pragma once
#include "host/client/encode/encoder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool td_save_is_on(void);
void td_save_failed(int error); /* the session cannot start: prints why if it was to be saved */
/* Opens the file, initialises the encoder and writes the greeting. The descriptor, which the caller
 * closes, or negative: it printed why. */
int td_save_begin(struct td_encoder *encoder, int64_t init_end);
/* For regular calls during the session: writes changed names, and the meaning of addresses that the
 * resolver has by then. 0, or negative: writing failed. */
int td_save_step(struct td_encoder *encoder);
/* Writes all remaining answers and ends the session. `failed`: writing failed before, prints why. */
void td_save_end(struct td_encoder *encoder, int failed);
