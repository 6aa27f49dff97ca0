/* Reads any bytes as a saved session: the result is one error or a sound trace. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Fed in pieces of `piece` bytes. 1: it was a session, 0: it was refused. */
int saved_session_check(const uint8_t *bytes, size_t count, size_t piece);
