/* Recorded sessions, for tests. A file is a sequence of records: u8 direction (0 from the client, 1 to it),
 * u32 count, bytes. */
#pragma once
#include "host/wire/hello.h"

struct recording {
    uint8_t *said;  /* bytes of the client, from its status on */
    uint8_t *asked; /* bytes of the server, from its greeting on */
    size_t said_count, asked_count;
    const struct td_wire_release *release;
};

/* 0, or -1 and a line on standard error. Free with recording_free(), also after an error. */
int recording_read(const char *path, struct recording *session);
void recording_free(struct recording *session);
