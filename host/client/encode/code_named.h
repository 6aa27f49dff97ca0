/* code_named.c: addresses and source files that the session names. */
#ifndef TD_HOST_CLIENT_ENCODE_CODE_NAMED_H
#define TD_HOST_CLIENT_ENCODE_CODE_NAMED_H
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

void td_code_saw(struct td_encoder *encoder, uint64_t address); /* about to be told */
void td_code_names_file(struct td_encoder *encoder, const char *file, size_t bytes);
int td_code_file_is_named(const struct td_encoder *encoder, const char *file);
#endif
