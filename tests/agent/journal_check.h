/* Reads any bytes as a journal and replays it: the result is one error or a sound trace. */
#pragma once
#include "host/agent/client/client_stream.h"
#include "host/agent/journal/journal_reader.h"

#include <stddef.h>
#include <stdint.h>

struct journal_result {
    bool refused; /* no journal, or of another version */
    struct td_journal_state state;
    struct td_client_counts counts; /* of the first client */
    char trouble[400];
};

/* Fed in pieces of `piece` bytes. */
struct journal_result journal_check(const uint8_t *bytes, size_t count, size_t piece);
/* The bytes are records (proto of journal_layout.h) without head, blocks and checksums. */
void journal_check_records(const uint8_t *bytes, size_t count);
