#include "host/tt/zone_hash.h"
#include "proto/tt/device_log.h"

#include <inttypes.h>
#include <stdio.h>

static uint32_t hash_text(uint32_t hash, struct td_tt_text text)
{
    for (size_t i = 0; i < text.bytes; i++)
        hash = (hash ^ (uint8_t)text.at[i]) * TD_TT_HASH_PRIME;
    return hash;
}

uint16_t td_tt_zone_hash(const struct td_tt_zone_source *source)
{
    char rest[64];
    snprintf(rest, sizeof rest, ",%" PRIu32 "," TD_TT_ZONE_TAG, source->line);
    uint32_t hash = hash_text(TD_TT_HASH_BASIS, source->name);
    hash = hash_text(hash, td_tt_text_of(","));
    hash = hash_text(hash, source->file);
    hash = hash_text(hash, td_tt_text_of(rest));
    return (uint16_t)TD_TT_HASH_FOLD(hash);
}

/* Splits off what is after the last comma. */
static bool take_last(struct td_tt_text *text, struct td_tt_text *last)
{
    const char *comma = memrchr(text->at, ',', text->bytes);
    if (!comma)
        return false;
    const size_t bytes = (size_t)(comma - text->at);
    *last = (struct td_tt_text){comma + 1, text->bytes - bytes - 1};
    text->bytes = bytes;
    return true;
}

bool td_tt_zone_source_read(struct td_tt_text line, struct td_tt_zone_source *source)
{
    struct td_tt_text tag, number;
    const char *pragma = memmem(line.at, line.bytes, TD_TT_ZONE_PRAGMA, strlen(TD_TT_ZONE_PRAGMA));
    if (pragma) {
        const char *begin = pragma + strlen(TD_TT_ZONE_PRAGMA);
        line = (struct td_tt_text){begin, line.bytes - (size_t)(begin - line.at)};
    }
    if (!take_last(&line, &tag) || !td_tt_text_begins(tag, TD_TT_ZONE_TAG) || !take_last(&line, &number) ||
        !td_tt_text_u32(td_tt_text_trim(number), &source->line))
        return false;
    /* A name may have commas; paths are taken to have none. */
    return take_last(&line, &source->file) && (source->name = line).bytes && source->file.bytes;
}

int td_tt_zone_source_text(char *text, size_t room, const struct td_tt_zone_source *source)
{
    return snprintf(text, room,
                    "%.*s:%" PRIu32 ": note: '" TD_TT_ZONE_PRAGMA "%.*s,%.*s,%" PRIu32 "," TD_TT_ZONE_TAG
                    "'\n",
                    (int)source->file.bytes, source->file.at, source->line, (int)source->name.bytes,
                    source->name.at, (int)source->file.bytes, source->file.at, source->line);
}
