/* Bytes fed to a reader piece by piece, each piece in memory of just its size, so that a sanitizer
 * finds a read past its end. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Prints the fault and aborts, which a fuzzer reports. */
_Noreturn void in_pieces_broken(const char *what);
/* Returns 0, or the first error of `feed`. */
int in_pieces(int (*feed)(void *reader, const uint8_t *bytes, size_t count, struct td_err *err), void *reader,
              const uint8_t *bytes, size_t count, size_t piece, struct td_err *err);
