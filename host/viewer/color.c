#include "host/viewer/color.h"

td_rgba td_theme(enum td_theme_index index)
{
    static const td_rgba colors[] = {
#define TD_X(name, value) value,
        TD_THEME(TD_X)
#undef TD_X
    };
    return colors[index];
}

td_rgba td_color_of_name(const char *name)
{
    /* Muted colours of about equal lightness; dark text is readable on each. */
    static const td_rgba palette[] = {
        0xff7ba3d4, 0xff8cc3a2, 0xffd8a679, 0xffb39bd6, 0xffd28d9f, 0xff79c0c6, 0xffc8be7c, 0xff98a8dc,
        0xffa5c77f, 0xffd3a3c4, 0xff7db8a8, 0xffcb9f8a, 0xff8fb6e2, 0xffbdb08c, 0xff93c1d8, 0xffaea3e0,
    };
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    hash ^= hash >> 13;
    return palette[hash % (sizeof palette / sizeof *palette)];
}

const char *td_zone_label(const struct td_dict *dict, const struct td_zone *zone)
{
    return zone->name ? td_dict_text(dict, zone->name) : td_dict_zone_name(dict, zone->srcloc);
}

td_rgba td_color_of_zone(const struct td_dict *dict, const struct td_zone *zone)
{
    const struct td_srcloc *srcloc = td_dict_get_srcloc(dict, zone->srcloc);
    if (zone->color)
        return 0xff000000u | zone->color;
    if (srcloc->color)
        return 0xff000000u | srcloc->color;
    if (srcloc->flags & TD_SRCLOC_LOST)
        return TD_C(LOST);
    if (srcloc->flags & TD_SRCLOC_WAIT)
        return TD_C(WAIT);
    return td_color_of_name(td_dict_zone_name(dict, zone->srcloc));
}

td_rgba td_color_mix(td_rgba a, td_rgba b, float part)
{
    td_rgba mixed = 0xff000000u;
    for (int shift = 0; shift <= 16; shift += 8) {
        float x = (float)(a >> shift & 255), y = (float)(b >> shift & 255);
        mixed |= (td_rgba)(x + (y - x) * part + .5f) << shift;
    }
    return mixed;
}

td_rgba td_color_alpha(td_rgba color, float alpha)
{
    return (color & 0xffffffu) | (td_rgba)(alpha * 255 + .5f) << 24;
}

td_rgba td_color_text_on(td_rgba fill)
{
    float light =
        .299f * (float)(fill >> 16 & 255) + .587f * (float)(fill >> 8 & 255) + .114f * (float)(fill & 255);
    return light > 118 ? 0xff10141au : 0xfff2f5f9u;
}
