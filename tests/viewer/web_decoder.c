#include "tests/viewer/web_decoder.h"
#include "host/base/grow.h"
#include "host/viewer/web/pictures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <zlib.h>

#define MOST_BYTES (64u << 20)

struct stream {
    const uint8_t *at, *end;
};

struct reader {
    struct stream head, streams[TD_WEB_STREAMS];
    size_t colors, places, commands, parts, rects, meshes, vertices, indices; /* counts of the head */
};

static uint32_t read_number(struct stream *s)
{
    uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(s->at < s->end && shift < 35);
        const uint8_t byte = *s->at++;
        number |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
}

static int32_t read_signed(struct stream *s)
{
    const uint32_t number = read_number(s);
    return (int32_t)(number >> 1) ^ -(int32_t)(number & 1);
}

static uint8_t *inflate_message(const uint8_t *message, size_t bytes, size_t *got)
{
    uint8_t *out = malloc(MOST_BYTES);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)(message + 1), .avail_in = (uInt)(bytes - 1)};
    assert_non_null(out);
    assert_int_equal(message[0], TD_WEB_PICTURE);
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    z.next_out = out;
    z.avail_out = MOST_BYTES;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    *got = z.total_out;
    inflateEnd(&z);
    return out;
}

/* ---- the head ---- */

static struct decoded_texture *find_texture(struct web_decoder *d, uint32_t id)
{
    for (size_t i = 0; i < d->texture_count; i++)
        if (d->textures[i].id == id)
            return &d->textures[i];
    return NULL;
}

static void forget_texture(struct web_decoder *d, struct decoded_texture *t)
{
    assert_non_null(t);
    free(t->pixels);
    *t = d->textures[--d->texture_count];
}

/* Their pixels follow. */
static size_t read_textures(struct web_decoder *d, struct reader *r, struct decoded_texture *changed)
{
    const size_t count = read_number(&r->head);
    assert_true(count <= MOST_TEXTURES);
    for (size_t i = 0; i < count; i++) {
        changed[i].id = read_number(&r->head);
        changed[i].width = (int)read_number(&r->head);
        changed[i].height = (int)read_number(&r->head);
        changed[i].pixel_bytes = (int)read_number(&r->head);
        changed[i].pixels = NULL;
    }
    for (size_t gone = read_number(&r->head); gone; gone--)
        forget_texture(d, find_texture(d, read_number(&r->head)));
    return count;
}

static void read_head(struct web_decoder *d, struct reader *r, struct decoded_texture *changed,
                      size_t *changes)
{
    d->number = read_number(&r->head);
    d->whole = read_number(&r->head);
    if (d->whole) {
        d->color_count = d->place_count = 0;
        while (d->texture_count)
            forget_texture(d, &d->textures[0]);
    }
    d->scene.width = (int)read_number(&r->head);
    d->scene.height = (int)read_number(&r->head);
    d->scene.cursor = (enum td_remote_cursor)read_number(&r->head);
    *changes = read_textures(d, r, changed);
    size_t *const counts[] = {&r->colors, &r->places, &r->commands, &r->parts,
                              &r->rects,  &r->meshes, &r->vertices, &r->indices};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        *counts[i] = read_number(&r->head);
    size_t sizes[TD_WEB_STREAMS];
    for (int i = 0; i < TD_WEB_STREAMS; i++)
        sizes[i] = read_number(&r->head);
    const uint8_t *at = r->head.at;
    for (int i = 0; i < TD_WEB_STREAMS; at += sizes[i], i++) {
        assert_true(sizes[i] <= (size_t)(r->head.end - at));
        r->streams[i] = (struct stream){at, at + sizes[i]};
    }
    assert_ptr_equal(at, r->head.end);
}

