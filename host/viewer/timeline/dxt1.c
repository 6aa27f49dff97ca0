#include "host/viewer/timeline/dxt1.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 8

static void unpack_565(unsigned color, uint8_t rgba[4])
{
    const unsigned red = color >> 11, green = color >> 5 & 63, blue = color & 31;
    rgba[0] = (uint8_t)(red << 3 | red >> 2);
    rgba[1] = (uint8_t)(green << 2 | green >> 4);
    rgba[2] = (uint8_t)(blue << 3 | blue >> 2);
    rgba[3] = 255;
}

/* The four colours of a block. If the first number is not the larger one, the third colour is the middle and
 * the fourth black. */
static void make_palette(const uint8_t *block, uint8_t palette[4][4])
{
    const unsigned a = block[0] | (unsigned)block[1] << 8, b = block[2] | (unsigned)block[3] << 8;
    unpack_565(a, palette[0]);
    unpack_565(b, palette[1]);
    for (int c = 0; c < 3; c++) {
        const int x = palette[0][c], y = palette[1][c];
        palette[2][c] = (uint8_t)(a > b ? (2 * x + y) / 3 : (x + y) / 2);
        palette[3][c] = (uint8_t)(a > b ? (x + 2 * y) / 3 : 0);
    }
    palette[2][3] = palette[3][3] = 255;
}

uint8_t *td_dxt1_decode(const uint8_t *data, size_t bytes, int64_t width, int64_t height)
{
    if (width <= 0 || height <= 0 || width % 4 || height % 4 || width > TD_DXT1_SIDE_MAX ||
        height > TD_DXT1_SIDE_MAX || bytes != (size_t)(width * height / 2))
        return NULL;
    uint8_t *pixels = malloc((size_t)(width * height) * 4);
    for (int64_t y = 0; pixels && y < height; y += 4)
        for (int64_t x = 0; x < width; x += 4, data += BLOCK_BYTES) {
            uint8_t palette[4][4];
            make_palette(data, palette);
            for (int i = 0; i < 16; i++)
                memcpy(pixels + ((y + i / 4) * width + x + i % 4) * 4,
                       palette[data[4 + i / 4] >> (i % 4 * 2) & 3], 4);
        }
    return pixels;
}
