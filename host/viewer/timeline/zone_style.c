#include "host/viewer/timeline/zone_style.h"

#include <stdlib.h>

#define KINDS (TD_SRCLOC_WAIT | TD_SRCLOC_LOST)

void td_zone_styles_init(struct td_zone_styles *styles, const struct td_dict *dict)
{
    *styles = (struct td_zone_styles){.dict = dict};
}

void td_zone_styles_free(struct td_zone_styles *styles)
{
    for (unsigned i = 0; i < TD_STYLE_CHUNKS; i++)
        free(styles->chunks[i]);
    *styles = (struct td_zone_styles){0};
}

/* NULL: no memory, or the number is too large. */
static uint64_t *find_or_add_chunk(struct td_zone_styles *styles, uint32_t srcloc)
{
    if (srcloc >= TD_STYLE_CHUNK * TD_STYLE_CHUNKS)
        return NULL;
    uint64_t **place = &styles->chunks[srcloc / TD_STYLE_CHUNK];
    uint64_t *chunk = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (chunk)
        return chunk;
    uint64_t *made = calloc(TD_STYLE_CHUNK, sizeof *made);
    if (!made || __atomic_compare_exchange_n(place, &chunk, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free(made); /* another thread was faster */
    return chunk;
}

struct td_zone_style td_zone_style_make_(struct td_zone_styles *styles, uint32_t srcloc)
{
    bool fixed;
    struct td_zone_style style = {.color = td_color_of_srcloc(styles->dict, styles->as, srcloc, &fixed)};
    style.flags = (td_dict_get_srcloc(styles->dict, srcloc)->flags & KINDS) | (fixed ? TD_STYLE_FIXED : 0);
    uint64_t *chunk = find_or_add_chunk(styles, srcloc);
    if (chunk)
        __atomic_store_n(&chunk[srcloc % TD_STYLE_CHUNK], (uint64_t)style.flags << 32 | style.color,
                         __ATOMIC_RELAXED);
    return style;
}
