/* How zones of a source location look from afar: colour and kind. Worked out once for each location, because
 * passes over millions of zones ask for it. Thread-safe. Track, depth and the zones around a zone may change
 * its colour further (zone_color.h): the reader of a row does that. */
#pragma once
#include "host/trace/trace.h"
#include "host/viewer/timeline/zone_color.h"

#define TD_STYLE_CHUNK  1024u
#define TD_STYLE_CHUNKS 1024u /* locations beyond are worked out each time */

struct td_zone_style {
    td_rgba color;
    uint32_t flags; /* TD_SRCLOC_WAIT, TD_SRCLOC_LOST, TD_STYLE_FIXED */
};
#define TD_STYLE_FIXED 0x10000u /* neither the track nor the depth nor zones around it change the colour */

struct td_zone_styles {
    const struct td_dict *dict;
    struct td_zone_coloring as;        /* to be set before the first location is asked for */
    uint64_t *chunks[TD_STYLE_CHUNKS]; /* atomic; entries are atomic, 0: not yet worked out */
};

/* Colours by name; `as` may be set afterwards. */
void td_zone_styles_init(struct td_zone_styles *styles, const struct td_dict *dict);
void td_zone_styles_free(struct td_zone_styles *styles);
struct td_zone_style td_zone_style_make_(struct td_zone_styles *styles, uint32_t srcloc);

static inline struct td_zone_style td_zone_style_of(struct td_zone_styles *styles, uint32_t srcloc)
{
    uint64_t *chunk = srcloc < TD_STYLE_CHUNK * TD_STYLE_CHUNKS
                          ? __atomic_load_n(&styles->chunks[srcloc / TD_STYLE_CHUNK], __ATOMIC_ACQUIRE)
                          : NULL;
    uint64_t entry = chunk ? __atomic_load_n(&chunk[srcloc % TD_STYLE_CHUNK], __ATOMIC_RELAXED) : 0;
    if (!entry)
        return td_zone_style_make_(styles, srcloc);
    return (struct td_zone_style){(td_rgba)entry, (uint32_t)(entry >> 32)};
}
