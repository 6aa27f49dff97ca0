#include "host/viewer/web/match.h"
#include "host/base/grow.h"

#define NONE        UINT32_MAX
#define LEAST_HEAD  64
#define MOST_LOOKS  12 /* at items of one hash */
#define MOST_MESHES 64
#define MOST_DRIFT  (4 * TD_SCENE_UNITS) /* of an edge against the rectangles before it, which is rounding */

static uint32_t mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * 0x9e3779b1u;
    return hash ^ hash >> 15;
}

/* What stays when a rectangle moves. */
static uint32_t hash_look(const struct td_scene_rect *r)
{
    uint32_t hash = mix((uint32_t)(r->y1 - r->y0), r->color);
    hash = mix(hash, (uint32_t)r->u0 << 16 ^ (uint32_t)r->v0);
    return mix(hash, (uint32_t)r->u1 << 16 ^ (uint32_t)r->v1);
}

static bool is_same_look(const struct td_scene_rect *a, const struct td_scene_rect *b)
{
    return a->color == b->color && a->y1 - a->y0 == b->y1 - b->y0 && a->u0 == b->u0 && a->v0 == b->v0 &&
           a->u1 == b->u1 && a->v1 == b->v1;
}

static uint32_t hash_mesh(const struct td_scene *s, const struct td_scene_mesh *m)
{
    uint32_t hash = mix(m->vertices, m->indices);
    for (uint32_t i = 0; i < m->vertices; i++) {
        const struct td_scene_vertex *v = &s->vertices[m->first_vertex + i];
        hash = mix(hash, v->color ^ ((uint32_t)v->u << 16 | (uint32_t)v->v));
    }
    for (uint32_t i = 0; i < m->indices; i++)
        hash = mix(hash, s->indices[m->first_index + i]);
    return hash;
}

/* ---- the table ---- */

static size_t heads_for(size_t items)
{
    size_t heads = LEAST_HEAD;
    while (heads < items * 2)
        heads *= 2;
    return heads;
}

static int make_heads(uint32_t **heads, size_t count)
{
    uint32_t *more = realloc(*heads, count * sizeof **heads);
    if (!more)
        return TD_E_NOMEM;
    memset(more, 0xff, count * sizeof *more);
    *heads = more;
    return 0;
}

static int make_next(uint32_t **next, size_t items)
{
    uint32_t *more = realloc(*next, (items ? items : 1) * sizeof **next);
    if (more)
        *next = more;
    return more ? 0 : TD_E_NOMEM;
}

static int make_room(struct td_match_table *t, size_t rects, size_t meshes)
{
    t->rect_heads = heads_for(rects);
    t->mesh_heads = heads_for(meshes);
    if (make_heads(&t->places, t->rect_heads) < 0 || make_heads(&t->rows, t->rect_heads) < 0 ||
        make_heads(&t->shapes, t->mesh_heads) < 0 || make_heads(&t->levels, t->mesh_heads) < 0)
        return TD_E_NOMEM;
    if (rects > t->rect_room || !t->next_place) {
        if (make_next(&t->next_place, rects) < 0 || make_next(&t->next_row, rects) < 0)
            return TD_E_NOMEM;
        t->rect_room = rects;
    }
    if (meshes > t->mesh_room || !t->next_shape) {
        if (make_next(&t->next_shape, meshes) < 0 || make_next(&t->next_level, meshes) < 0 ||
            make_next(&t->mesh_hash, meshes) < 0)
            return TD_E_NOMEM;
        t->mesh_room = meshes;
    }
    return 0;
}

static size_t place_of(const struct td_match_table *t, uint32_t look, int32_t x0, int32_t y0)
{
    return mix(mix(look, (uint32_t)x0), (uint32_t)y0) & (t->rect_heads - 1);
}

static size_t row_of(const struct td_match_table *t, uint32_t look, int32_t y0)
{
    return mix(look, (uint32_t)y0) & (t->rect_heads - 1);
}

static size_t level_of(const struct td_match_table *t, uint32_t hash, int32_t y)
{
    return mix(hash, (uint32_t)y) & (t->mesh_heads - 1);
}

int td_match_build(struct td_match_table *t, const struct td_scene *old)
{
    t->old = old;
    if (make_room(t, old->rect_count, old->mesh_count) < 0)
        return TD_E_NOMEM;
    /* From the last one, so that lists are in order. */
    for (size_t i = old->rect_count; i-- > 0;) {
        const struct td_scene_rect *r = &old->rects[i];
        const uint32_t look = hash_look(r);
        const size_t place = place_of(t, look, r->x0, r->y0), row = row_of(t, look, r->y0);
        t->next_place[i] = t->places[place];
        t->places[place] = (uint32_t)i;
        t->next_row[i] = t->rows[row];
        t->rows[row] = (uint32_t)i;
    }
    for (size_t i = old->mesh_count; i-- > 0;) {
        t->mesh_hash[i] = hash_mesh(old, &old->meshes[i]);
        const size_t shape = t->mesh_hash[i] & (t->mesh_heads - 1);
        const size_t level = level_of(t, t->mesh_hash[i], old->vertices[old->meshes[i].first_vertex].y);
        t->next_level[i] = t->levels[level];
        t->levels[level] = (uint32_t)i;
        t->next_shape[i] = t->shapes[shape];
        t->shapes[shape] = (uint32_t)i;
    }
    return 0;
}

