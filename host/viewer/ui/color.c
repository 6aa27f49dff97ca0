#include "host/viewer/ui/color.h"

#include <math.h>

#define LEAST_LIGHT .055f /* of a zone; the contrast with the background is then about 2:1 */
#define EVEN_LIGHT  .182f /* black and white have the same contrast */

#define LEGIBLE 4.5f /* contrast of a text */

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

td_rgba td_color_of_zone(const struct td_dict *dict, const struct td_zone *zone)
{
    const struct td_srcloc *srcloc = td_dict_get_srcloc(dict, zone->srcloc);
    if (zone->color)
        return td_color_readable(zone->color);
    if (srcloc->color)
        return td_color_readable(srcloc->color);
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

/* Relative luminance, 0..1, with a gamma of 2.2. */
static float light_of(td_rgba color)
{
    float r = powf((float)(color >> 16 & 255) / 255, 2.2f), g = powf((float)(color >> 8 & 255) / 255, 2.2f);
    return .2126f * r + .7152f * g + .0722f * powf((float)(color & 255) / 255, 2.2f);
}

td_rgba td_color_readable(td_rgba color)
{
    /* Mixing with white keeps the hue, also of black. */
    const td_rgba opaque = 0xff000000u | color;
    td_rgba seen = opaque;
    for (float part = .04f; light_of(seen) < LEAST_LIGHT; part += .04f)
        seen = td_color_mix(opaque, 0xffffffff, part);
    return seen;
}

static float linear(uint32_t part)
{
    const float v = (float)(part & 255) / 255;
    return v <= .04045f ? v / 12.92f : powf((v + .055f) / 1.055f, 2.4f);
}

static float luminance(td_rgba c)
{
    return .2126f * linear(c >> 16) + .7152f * linear(c >> 8) + .0722f * linear(c);
}

float td_color_contrast(td_rgba a, td_rgba b)
{
    const float x = luminance(a) + .05f, y = luminance(b) + .05f;
    return x > y ? x / y : y / x;
}

td_rgba td_color_legible(td_rgba color)
{
    const td_rgba opaque = 0xff000000u | color, far = td_color_text_on(TD_C(RAISED));
    td_rgba seen = opaque;
    for (float part = .05f; part < 1 && (td_color_contrast(seen, TD_C(RAISED)) < LEGIBLE ||
                                         td_color_contrast(seen, TD_C(GROUP)) < LEGIBLE);
         part += .05f)
        seen = td_color_mix(opaque, far, part);
    return seen;
}

td_rgba td_color_text_on(td_rgba fill)
{
    return light_of(fill) > EVEN_LIGHT ? 0xff10141au : 0xfff2f5f9u;
}
