/* Encodes the pictures of a screen elsewhere for a browser, each as what changed since the last one.
 *
 * A message is the byte TD_WEB_PICTURE and a deflated stream (RFC 1951). Numbers in it are those of byte_buffer.h:
 *
 *   number of the picture, 1 if it is whole or 0, width, height, cursor
 *   number of textures; of each: id, width, height, bytes of a pixel
 *   number of textures that are gone; their ids
 *   numbers of new colours, new places in textures, commands, parts, rectangles, meshes, vertices, indices
 *   the size of each stream (enum td_web_stream); then the streams
 *
 * A whole picture refers to no other. Colours and places in textures get numbers in the order in which they come, from
 * 0 in a whole picture. Runs of rectangles are new, or copies of those of the last picture from a place on; a
 * copy is moved, and then each of its edges by what ALONG says. Meshes are likewise new or copies.
 *
 * The page's decoder is picture.js. */
#pragma once
#include "host/viewer/web/scene.h"

#define TD_WEB_PICTURE 1

enum td_web_stream {
    TD_WEB_COMMANDS, /* of each: clip (4), texture, parts */
    TD_WEB_PARTS,
    TD_WEB_RUNS, /* of rectangles: 2 * count + 1 and where from, dx, dy less those of the last copy; or 2 * count */
    TD_WEB_LEFT, /* of new ones: x0 and y0 less those of the one before */
    TD_WEB_TOP,
    TD_WEB_WIDTH,
    TD_WEB_HEIGHT,
    TD_WEB_PLACE,
    TD_WEB_COLOR,
    TD_WEB_ALONG,  /* of copies: how far x0 and x1 moved besides */
    TD_WEB_MESHES, /* of each: 1 and where from, dx, dy; or 0, vertices, indices */
    TD_WEB_X,      /* of vertices of new ones, less those of the vertex before */
    TD_WEB_Y,
    TD_WEB_POINT,  /* place in the texture, a number as those of rectangles */
    TD_WEB_TINT,   /* colour */
    TD_WEB_INDEX,  /* of new ones, less the index before in the same mesh */
    TD_WEB_BEND,   /* of vertices of copies: how far x and y moved besides */
    TD_WEB_COLORS, /* new ones, four bytes each */
    TD_WEB_PLACES, /* u0, v0, u1, v1 less those of the one before */
    TD_WEB_PIXELS, /* of textures */
    TD_WEB_STREAMS
};

struct td_web_pictures;

struct td_web_pictures *td_web_pictures_create(void); /* NULL: no memory */
void td_web_pictures_destroy(struct td_web_pictures *pictures);
/* The next message has a whole picture, for a browser that has none. */
void td_web_pictures_restart(struct td_web_pictures *pictures);
/* 1: *message is what to send, which free() frees; 0: nothing has changed; or TD_E_NOMEM. */
int td_web_pictures_encode(struct td_web_pictures *pictures, const struct td_remote_frame *frame,
                           uint8_t **message, size_t *bytes);
/* The number of the last message's picture. */
uint32_t td_web_pictures_number(const struct td_web_pictures *pictures);
/* The last picture, for tests. */
const struct td_scene *td_web_pictures_scene(const struct td_web_pictures *pictures);