void td_match_free(struct td_match_table *t)
{
    free(t->places);
    free(t->rows);
    free(t->shapes);
    free(t->levels);
    free(t->next_place);
    free(t->next_row);
    free(t->next_shape);
    free(t->next_level);
    free(t->mesh_hash);
    *t = (struct td_match_table){0};
}

/* ---- rectangles ---- */

static bool continues(const struct td_match_at *at, const struct td_scene_rect *old,
                      const struct td_scene_rect *rect)
{
    return rect->y0 == old->y0 + at->dy && abs(rect->x0 - old->x0 - at->dx) <= MOST_DRIFT &&
           abs(rect->x1 - old->x1 - at->dx) <= MOST_DRIFT && is_same_look(old, rect);
}

static uint32_t find_place(const struct td_match_table *t, uint32_t look, const struct td_scene_rect *rect,
                           int32_t dx, int32_t dy)
{
    const int32_t x0 = rect->x0 - dx, y0 = rect->y0 - dy;
    uint32_t at = t->places[place_of(t, look, x0, y0)];
    for (int looks = 0; at != NONE && looks < MOST_LOOKS; looks++, at = t->next_place[at]) {
        const struct td_scene_rect *old = &t->old->rects[at];
        if (old->x0 == x0 && old->y0 == y0 && abs(old->x1 + dx - rect->x1) <= MOST_DRIFT &&
            is_same_look(old, rect))
            return at;
    }
    return NONE;
}

/* The first one of the row from `next` on. */
static uint32_t find_row(const struct td_match_table *t, uint32_t look, const struct td_scene_rect *rect,
                         uint32_t next)
{
    uint32_t at = t->rows[row_of(t, look, rect->y0)];
    for (int looks = 0; at != NONE && looks < MOST_LOOKS; looks++, at = t->next_row[at])
        if (at >= next && t->old->rects[at].y0 == rect->y0 && is_same_look(&t->old->rects[at], rect))
            return at;
    return NONE;
}

uint32_t td_match_rect(const struct td_match_table *t, struct td_match_at *at,
                       const struct td_scene_rect *rect)
{
    if (at->next < t->old->rect_count && continues(at, &t->old->rects[at->next], rect))
        return at->next++;
    const uint32_t look = hash_look(rect);
    uint32_t found = find_place(t, look, rect, at->dx, at->dy);
    if (found != NONE) {
        at->next = found + 1;
        return found;
    }
    found = at->dx || at->dy ? find_place(t, look, rect, 0, 0) : NONE;
    if (found == NONE)
        found = find_row(t, look, rect, at->next);
    if (found == NONE)
        return NONE;
    at->next = found + 1;
    at->dx = rect->x0 - t->old->rects[found].x0;
    at->dy = rect->y0 - t->old->rects[found].y0;
    return found;
}

/* ---- meshes ---- */

static bool is_same_shape(const struct td_scene *a, const struct td_scene_mesh *m, const struct td_scene *b,
                          const struct td_scene_mesh *n)
{
    if (m->vertices != n->vertices || m->indices != n->indices ||
        memcmp(a->indices + m->first_index, b->indices + n->first_index, m->indices * sizeof *a->indices) !=
            0)
        return false;
    for (uint32_t i = 0; i < m->vertices; i++) {
        const struct td_scene_vertex *v = &a->vertices[m->first_vertex + i],
                                     *w = &b->vertices[n->first_vertex + i];
        if (v->color != w->color || v->u != w->u || v->v != w->v)
            return false;
    }
    return true;
}

/* The first of a list, from the one after the last match on, that has the mesh's shape, at the height `y`. */
static uint32_t find_shape(const struct td_match_table *t, uint32_t from, const uint32_t *list, uint32_t next,
                           const struct td_scene *scene, const struct td_scene_mesh *mesh, const int32_t *y)
{
    for (int looks = 0; from != NONE && looks < MOST_MESHES; looks++, from = list[from]) {
        const struct td_scene_mesh *old = &t->old->meshes[from];
        if (from >= next && (!y || t->old->vertices[old->first_vertex].y == *y) &&
            is_same_shape(t->old, old, scene, mesh))
            return from;
    }
    return NONE;
}

uint32_t td_match_mesh(const struct td_match_table *t, struct td_match_at *at, const struct td_scene *scene,
                       const struct td_scene_mesh *mesh)
{
    const struct td_scene_vertex *first = &scene->vertices[mesh->first_vertex];
    uint32_t found = NONE;
    if (at->next < t->old->mesh_count) {
        const struct td_scene_mesh *old = &t->old->meshes[at->next];
        if (t->old->vertices[old->first_vertex].y + at->dy == first->y &&
            is_same_shape(t->old, old, scene, mesh))
            found = at->next;
    }
    const uint32_t hash = found == NONE ? hash_mesh(scene, mesh) : 0;
    const int32_t moved = first->y - at->dy;
    if (found == NONE)
        found =
            find_shape(t, t->levels[level_of(t, hash, moved)], t->next_level, at->next, scene, mesh, &moved);
    if (found == NONE && at->dy)
        found = find_shape(t, t->levels[level_of(t, hash, first->y)], t->next_level, at->next, scene, mesh,
                           &first->y);
    if (found == NONE)
        found =
            find_shape(t, t->shapes[hash & (t->mesh_heads - 1)], t->next_shape, at->next, scene, mesh, NULL);
    if (found != NONE) {
        const struct td_scene_vertex *old = &t->old->vertices[t->old->meshes[found].first_vertex];
        *at = (struct td_match_at){found + 1, first->x - old->x, first->y - old->y};
    }
    return found;
}
