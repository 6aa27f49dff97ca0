/* Loads an image on one core: checks it, writes its segments and the jump to its entry, and holds the core in
 * reset. Used for the programs' kernels (load.c) and for the relays' firmware (relay.c). */
#pragma once
#include "host/device/board/board.h"
#include "host/device/image/image.h"

/* What images that are linked for this board say so with (TD_IMAGE_CHIP_BIT in proto/device/noc.h). */
uint32_t td_core_load_chip(const struct td_board *board);
/* Was the image built for this board, this core and these lanes, and does it fit? path: for messages. */
int td_core_load_check(const struct td_board *board, uint32_t core, const struct td_image *image,
                       const char *path, struct td_err *err);
/* Loads a checked image: segments, and a jump to its entry where the core starts. The core is in reset. patches:
 * to be applied, or NULL. */
int td_core_load(struct td_transport *t, const struct td_board *board, struct td_tile_at at, uint32_t core,
                 const struct td_image *image, const struct td_patches *patches, struct td_err *err);
/* Loads again the segments of a loaded image that one of two sets of patches changes, with the second set. */
int td_core_load_patches(struct td_transport *t, struct td_tile_at at, const struct td_image *image,
                         const struct td_patches *was, const struct td_patches *patches, struct td_err *err);
/* Holds these cores (bit a core) of a tile in reset, or releases them. */
int td_core_load_reset(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                       uint32_t cores, int hold, struct td_err *err);
