/* A picture as a browser gets it: most of it are upright rectangles, the rest are small meshes. Coordinates are whole
 * numbers of TD_SCENE_UNITS to a pixel, or to a pixel of a texture. */
#pragma once
#include "host/viewer/ui/remote.h"

#define TD_SCENE_UNITS 16

struct td_scene_rect {
    int32_t x0, y0, x1, y1;
    int32_t u0, v0, u1, v1;
    uint32_t color; /* 0xAABBGGRR */
};

struct td_scene_vertex {
    int32_t x, y, u, v;
    uint32_t color;
};

/* Triangles that share vertices. Their indices count from the mesh's first vertex. */
struct td_scene_mesh {
    uint32_t first_vertex, vertices, first_index, indices;
};

/* What is drawn with one texture (0: none) and one clip rectangle, in pixels. `parts` are numbers of rectangles and of
 * meshes by turns, rectangles first: those of all commands follow each other in td_scene. */
struct td_scene_command {
    int32_t clip[4];
    uint32_t texture, first_part, parts;
};

struct td_scene { /* all zero: empty */
    int width, height;
    enum td_remote_cursor cursor;
    struct td_scene_command *commands;
    uint32_t *parts;
    struct td_scene_rect *rects;
    struct td_scene_mesh *meshes;
    struct td_scene_vertex *vertices;
    uint16_t *indices;
    size_t command_count, part_count, rect_count, mesh_count, vertex_count, index_count;
    size_t command_room, part_room, rect_room, mesh_room, vertex_room, index_room;
};

/* Replaces what is in the scene. 0, or TD_E_NOMEM. */
int td_scene_take(struct td_scene *scene, const struct td_remote_frame *frame);
bool td_scene_equal(const struct td_scene *a, const struct td_scene *b);
void td_scene_free(struct td_scene *scene);
