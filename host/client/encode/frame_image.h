/* Frame images, packed as DXT1. */
#ifndef TD_HOST_CLIENT_ENCODE_FRAME_IMAGE_H
#define TD_HOST_CLIENT_ENCODE_FRAME_IMAGE_H
#include <stddef.h>
#include <stdint.h>

struct td_frame_image {
    uint32_t frame;
    uint16_t width, height;
    uint8_t flip;
    uint8_t pixels[]; /* red, green, blue, anything */
};
/* width * height / 2 bytes */
void td_frame_image_pack(const struct td_frame_image *image, uint8_t *to);
#endif
