/* Whole pixels, for places on the screen (-65536 to 65536): what floorf(), ceilf() and roundf() give, without calls of
 * the C library, for what is drawn by the thousand. */
#pragma once

static inline float td_pixel_below(float x)
{
    return (float)((int)((double)x + 65536) - 65536);
}

static inline float td_pixel_above(float x)
{
    return -td_pixel_below(-x);
}

static inline float td_pixel_nearest(float x)
{
    return (float)((int)((double)x + 65536.5) - 65536);
}
