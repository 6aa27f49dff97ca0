#include "host/viewer/web/scene.h"
#include "host/base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECT_INDICES 6
#define CORNERS      4

struct texture_size {
    float u, v; /* units for all of it */
};

struct taker {
    struct td_scene *scene;
    const struct td_remote_frame *frame;
    const struct td_remote_list *list;
    struct texture_size size;
    bool meshes; /* what the last part of the command counts */
};

static int32_t in_units(float value, float units)
{
    return (int32_t)floorf(value * units + .5f);
}

static struct texture_size find_size(const struct td_remote_frame *frame, uint32_t texture)
{
    for (size_t i = 0; i < frame->texture_count; i++)
        if (frame->textures[i].id == texture)
            return (struct texture_size){(float)frame->textures[i].width * TD_SCENE_UNITS,
                                         (float)frame->textures[i].height * TD_SCENE_UNITS};
    return (struct texture_size){0, 0};
}

/* ---- parts ---- */

static int start_part(struct taker *t, bool meshes)
{
    struct td_scene *s = t->scene;
    struct td_scene_command *command = &s->commands[s->command_count - 1];
    if (command->parts && t->meshes == meshes)
        return 0;
    const uint32_t more = !command->parts && meshes ? 2 : 1; /* no rectangles before the first mesh */
    if (td_grow(&s->parts, &s->part_room, s->part_count + more, sizeof *s->parts) < 0)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < more; i++)
        s->parts[s->part_count++] = 0;
    command->parts += more;
    t->meshes = meshes;
    return 0;
}

static int add_rect(struct taker *t, const struct td_scene_rect *rect)
{
    struct td_scene *s = t->scene;
    if (start_part(t, false) < 0 || TD_APPEND(s->rects, s->rect_count, s->rect_room, *rect) < 0)
        return TD_E_NOMEM;
    s->parts[s->part_count - 1]++;
    return 0;
}

/* ---- rectangles ---- */

static bool is_upright(const struct td_remote_vertex *v)
{
    return v[0].y == v[1].y && v[1].x == v[2].x && v[2].y == v[3].y && v[3].x == v[0].x && v[0].v == v[1].v &&
           v[1].u == v[2].u && v[2].v == v[3].v && v[3].u == v[0].u && v[0].color == v[1].color &&
           v[0].color == v[2].color && v[0].color == v[3].color;
}

/* The corners of a rectangle whose two triangles begin at `index`; NULL: it is none. */
static const struct td_remote_vertex *find_rect(const struct td_remote_list *list, const uint16_t *index,
                                                const struct td_remote_vertex *vertices)
{
    const unsigned first = index[0];
    if (index[1] != first + 1 || index[2] != first + 2 || index[3] != first || index[4] != first + 2 ||
        index[5] != first + 3)
        return NULL;
    const struct td_remote_vertex *corners = vertices + first;
    return corners + CORNERS <= list->vertices + list->vertex_count && is_upright(corners) ? corners : NULL;
}

static int take_rect(struct taker *t, const struct td_remote_vertex *v)
{
    const struct td_scene_rect rect = {
        in_units(v[0].x, TD_SCENE_UNITS), in_units(v[0].y, TD_SCENE_UNITS), in_units(v[2].x, TD_SCENE_UNITS),
        in_units(v[2].y, TD_SCENE_UNITS), in_units(v[0].u, t->size.u),      in_units(v[0].v, t->size.v),
        in_units(v[2].u, t->size.u),      in_units(v[2].v, t->size.v),      v[0].color};
    return add_rect(t, &rect);
}

static uint32_t swap_ends(td_rgba color)
{
    return (color & 0xff00ff00) | (color >> 16 & 255) | (color & 255) << 16;
}

