/* Images: the ELF of a kernel and its sites (proto/device/site.h), found by build id.
 *
 * An image does not change after it was opened: any number of threads may read it. Use a set (td_images) from
 * one thread at a time. */
#pragma once
#include "host/base/err.h"
#include "proto/device/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_site {
    uint32_t kind;                      /* enum td_site_kind */
    const char *name, *file, *function; /* never NULL; owned by the image */
    uint32_t line, color;
    uint32_t args;       /* argument words of a format */
    uint32_t open;       /* of a zone: its word among those of td_image_open_words(), or TD_SITE_NO_WORD */
    double instructions; /* of a zone: what its marker executes each time (proto/device/cost.h); others: 0 */
};
#define TD_SITE_NO_WORD UINT32_MAX

/* Bytes that are loaded at `address` of L1. */
struct td_segment {
    uint32_t address;         /* where it is loaded */
    uint32_t virtual_address; /* where the program sees it: elsewhere for what crt0 copies into local RAM */
    uint32_t file_bytes, memory_bytes;
    const void *data;
};

struct td_image;
/* Reads an ELF: TD_E_NOTFOUND if there is no file, TD_E_FORMAT if it is no RV32 program or has contradictory
 * sections; an ELF without sites is fine. */
struct td_image *td_image_open(const char *path, struct td_err *err);
void td_image_close(struct td_image *image);
/* First 8 bytes, as the IMAGE packet carries them; 0: none. */
uint64_t td_image_build_id(const struct td_image *image);
/* Its text: the 16 hexadecimal digits that other tools show first. */
void td_build_id_text(uint64_t build_id, char text[17]);
/* The table itself (proto/device/site.h), or NULL. */
const uint32_t *td_image_table(const struct td_image *image);
uint32_t td_image_entry(const struct td_image *image);
size_t td_image_segment_count(const struct td_image *image);
const struct td_segment *td_image_segment(const struct td_image *image, size_t index);
/* The ELF's bytes. */
const void *td_image_bytes(const struct td_image *image, size_t *bytes);
/* Ids are 0 .. count - 1; not each must have a site. */
size_t td_image_site_count(const struct td_image *image);
const struct td_site *td_image_site(const struct td_image *image, uint32_t id); /* NULL: unknown id */
/* Words in which the image marks its open zones: their number, and the address of the first one. */
uint32_t td_image_open_words(const struct td_image *image, uint32_t *address);
/* Id of the site that a word belongs to; TD_SITE_NO_WORD: none. */
uint32_t td_image_open_site(const struct td_image *image, uint32_t word);
/* Zones of tt-metal's streaming device profiler (proto/tt/stream_ring.h) whose ids are known; texts are the image's.
 * Returns their number, at most `most`. */
struct td_image_tt_zone {
    uint32_t id;
    const char *name, *file;
    uint32_t line;
};
size_t td_image_tt_zones(const struct td_image *image, struct td_image_tt_zone *zones, size_t most);
/* Symbol and offset of a code address, or NULL. */
const char *td_image_symbol(const struct td_image *image, uint32_t address, uint32_t *offset);
/* Source line of a code address; 0: not known. For one thread at a time; *file is the image's. */
uint32_t td_image_line(const struct td_image *image, uint32_t address, const char **file);
/* String constant at an address of the image (for %s), or NULL. */
const char *td_image_string(const struct td_image *image, uint32_t address);
/* Formats a message: printf's conversions d i u x X o c p s f e g a % with flags, width and precision; an
 * argument is one word (f e g a: a float's bits). Missing arguments show as <?>, a %s that points to no
 * constant as <0x...>. `image` may be NULL (no strings). Never overruns; result is always NUL-terminated
 * (out_bytes > 0). Returns its length. */
size_t td_image_format(const struct td_image *image, const char *format, const uint32_t *args, size_t count,
                       char *out, size_t out_bytes);

/* Instructions that replace those of an image, by address; no two have the same. */
struct td_patch {
    uint32_t address, instruction;
};
struct td_patches {
    struct td_patch *at;
    size_t count, capacity;
};
/* `site` NULL: of the markers that have none. */
typedef bool td_is_marker_off(const void *self, const struct td_site *site);
/* Adds to *patches, which is empty, what switches these markers off. The caller frees it, also after an
 * error. */
int td_image_switch_off(const struct td_image *image, td_is_marker_off *is_off, const void *self,
                        struct td_patches *patches);
void td_patches_free(struct td_patches *patches);

/* A set of images, found by build id in directories, and in those below them down to six levels, or single
 * files. */
struct td_images;
struct td_images *td_images_create(const char *const *directories, size_t count);
void td_images_destroy(struct td_images *images);
/* NULL with TD_E_NOTFOUND: no such ELF (looked for again only if a directory has changed). The image is the
 * set's. */
const struct td_image *td_images_find(struct td_images *images, uint64_t build_id, struct td_err *err);
