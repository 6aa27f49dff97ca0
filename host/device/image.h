/* Images: what the ELF of a kernel says about its sites (proto/device/site.h), found by build id. */
#ifndef TD_HOST_DEVICE_IMAGE_H
#define TD_HOST_DEVICE_IMAGE_H
#include "host/base/err.h"
#include "proto/device/site.h"
#include <stddef.h>
#include <stdint.h>

struct td_site {
    uint32_t kind;                      /* enum td_site_kind */
    const char *name, *file, *function; /* never NULL; owned by the image */
    uint32_t line, color, args;
};

struct td_image;
/* Reads an ELF: TD_E_FORMAT if it is none, or has contradictory sections; an ELF without sites is fine. */
struct td_image *td_image_open(const char *path, struct td_err *err);
void td_image_close(struct td_image *image);
uint64_t
td_image_build_id(const struct td_image *image); /* first 8 bytes, as the IMAGE packet carries them; 0 none */
uint32_t td_image_proto_version(const struct td_image *image); /* 0: not one of ours */
size_t td_image_site_count(const struct td_image *image);
const struct td_site *td_image_site(const struct td_image *image, uint32_t id); /* NULL: unknown id */
/* Symbol and offset of a code address, or NULL. */
const char *td_image_symbol(const struct td_image *image, uint32_t address, uint32_t *offset);
/* String constant at an address of the image (for %s), or NULL. */
const char *td_image_string(const struct td_image *image, uint32_t address);
/* Formats a message: printf's conversions d i u x X o c p s f e g a % with flags, width and precision; an
 * argument is one word (f e g a: a float's bits). Missing arguments show as <?>. Never overruns; result is
 * always NUL-terminated. */
size_t td_image_format(const struct td_image *image, const char *format, const uint32_t *args, size_t count,
                       char *out, size_t out_bytes);

/* A set of images, found by build id in directories. */
struct td_images;
struct td_images *td_images_create(const char *const *directories, size_t count);
void td_images_destroy(struct td_images *images);
/* NULL with TD_E_NOTFOUND: no such ELF (asked again next time only if a directory has changed). */
const struct td_image *td_images_find(struct td_images *images, uint64_t build_id, struct td_err *err);
#endif