/* A line of strip.h, one pixel in height, becomes a rectangle for each of its runs of a colour. */
static int take_strip(struct taker *t, const struct td_remote_vertex *v)
{
    const struct td_remote_strips *strips = &t->frame->strips;
    const int line = (int)(v[0].v * (float)strips->lines);
    const int end = (int)(v[2].u * (float)strips->width + .5f);
    if (line < 0 || line >= strips->lines || end > strips->width)
        return 0;
    const td_rgba *pixels = strips->pixels + (size_t)line * (size_t)strips->width;
    struct td_scene_rect rect = {.y0 = in_units(v[0].y, TD_SCENE_UNITS),
                                 .y1 = in_units(v[2].y, TD_SCENE_UNITS)};
    const int32_t left = in_units(v[0].x, TD_SCENE_UNITS);
    for (int from = 0, to; from < end; from = to) {
        for (to = from + 1; to < end && pixels[to] == pixels[from];)
            to++;
        if (!(pixels[from] >> 24))
            continue;
        rect.x0 = left + from * TD_SCENE_UNITS;
        rect.x1 = left + to * TD_SCENE_UNITS;
        rect.color = swap_ends(pixels[from]);
        if (add_rect(t, &rect) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* ---- meshes ---- */

/* The end of the triangles from `at` on that are connected, up to the next rectangle. */
static uint32_t mesh_end(const struct td_remote_list *list, const uint16_t *index, uint32_t at, uint32_t end,
                         const struct td_remote_vertex *vertices, unsigned *least, unsigned *most)
{
    *least = UINT16_MAX;
    *most = 0;
    for (uint32_t i = at; i + 3 <= end; i += 3) {
        unsigned low = UINT16_MAX, high = 0;
        for (uint32_t k = i; k < i + 3; k++) {
            low = index[k] < low ? index[k] : low;
            high = index[k] > high ? index[k] : high;
        }
        if (i > at && low > *most)
            return i;
        if (i > at && i + RECT_INDICES <= end && find_rect(list, index + i, vertices))
            return i;
        *least = low < *least ? low : *least;
        *most = high > *most ? high : *most;
    }
    return end;
}

static int take_mesh(struct taker *t, const uint16_t *index, uint32_t count,
                     const struct td_remote_vertex *vertices, unsigned least, unsigned most)
{
    struct td_scene *s = t->scene;
    const struct td_scene_mesh mesh = {(uint32_t)s->vertex_count, most - least + 1, (uint32_t)s->index_count,
                                       count};
    if (start_part(t, true) < 0 || TD_APPEND(s->meshes, s->mesh_count, s->mesh_room, mesh) < 0 ||
        td_grow(&s->vertices, &s->vertex_room, s->vertex_count + mesh.vertices, sizeof *s->vertices) < 0 ||
        td_grow(&s->indices, &s->index_room, s->index_count + count, sizeof *s->indices) < 0)
        return TD_E_NOMEM;
    for (unsigned i = least; i <= most; i++) {
        const struct td_remote_vertex *v = &vertices[i];
        s->vertices[s->vertex_count++] =
            (struct td_scene_vertex){in_units(v->x, TD_SCENE_UNITS), in_units(v->y, TD_SCENE_UNITS),
                                     in_units(v->u, t->size.u), in_units(v->v, t->size.v), v->color};
    }
    for (uint32_t i = 0; i < count; i++)
        s->indices[s->index_count++] = (uint16_t)(index[i] - least);
    s->parts[s->part_count - 1]++;
    return 0;
}

/* ---- commands ---- */

static int add_command(struct taker *t, const struct td_remote_command *c, bool strips)
{
    struct td_scene *s = t->scene;
    const struct td_scene_command command = {.clip = {(int32_t)floorf(c->clip[0]),
                                                      (int32_t)floorf(c->clip[1]), (int32_t)ceilf(c->clip[2]),
                                                      (int32_t)ceilf(c->clip[3])},
                                             .texture = strips ? 0 : c->texture,
                                             .first_part = (uint32_t)s->part_count};
    t->size = strips ? (struct texture_size){0, 0} : find_size(t->frame, c->texture);
    return TD_APPEND(s->commands, s->command_count, s->command_room, command);
}

static int take_command(struct taker *t, const struct td_remote_command *c)
{
    const struct td_remote_list *list = t->list;
    const struct td_remote_vertex *vertices = list->vertices + c->first_vertex;
    const uint16_t *index = list->indices + c->first_index;
    const bool strips = t->frame->strips.texture && c->texture == t->frame->strips.texture;
    int rc = add_command(t, c, strips);
    for (uint32_t i = 0; i + 3 <= c->indices && rc == 0;) {
        const struct td_remote_vertex *rect =
            i + RECT_INDICES <= c->indices ? find_rect(list, index + i, vertices) : NULL;
        if (rect) {
            rc = strips ? take_strip(t, rect) : take_rect(t, rect);
            i += RECT_INDICES;
            continue;
        }
        unsigned least, most;
        const uint32_t end = mesh_end(list, index, i, c->indices, vertices, &least, &most);
        rc = take_mesh(t, index + i, end - i, vertices, least, most);
        i = end;
    }
    return rc;
}

int td_scene_take(struct td_scene *scene, const struct td_remote_frame *frame)
{
    struct taker t = {.scene = scene, .frame = frame};
    int rc = 0;
    scene->width = frame->width;
    scene->height = frame->height;
    scene->cursor = frame->cursor;
    scene->command_count = scene->part_count = scene->rect_count = scene->mesh_count = 0;
    scene->vertex_count = scene->index_count = 0;
    for (size_t l = 0; l < frame->list_count && rc == 0; l++) {
        t.list = &frame->lists[l];
        for (size_t c = 0; c < t.list->command_count && rc == 0; c++)
            rc = take_command(&t, &t.list->commands[c]);
    }
    return rc;
}

static bool same(const void *a, size_t a_count, const void *b, size_t b_count, size_t item)
{
    return a_count == b_count && (!a_count || !memcmp(a, b, a_count * item));
}

bool td_scene_equal(const struct td_scene *a, const struct td_scene *b)
{
    return a->width == b->width && a->height == b->height && a->cursor == b->cursor &&
           same(a->commands, a->command_count, b->commands, b->command_count, sizeof *a->commands) &&
           same(a->parts, a->part_count, b->parts, b->part_count, sizeof *a->parts) &&
           same(a->rects, a->rect_count, b->rects, b->rect_count, sizeof *a->rects) &&
           same(a->meshes, a->mesh_count, b->meshes, b->mesh_count, sizeof *a->meshes) &&
           same(a->vertices, a->vertex_count, b->vertices, b->vertex_count, sizeof *a->vertices) &&
           same(a->indices, a->index_count, b->indices, b->index_count, sizeof *a->indices);
}

void td_scene_free(struct td_scene *scene)
{
    free(scene->commands);
    free(scene->parts);
    free(scene->rects);
    free(scene->meshes);
    free(scene->vertices);
    free(scene->indices);
    *scene = (struct td_scene){0};
}