static void read_values(struct web_decoder *d, struct reader *r, struct decoded_texture *changed,
                        size_t changes)
{
    for (size_t i = 0; i < r->colors; i++) {
        uint32_t color;
        memcpy(&color, r->streams[TD_WEB_COLORS].at, sizeof color);
        r->streams[TD_WEB_COLORS].at += sizeof color;
        assert_int_equal(TD_APPEND(d->colors, d->color_count, d->color_room, color), 0);
    }
    for (size_t i = 0; i < r->places; i++) {
        assert_int_equal(td_grow(&d->places, &d->place_room, d->place_count + 1, sizeof *d->places), 0);
        for (int k = 0; k < 4; k++)
            d->places[d->place_count][k] = read_signed(&r->streams[TD_WEB_PLACES]) +
                                           (d->place_count ? d->places[d->place_count - 1][k] : 0);
        d->place_count++;
    }
    for (size_t i = 0; i < changes; i++) {
        struct decoded_texture *t = &changed[i];
        const size_t bytes = (size_t)t->width * (size_t)t->height * (size_t)t->pixel_bytes;
        assert_true(bytes <= (size_t)(r->streams[TD_WEB_PIXELS].end - r->streams[TD_WEB_PIXELS].at));
        t->pixels = malloc(bytes);
        memcpy(t->pixels, r->streams[TD_WEB_PIXELS].at, bytes);
        r->streams[TD_WEB_PIXELS].at += bytes;
        if (find_texture(d, t->id))
            forget_texture(d, find_texture(d, t->id));
        assert_true(d->texture_count < MOST_TEXTURES);
        d->textures[d->texture_count++] = *t;
    }
}

/* ---- the scene ---- */

static void make_room(struct td_scene *s, const struct reader *r)
{
    s->command_count = r->commands;
    s->part_count = r->parts;
    s->rect_count = r->rects;
    s->mesh_count = r->meshes;
    s->vertex_count = r->vertices;
    s->index_count = r->indices;
    s->commands = calloc(r->commands + 1, sizeof *s->commands);
    s->parts = calloc(r->parts + 1, sizeof *s->parts);
    s->rects = calloc(r->rects + 1, sizeof *s->rects);
    s->meshes = calloc(r->meshes + 1, sizeof *s->meshes);
    s->vertices = calloc(r->vertices + 1, sizeof *s->vertices);
    s->indices = calloc(r->indices + 1, sizeof *s->indices);
}

static void read_commands(struct td_scene *s, struct reader *r)
{
    uint32_t parts = 0;
    for (size_t i = 0; i < s->command_count; i++) {
        struct td_scene_command *c = &s->commands[i];
        for (int k = 0; k < 4; k++)
            c->clip[k] = read_signed(&r->streams[TD_WEB_COMMANDS]);
        c->texture = read_number(&r->streams[TD_WEB_COMMANDS]);
        c->parts = read_number(&r->streams[TD_WEB_COMMANDS]);
        c->first_part = parts;
        parts += c->parts;
    }
    assert_int_equal(parts, s->part_count);
    for (size_t i = 0; i < s->part_count; i++)
        s->parts[i] = read_number(&r->streams[TD_WEB_PARTS]);
}

static void read_new_rect(const struct web_decoder *d, struct reader *r, struct td_scene_rect *to,
                          const struct td_scene_rect *before)
{
    to->x0 = before->x0 + read_signed(&r->streams[TD_WEB_LEFT]);
    to->y0 = before->y0 + read_signed(&r->streams[TD_WEB_TOP]);
    to->x1 = to->x0 + read_signed(&r->streams[TD_WEB_WIDTH]);
    to->y1 = to->y0 + read_signed(&r->streams[TD_WEB_HEIGHT]);
    const uint32_t place = read_number(&r->streams[TD_WEB_PLACE]),
                   color = read_number(&r->streams[TD_WEB_COLOR]);
    assert_true(place < d->place_count && color < d->color_count);
    to->u0 = d->places[place][0];
    to->v0 = d->places[place][1];
    to->u1 = d->places[place][2];
    to->v1 = d->places[place][3];
    to->color = d->colors[color];
}

static void read_rects(const struct web_decoder *d, const struct td_scene *old, struct td_scene *s,
                       struct reader *r)
{
    static const struct td_scene_rect origin;
    uint32_t next = 0;
    int32_t dx = 0, dy = 0;
    for (size_t i = 0; i < s->rect_count;) {
        const uint32_t run = read_number(&r->streams[TD_WEB_RUNS]), count = run / 2;
        assert_true(count && count <= s->rect_count - i);
        if (!(run & 1)) {
            for (const size_t end = i + count; i < end; i++)
                read_new_rect(d, r, &s->rects[i], i ? &s->rects[i - 1] : &origin);
            continue;
        }
        next += (uint32_t)read_signed(&r->streams[TD_WEB_RUNS]);
        dx += read_signed(&r->streams[TD_WEB_RUNS]);
        dy += read_signed(&r->streams[TD_WEB_RUNS]);
        for (const size_t end = i + count; i < end; i++, next++) {
            assert_true(next < old->rect_count);
            s->rects[i] = old->rects[next];
            s->rects[i].x0 += dx + read_signed(&r->streams[TD_WEB_ALONG]);
            s->rects[i].x1 += dx + read_signed(&r->streams[TD_WEB_ALONG]);
            s->rects[i].y0 += dy;
            s->rects[i].y1 += dy;
        }
    }
}

