/* Names of zones of tt-metal's streaming device profiler, from the sections that its header adds to kernels. */
#include "host/device/image/image_internal.h"
#include "proto/tt/stream_ring.h"

#include <string.h>

enum { RECORD_WORDS = 4, LOADED_IDS = 0x10000 };

static const char *text_at(const char *texts, const GElf_Shdr *header, uint32_t address)
{
    if (!texts || address < header->sh_addr || address - header->sh_addr >= header->sh_size)
        return NULL;
    const char *text = texts + (address - header->sh_addr);
    return memchr(text, 0, header->sh_size - (address - header->sh_addr)) ? text : NULL;
}

size_t td_image_tt_zones(const struct td_image *image, struct td_image_tt_zone *zones, size_t most)
{
    GElf_Shdr records, texts, ids;
    const char *at, *text, *unused;
    size_t count = 0;
    if (!td_image_section(image, "." TD_TT_ZONE_RECORDS, &records, &at) || !at ||
        !td_image_section(image, "." TD_TT_ZONE_TEXTS, &texts, &text) ||
        (td_image_section(image, "." TD_TT_ZONE_IDS, &ids, &unused) && ids.sh_addr >= LOADED_IDS))
        return 0;
    for (size_t i = 0; i < records.sh_size / (4 * RECORD_WORDS) && count < most; i++) {
        uint32_t w[RECORD_WORDS];
        memcpy(w, at + 4 * RECORD_WORDS * i, sizeof w);
        const char *name = text_at(text, &texts, w[1]), *file = text_at(text, &texts, w[2]);
        if (name)
            zones[count++] = (struct td_image_tt_zone){w[0], name, file ? file : "", w[3]};
    }
    return count;
}
