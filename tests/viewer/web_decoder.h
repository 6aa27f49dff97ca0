/* Reads the messages of host/viewer/web/pictures.h as the page does. */
#pragma once
#include "host/viewer/web/scene.h"

#define MOST_TEXTURES 16

struct decoded_texture {
    uint32_t id;
    int width, height, pixel_bytes;
    uint8_t *pixels;
};

struct web_decoder { /* all zero: no picture yet */
    struct td_scene scene;
    uint32_t number;
    bool whole;
    struct decoded_texture textures[MOST_TEXTURES];
    size_t texture_count;
    uint32_t *colors;
    int32_t (*places)[4];
    size_t color_count, color_room, place_count, place_room;
};

/* Fails the test if the message is not as described. */
void decode_picture(struct web_decoder *decoder, const uint8_t *message, size_t bytes);
void free_decoder(struct web_decoder *decoder);
