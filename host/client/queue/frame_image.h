/* Frame images that wait to be sent. The marking thread copies the pixels and offers the image. The session's
 * thread replaces the pixels of offered images by their packed form (DXT1), an eighth of the size, and writes
 * the packed form when it takes the record. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct td_frame_image {
    struct td_frame_image *next; /* in the list of offered images */
    uint8_t *pixels;             /* 4 bytes each (red, green, blue, unused), or packed; NULL: record taken */
    uint32_t frame;
    uint16_t width, height;
    uint8_t flip, packed;
    uint8_t offered; /* it is in the list */
};

/* Marking thread. Copies the pixels; NULL: no memory. Width and height are multiples of 4. */
struct td_frame_image *td_frame_image_create(const void *pixels, uint16_t width, uint16_t height);
/* Marking thread. Adds the image to those to pack; call it before its record is published. */
void td_frame_image_offer(struct td_frame_image *image);
/* Any thread for an image that was not offered, else the session's. */
void td_frame_image_free(struct td_frame_image *image);
/* Session's thread. Writes the packed form, width * height / 2 bytes. */
void td_frame_image_write(const struct td_frame_image *image, uint8_t *to);
/* Session's thread. Packs all offered images and returns their number. */
int td_frame_image_pack_offered(void);
void td_frame_image_give_spare(void); /* frees the memory that is held for the next images */
void td_frame_image_forked(void);     /* in the child of fork(): forgets the parent's images */