static void read_new_mesh(const struct web_decoder *d, struct td_scene *s, struct td_scene_mesh *m,
                          struct reader *r)
{
    m->vertices = read_number(&r->streams[TD_WEB_MESHES]);
    m->indices = read_number(&r->streams[TD_WEB_MESHES]);
    assert_true(m->first_vertex + m->vertices <= s->vertex_count &&
                m->first_index + m->indices <= s->index_count);
    for (uint32_t i = m->first_vertex; i < m->first_vertex + m->vertices; i++) {
        struct td_scene_vertex *v = &s->vertices[i];
        v->x = (i ? v[-1].x : 0) + read_signed(&r->streams[TD_WEB_X]);
        v->y = (i ? v[-1].y : 0) + read_signed(&r->streams[TD_WEB_Y]);
        const uint32_t place = read_number(&r->streams[TD_WEB_POINT]),
                       color = read_number(&r->streams[TD_WEB_TINT]);
        assert_true(place < d->place_count && color < d->color_count);
        v->u = d->places[place][0];
        v->v = d->places[place][1];
        v->color = d->colors[color];
    }
    for (uint32_t i = m->first_index; i < m->first_index + m->indices; i++)
        s->indices[i] =
            (uint16_t)((i > m->first_index ? s->indices[i - 1] : 0) + read_signed(&r->streams[TD_WEB_INDEX]));
}

static void copy_mesh(const struct td_scene *old, const struct td_scene_mesh *from, struct td_scene *s,
                      struct td_scene_mesh *m, int32_t dx, int32_t dy, struct reader *r)
{
    m->vertices = from->vertices;
    m->indices = from->indices;
    for (uint32_t i = 0; i < m->vertices; i++) {
        struct td_scene_vertex *v = &s->vertices[m->first_vertex + i];
        *v = old->vertices[from->first_vertex + i];
        v->x += dx + read_signed(&r->streams[TD_WEB_BEND]);
        v->y += dy + read_signed(&r->streams[TD_WEB_BEND]);
    }
    memcpy(s->indices + m->first_index, old->indices + from->first_index, m->indices * sizeof *s->indices);
}

static void read_meshes(const struct web_decoder *d, const struct td_scene *old, struct td_scene *s,
                        struct reader *r)
{
    uint32_t next = 0, vertices = 0, indices = 0;
    int32_t dx = 0, dy = 0;
    struct stream *from = &r->streams[TD_WEB_MESHES];
    for (size_t i = 0; i < s->mesh_count; i++) {
        struct td_scene_mesh *m = &s->meshes[i];
        m->first_vertex = vertices;
        m->first_index = indices;
        if (read_number(from)) {
            next += (uint32_t)read_signed(from);
            dx += read_signed(from);
            dy += read_signed(from);
            assert_true(next < old->mesh_count);
            copy_mesh(old, &old->meshes[next++], s, m, dx, dy, r);
        } else {
            read_new_mesh(d, s, m, r);
        }
        vertices += m->vertices;
        indices += m->indices;
    }
    assert_int_equal(vertices, s->vertex_count);
    assert_int_equal(indices, s->index_count);
}

void decode_picture(struct web_decoder *d, const uint8_t *message, size_t bytes)
{
    size_t got, changes;
    uint8_t *body = inflate_message(message, bytes, &got);
    struct reader r = {.head = {body, body + got}};
    struct decoded_texture changed[MOST_TEXTURES];
    struct td_scene old = d->scene;
    read_head(d, &r, changed, &changes);
    struct td_scene next = {.width = d->scene.width, .height = d->scene.height, .cursor = d->scene.cursor};
    read_values(d, &r, changed, changes);
    make_room(&next, &r);
    read_commands(&next, &r);
    read_rects(d, &old, &next, &r);
    read_meshes(d, &old, &next, &r);
    for (int i = 0; i < TD_WEB_STREAMS; i++)
        assert_ptr_equal(r.streams[i].at, r.streams[i].end);
    td_scene_free(&old);
    d->scene = next;
    free(body);
}

void free_decoder(struct web_decoder *d)
{
    td_scene_free(&d->scene);
    while (d->texture_count)
        forget_texture(d, &d->textures[0]);
    free(d->colors);
    free(d->places);
}
