/* Bytes fed to a reader piece by piece, each piece in memory of just its size, so that a read behind its end
 * is seen. */
#ifndef TD_TESTS_WIRE_IN_PIECES_H
#define TD_TESTS_WIRE_IN_PIECES_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Says what is wrong and ends the process, as a fuzzer wants it. */
_Noreturn void in_pieces_broken(const char *what);
/* What `feed` returns in the end: 0, or its first error. */
int in_pieces(int (*feed)(void *reader, const uint8_t *bytes, size_t count, struct td_err *err), void *reader,
              const uint8_t *bytes, size_t count, size_t piece, struct td_err *err);
#endif
