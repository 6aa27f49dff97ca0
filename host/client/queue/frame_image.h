/* Frame images that wait. The marking thread copies the pixels. Until the record is taken, the thread of the
 * client replaces them by their packed form (DXT1), an eighth of the size. */
#ifndef TD_HOST_CLIENT_QUEUE_FRAME_IMAGE_H
#define TD_HOST_CLIENT_QUEUE_FRAME_IMAGE_H
#include <stddef.h>
#include <stdint.h>

struct td_frame_image {
    struct td_frame_image *next; /* of those that are to be packed */
    uint8_t *pixels; /* red, green, blue, unused; or the packed form; NULL: the record was taken */
    uint32_t frame;
    uint16_t width, height;
    uint8_t flip, packed;
    uint8_t offered; /* it is among those that are to be packed */
};

/* A copy of the pixels; NULL: no memory. */
struct td_frame_image *td_frame_image_create(const void *pixels, uint16_t width, uint16_t height);
/* Puts it among those that are to be packed, before its record is published. */
void td_frame_image_offer(struct td_frame_image *image);
void td_frame_image_free(struct td_frame_image *image);
/* Writes the packed form, width * height / 2 bytes. */
void td_frame_image_write(const struct td_frame_image *image, uint8_t *to);
/* Packs what was offered and returns how many. Called by the consumer of the queues, as td_frame_image_free() of
 * what was offered. */
int td_frame_image_pack_offered(void);
void td_frame_image_give_spare(void); /* frees memory that is held for the next images */
void td_frame_image_forked(void);     /* in the child: the parent packs them */
#endif
