/* Frame images: blocks of 4 x 4 pixels, each two colours and a place on the line between them a pixel. */
#include "host/client/encode/frame_image.h"

#include <string.h>

#define SIDE 4

struct color_range {
    int low[3], high[3];
};

static uint16_t pack_color(const int *rgb)
{
    return (uint16_t)((rgb[0] >> 3) << 11 | (rgb[1] >> 2) << 5 | rgb[2] >> 3);
}

static struct color_range range_of(const uint8_t *pixels, size_t row_bytes)
{
    struct color_range range = {{255, 255, 255}, {0, 0, 0}};
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            for (int c = 0; c < 3; c++) {
                int value = pixels[(size_t)y * row_bytes + 4 * (size_t)x + (size_t)c];
                if (value < range.low[c])
                    range.low[c] = value;
                if (value > range.high[c])
                    range.high[c] = value;
            }
    return range;
}

/* On the line: 0 at the lowest colour, 3 at the highest. */
static uint32_t place_on_line(const uint8_t *pixel, const struct color_range *range, int length)
{
    int at = 0;
    for (int c = 0; c < 3; c++)
        at += pixel[c] - range->low[c];
    return (uint32_t)((at * 3 + length / 2) / length);
}

static void pack_block(const uint8_t *pixels, size_t row_bytes, uint8_t *to)
{
    struct color_range range = range_of(pixels, row_bytes);
    uint16_t first = pack_color(range.high), second = pack_color(range.low);
    uint32_t places = 0;
    int length = 0;
    for (int c = 0; c < 3; c++)
        length += range.high[c] - range.low[c];
    if (first == second) { /* one colour */
        first = 0;
    } else {
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                places |= place_on_line(pixels + (size_t)y * row_bytes + 4 * (size_t)x, &range, length)
                          << 2 * (y * SIDE + x);
    }
    memcpy(to, &first, 2);
    memcpy(to + 2, &second, 2);
    memcpy(to + 4, &places, 4);
}

void td_frame_image_pack(const struct td_frame_image *image, uint8_t *to)
{
    size_t row_bytes = 4 * (size_t)image->width;
    for (size_t y = 0; y < image->height; y += SIDE)
        for (size_t x = 0; x < image->width; x += SIDE, to += 8)
            pack_block(image->pixels + y * row_bytes + 4 * x, row_bytes, to);
}
