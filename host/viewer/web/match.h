/* Finds what of a picture was in the one before it, also when it has moved: a table over the rectangles and meshes of
 * the old picture. */
#pragma once
#include "host/viewer/web/scene.h"

struct td_match_table {
    const struct td_scene *old;
    uint32_t *places, *rows, *shapes, *levels; /* first item of each hash; UINT32_MAX: none */
    uint32_t *next_place, *next_row, *next_shape, *next_level;
    size_t rect_room, mesh_room; /* items of next_ */
    size_t rect_heads, mesh_heads;
    uint32_t *mesh_hash;
};

/* What a search found last: the next one begins there. */
struct td_match_at {
    uint32_t next; /* of the old picture, after the last match */
    int32_t dx, dy;
};

/* 0, or TD_E_NOMEM. The scene must stay as it is. */
int td_match_build(struct td_match_table *table, const struct td_scene *old);
void td_match_free(struct td_match_table *table);

/* The number of the old rectangle with this one's height, texture and colour, preferably that after the last match, or
 * one that moved as the last one did; UINT32_MAX: none. A rectangle that moved may have another width. */
uint32_t td_match_rect(const struct td_match_table *table, struct td_match_at *at,
                       const struct td_scene_rect *rect);
/* The same for a mesh: one with the same triangles, textures and colours. */
uint32_t td_match_mesh(const struct td_match_table *table, struct td_match_at *at,
                       const struct td_scene *scene, const struct td_scene_mesh *mesh);
