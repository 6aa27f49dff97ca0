/* Turns records of the kernel into items of the protocol. Used by the session's thread. */
#pragma once
#include "host/client/encode/encoder.h"
#include "host/perf/perf.h"

void td_records_session_begins(void);
/* 0, or negative: sending failed. */
int td_records_put(struct td_encoder *encoder, const struct td_perf_record *record);
/* A message of the client itself, in the row of `thread`. */
int td_records_put_message(struct td_encoder *encoder, uint32_t thread, const char *text);
