#include "host/client/encode/code_named.h"
#include "host/client/encode/announced.h"
#include "host/base/hash.h"
#include "host/client/symbols/code_maps.h"
#include "host/client/symbols/resolver.h"

#include <stdbool.h>
#include <string.h>

void td_code_names_file(struct td_encoder *encoder, const char *file, size_t bytes)
{
    uint64_t key = td_hash(file, bytes);
    if (!bytes || td_announced_has(encoder->announced, TD_ANNOUNCED_FILE, key))
        return;
    td_announced_add(encoder->announced, TD_ANNOUNCED_FILE, key);
    if (encoder->file_named)
        encoder->file_named(encoder, file, bytes);
}

void td_code_saw(struct td_encoder *encoder, uint64_t address)
{
    if (td_announced_has(encoder->announced, TD_ANNOUNCED_CODE, address))
        return;
    td_announced_add(encoder->announced, TD_ANNOUNCED_CODE, address);
    const struct td_code_map *map = td_code_map_of(address);
    uint32_t *number = td_announced_value(encoder->announced, TD_ANNOUNCED_CODE, address);
    if (!map || !number)
        return;
    *number = map->number;
    td_resolver_saw(address, map);
}

bool td_code_file_is_named(const struct td_encoder *encoder, const char *file)
{
    return td_announced_has(encoder->announced, TD_ANNOUNCED_FILE, td_hash(file, strlen(file)));
}
