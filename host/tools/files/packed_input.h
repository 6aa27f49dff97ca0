/* Unpacks a file that is packed with zstd or gzip, as its bytes come. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKED_PIECE (1u << 18)

struct packed_input;
/* Whether a file that begins with these bytes is packed. */
bool packed_begins(const uint8_t *bytes, size_t count);
/* For a file that begins with these bytes. `name` must live as long, for errors. NULL: no memory. */
struct packed_input *packed_create(const char *name, const uint8_t *bytes, size_t count);
void packed_destroy(struct packed_input *packed); /* NULL is allowed */
/* Passes what the bytes contain to `take`, in pieces of PACKED_PIECE. 0, TD_E_FORMAT, or what `take` returned. */
typedef int packed_take(void *self, const uint8_t *bytes, size_t count, struct td_err *err);
int packed_feed(struct packed_input *packed, const uint8_t *bytes, size_t count, packed_take *take,
                void *self, struct td_err *err);
/* Passes the rest. *cut: the file breaks off. */
int packed_end_stream(struct packed_input *packed, bool *cut, packed_take *take, void *self,
                      struct td_err *err);
