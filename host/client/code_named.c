/* Addresses and source files that a session has named: nothing else is looked up or sent. */
#include "host/client/client.h"
#include "host/client/symbols.h"

#include <string.h>

static uint64_t hash_of(const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash >> 4 | 1; /* what fits beside the kind */
}

void td_code_names_file(struct td_encoder *encoder, const char *file, size_t bytes)
{
    if (bytes)
        td_known_add(encoder->known, TD_KNOWN_FILE, hash_of(file, bytes));
}

void td_code_saw(struct td_encoder *encoder, uint64_t address)
{
    if (td_known_has(encoder->known, TD_KNOWN_CODE, address))
        return;
    td_known_add(encoder->known, TD_KNOWN_CODE, address);
    const struct td_code_map *map = td_code_map_of(address);
    uint32_t *number = td_known_value(encoder->known, TD_KNOWN_CODE, address);
    if (!map || !number)
        return;
    *number = map->number;
    td_resolver_saw(address, map);
}

int td_code_file_is_named(const struct td_encoder *encoder, const char *file)
{
    return td_known_has(encoder->known, TD_KNOWN_FILE, hash_of(file, strlen(file)));
}
