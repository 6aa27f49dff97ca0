/* Registers the addresses of code and the source files that a session names. A peer gets answers about
 * these only. Used by the session's thread. */
#pragma once
#include "host/client/encode/encoder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address of a call stack, before it is sent. It is looked up ahead (td_resolver_saw()). */
void td_code_saw(struct td_encoder *encoder, uint64_t address);
void td_code_names_file(struct td_encoder *encoder, const char *file, size_t bytes);
bool td_code_file_is_named(const struct td_encoder *encoder, const char *file);
