/* The packed form (DXT1) has 8 bytes for each block of 4 x 4 pixels: two colours, then for each pixel a
 * place on the line between them. */
#include "host/client/queue/frame_image.h"
#include "host/client/platform/pool.h"

#include <stdatomic.h>
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

/* 0 at the lowest colour, 3 at the highest. */
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

static size_t bytes_packed(const struct td_frame_image *image)
{
    return (size_t)image->width * image->height / 2;
}

static void pack_pixels(const struct td_frame_image *image, uint8_t *to)
{
    size_t row_bytes = 4 * (size_t)image->width;
    for (size_t y = 0; y < image->height; y += SIDE)
        for (size_t x = 0; x < image->width; x += SIDE, to += 8)
            pack_block(image->pixels + y * row_bytes + 4 * x, row_bytes, to);
}

void td_frame_image_write(const struct td_frame_image *image, uint8_t *to)
{
    if (image->packed)
        memcpy(to, image->pixels, bytes_packed(image));
    else
        pack_pixels(image, to);
}

/* ---- images that wait ---- */

static _Atomic(struct td_frame_image *) offered;

/* Memory of images that were packed. Its pages are mapped, so copying the next image takes a third of the
 * time. */
#define SPARE 4
static _Atomic(uint8_t *) spare[SPARE];

static uint8_t *take_pixels(size_t bytes)
{
    for (int i = 0; i < SPARE; i++) {
        uint8_t *piece = atomic_exchange(&spare[i], NULL);
        if (piece && td_pool_room(piece) >= bytes && td_pool_room(piece) / 2 <= bytes)
            return piece;
        td_pool_free(piece);
    }
    return td_pool_alloc(bytes);
}

static void give_pixels(uint8_t *piece)
{
    for (int i = 0; i < SPARE && piece; i++) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&spare[i], &none, piece))
            return;
    }
    td_pool_free(piece);
}

struct td_frame_image *td_frame_image_create(const void *pixels, uint16_t width, uint16_t height)
{
    struct td_frame_image *image = td_pool_alloc(sizeof *image);
    size_t bytes = 4 * (size_t)width * height;
    uint8_t *copy = image ? take_pixels(bytes) : NULL;
    if (!copy) {
        td_pool_free(image);
        return NULL;
    }
    memcpy(copy, pixels, bytes);
    *image = (struct td_frame_image){.pixels = copy, .width = width, .height = height};
    return image;
}

void td_frame_image_offer(struct td_frame_image *image)
{
    image->offered = 1;
    image->next = atomic_load_explicit(&offered, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&offered, &image->next, image, memory_order_release,
                                                  memory_order_relaxed))
        continue;
}

void td_frame_image_free(struct td_frame_image *image)
{
    if (image->packed)
        td_pool_free(image->pixels);
    else
        give_pixels(image->pixels);
    image->pixels = NULL;
    if (!image->offered)
        td_pool_free(image);
}

/* Replaces the pixels by their packed form. Without memory they stay. */
static void keep_packed(struct td_frame_image *image)
{
    uint8_t *packed = td_pool_take_tight(bytes_packed(image));
    if (!packed)
        return;
    pack_pixels(image, packed);
    give_pixels(image->pixels);
    image->pixels = packed;
    image->packed = 1;
}

int td_frame_image_pack_offered(void)
{
    int count = 0;
    if (!atomic_load_explicit(&offered, memory_order_relaxed))
        return 0;
    struct td_frame_image *image = atomic_exchange_explicit(&offered, NULL, memory_order_acquire);
    for (struct td_frame_image *next; image; image = next, count++) {
        next = image->next;
        image->offered = 0;
        if (image->pixels)
            keep_packed(image);
        else
            td_pool_free(image);
    }
    return count;
}

void td_frame_image_give_spare(void)
{
    for (int i = 0; i < SPARE; i++)
        td_pool_free(atomic_exchange(&spare[i], NULL));
}

void td_frame_image_forked(void)
{
    atomic_store(&offered, NULL);
}
