#include "host/viewer/web/pictures.h"
#include "host/base/byte_buffer.h"
#include "host/viewer/web/known.h"
#include "host/viewer/web/match.h"

#include <zlib.h>

#define MOST_KNOWN   20000 /* colours or places, then a whole picture begins anew */
#define FAST         1     /* level of zlib */
#define RAW_WINDOW   (-15)
#define ZLIB_MEMORY  8
#define HEAD_NUMBERS 8

struct sent_texture {
    uint32_t id, version;
};

struct td_web_pictures {
    struct td_scene scenes[2];
    int now; /* the last one that was sent; the other one gets the next picture */
    bool whole;
    uint32_t number;
    struct td_match_table table;
    struct td_known colors, places;
    struct sent_texture *textures;
    size_t texture_count, texture_room;
    struct td_byte_buffer head, streams[TD_WEB_STREAMS], message;
    z_stream zlib;
};

struct td_web_pictures *td_web_pictures_create(void)
{
    struct td_web_pictures *p = calloc(1, sizeof *p);
    if (p && deflateInit2(&p->zlib, FAST, Z_DEFLATED, RAW_WINDOW, ZLIB_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) {
        p->whole = true;
        return p;
    }
    free(p);
    return NULL;
}

void td_web_pictures_destroy(struct td_web_pictures *p)
{
    if (!p)
        return;
    deflateEnd(&p->zlib);
    for (int i = 0; i < 2; i++)
        td_scene_free(&p->scenes[i]);
    for (int i = 0; i < TD_WEB_STREAMS; i++)
        td_byte_buffer_free(&p->streams[i]);
    td_byte_buffer_free(&p->head);
    td_byte_buffer_free(&p->message);
    td_match_free(&p->table);
    td_known_free(&p->colors);
    td_known_free(&p->places);
    free(p->textures);
    free(p);
}

void td_web_pictures_restart(struct td_web_pictures *p)
{
    p->whole = true;
}

uint32_t td_web_pictures_number(const struct td_web_pictures *p)
{
    return p->number;
}

const struct td_scene *td_web_pictures_scene(const struct td_web_pictures *p)
{
    return &p->scenes[p->now];
}

/* ---- textures ---- */

static struct sent_texture *find_sent(const struct td_web_pictures *p, uint32_t id)
{
    for (size_t i = 0; i < p->texture_count; i++)
        if (p->textures[i].id == id)
            return &p->textures[i];
    return NULL;
}

static bool is_in_frame(const struct td_remote_frame *frame, uint32_t id)
{
    for (size_t i = 0; i < frame->texture_count; i++)
        if (frame->textures[i].id == id)
            return true;
    return false;
}

static bool is_sent(const struct td_web_pictures *p, const struct td_remote_texture *t)
{
    const struct sent_texture *sent = find_sent(p, t->id);
    return sent && sent->version == t->version;
}

static bool textures_changed(const struct td_web_pictures *p, const struct td_remote_frame *frame)
{
    for (size_t i = 0; i < frame->texture_count; i++)
        if (!is_sent(p, &frame->textures[i]))
            return true;
    return p->texture_count != frame->texture_count;
}

static void put_texture(struct td_web_pictures *p, const struct td_remote_texture *t)
{
    const uint32_t numbers[] = {t->id, (uint32_t)t->width, (uint32_t)t->height, (uint32_t)t->pixel_bytes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        td_byte_buffer_number(&p->head, numbers[i]);
    td_byte_buffer_append(&p->streams[TD_WEB_PIXELS], t->pixels,
                          (size_t)t->width * (size_t)t->height * (size_t)t->pixel_bytes);
}

static int put_textures(struct td_web_pictures *p, const struct td_remote_frame *frame)
{
    uint32_t changed = 0, gone = 0;
    for (size_t i = 0; i < frame->texture_count; i++)
        changed += !is_sent(p, &frame->textures[i]);
    td_byte_buffer_number(&p->head, changed);
    for (size_t i = 0; i < frame->texture_count; i++)
        if (!is_sent(p, &frame->textures[i]))
            put_texture(p, &frame->textures[i]);
    for (size_t i = 0; i < p->texture_count; i++)
        gone += !is_in_frame(frame, p->textures[i].id);
    td_byte_buffer_number(&p->head, gone);
    for (size_t i = 0; i < p->texture_count; i++)
        if (!is_in_frame(frame, p->textures[i].id))
            td_byte_buffer_number(&p->head, p->textures[i].id);
    if (td_grow(&p->textures, &p->texture_room, frame->texture_count, sizeof *p->textures) < 0)
        return TD_E_NOMEM;
    p->texture_count = frame->texture_count;
    for (size_t i = 0; i < frame->texture_count; i++)
        p->textures[i] = (struct sent_texture){frame->textures[i].id, frame->textures[i].version};
    return 0;
}

/* ---- rectangles ---- */

static void put_color(struct td_web_pictures *p, enum td_web_stream to, uint32_t color)
{
    const int32_t value[4] = {(int32_t)color};
    const size_t before = p->colors.count;
    const uint32_t number = td_known_number(&p->colors, value);
    td_byte_buffer_number(&p->streams[to], number);
    if (p->colors.count > before)
        td_byte_buffer_append(&p->streams[TD_WEB_COLORS], &color, sizeof color);
    p->head.failed |= number == UINT32_MAX;
}

static void put_place(struct td_web_pictures *p, enum td_web_stream to, int32_t u0, int32_t v0, int32_t u1,
                      int32_t v1)
{
    const int32_t value[4] = {u0, v0, u1, v1};
    const size_t before = p->places.count;
    const uint32_t number = td_known_number(&p->places, value);
    td_byte_buffer_number(&p->streams[to], number);
    for (int i = 0; i < 4 && p->places.count > before; i++)
        td_byte_buffer_signed(&p->streams[TD_WEB_PLACES],
                              value[i] - (before ? p->places.values[before - 1][i] : 0));
    p->head.failed |= number == UINT32_MAX;
}

static void put_new_rect(struct td_web_pictures *p, const struct td_scene_rect *r,
                         const struct td_scene_rect *before)
{
    td_byte_buffer_signed(&p->streams[TD_WEB_LEFT], r->x0 - before->x0);
    td_byte_buffer_signed(&p->streams[TD_WEB_TOP], r->y0 - before->y0);
    td_byte_buffer_signed(&p->streams[TD_WEB_WIDTH], r->x1 - r->x0);
    td_byte_buffer_signed(&p->streams[TD_WEB_HEIGHT], r->y1 - r->y0);
    put_place(p, TD_WEB_PLACE, r->u0, r->v0, r->u1, r->v1);
    put_color(p, TD_WEB_COLOR, r->color);
}

/* A run of new or of copied rectangles. */
struct rect_run {
    uint32_t count, from; /* from UINT32_MAX: new */
    int32_t dx, dy;
};

static void put_run(struct td_web_pictures *p, const struct rect_run *run, struct rect_run *last)
{
    struct td_byte_buffer *to = &p->streams[TD_WEB_RUNS];
    if (!run->count)
        return;
    td_byte_buffer_number(to, run->count * 2 + (run->from != UINT32_MAX));
    if (run->from == UINT32_MAX)
        return;
    td_byte_buffer_signed(to, (int32_t)(run->from - last->from - last->count));
    td_byte_buffer_signed(to, run->dx - last->dx);
    td_byte_buffer_signed(to, run->dy - last->dy);
    *last = *run;
}

static void put_rects(struct td_web_pictures *p, const struct td_scene *old, const struct td_scene *s)
{
    static const struct td_scene_rect origin;
    struct td_match_at at = {0};
    struct rect_run run = {.from = UINT32_MAX}, last = {0};
    for (size_t i = 0; i < s->rect_count; i++) {
        const struct td_scene_rect *r = &s->rects[i];
        const uint32_t found = p->whole ? UINT32_MAX : td_match_rect(&p->table, &at, r);
        const bool copied = found != UINT32_MAX;
        const bool follows = copied ? run.from != UINT32_MAX && found == run.from + run.count &&
                                          run.dx == at.dx && run.dy == at.dy
                                    : run.from == UINT32_MAX;
        if (!follows) {
            put_run(p, &run, &last);
            run = copied ? (struct rect_run){0, found, at.dx, at.dy} : (struct rect_run){.from = UINT32_MAX};
        }
        run.count++;
        if (copied) {
            td_byte_buffer_signed(&p->streams[TD_WEB_ALONG], r->x0 - old->rects[found].x0 - run.dx);
            td_byte_buffer_signed(&p->streams[TD_WEB_ALONG], r->x1 - old->rects[found].x1 - run.dx);
        } else {
            put_new_rect(p, r, i ? &s->rects[i - 1] : &origin);
        }
    }
    put_run(p, &run, &last);
}

/* ---- meshes ---- */

static void put_new_mesh(struct td_web_pictures *p, const struct td_scene *s, const struct td_scene_mesh *m)
{
    td_byte_buffer_number(&p->streams[TD_WEB_MESHES], m->vertices);
    td_byte_buffer_number(&p->streams[TD_WEB_MESHES], m->indices);
    for (uint32_t i = m->first_vertex; i < m->first_vertex + m->vertices; i++) {
        const struct td_scene_vertex *v = &s->vertices[i];
        td_byte_buffer_signed(&p->streams[TD_WEB_X], v->x - (i ? v[-1].x : 0));
        td_byte_buffer_signed(&p->streams[TD_WEB_Y], v->y - (i ? v[-1].y : 0));
        put_place(p, TD_WEB_POINT, v->u, v->v, v->u, v->v);
        put_color(p, TD_WEB_TINT, v->color);
    }
    for (uint32_t i = 0; i < m->indices; i++) {
        const uint16_t *index = &s->indices[m->first_index + i];
        td_byte_buffer_signed(&p->streams[TD_WEB_INDEX], *index - (i ? index[-1] : 0));
    }
}

static void put_meshes(struct td_web_pictures *p, const struct td_scene *old, const struct td_scene *s)
{
    struct td_match_at at = {0}, before = {0};
    struct td_byte_buffer *to = &p->streams[TD_WEB_MESHES];
    for (size_t i = 0; i < s->mesh_count; i++) {
        const struct td_scene_mesh *m = &s->meshes[i];
        const uint32_t found = p->whole ? UINT32_MAX : td_match_mesh(&p->table, &at, s, m);
        td_byte_buffer_number(to, found != UINT32_MAX);
        if (found == UINT32_MAX) {
            put_new_mesh(p, s, m);
            continue;
        }
        td_byte_buffer_signed(to, (int32_t)(found - before.next));
        td_byte_buffer_signed(to, at.dx - before.dx);
        td_byte_buffer_signed(to, at.dy - before.dy);
        before = at;
        const struct td_scene_vertex *from = &old->vertices[old->meshes[found].first_vertex];
        for (uint32_t k = 0; k < m->vertices; k++) {
            const struct td_scene_vertex *v = &s->vertices[m->first_vertex + k];
            td_byte_buffer_signed(&p->streams[TD_WEB_BEND], v->x - from[k].x - at.dx);
            td_byte_buffer_signed(&p->streams[TD_WEB_BEND], v->y - from[k].y - at.dy);
        }
    }
}

/* ---- messages ---- */

static void put_commands(struct td_web_pictures *p, const struct td_scene *s)
{
    for (size_t i = 0; i < s->command_count; i++) {
        const struct td_scene_command *c = &s->commands[i];
        for (int k = 0; k < 4; k++)
            td_byte_buffer_signed(&p->streams[TD_WEB_COMMANDS], c->clip[k]);
        td_byte_buffer_number(&p->streams[TD_WEB_COMMANDS], c->texture);
        td_byte_buffer_number(&p->streams[TD_WEB_COMMANDS], c->parts);
    }
    for (size_t i = 0; i < s->part_count; i++)
        td_byte_buffer_number(&p->streams[TD_WEB_PARTS], s->parts[i]);
}

static int deflate_piece(struct td_web_pictures *p, const struct td_byte_buffer *from, int flush)
{
    struct td_byte_buffer *to = &p->message;
    p->zlib.next_in = from->bytes;
    p->zlib.avail_in = (uInt)from->used;
    do {
        const size_t room = deflateBound(&p->zlib, p->zlib.avail_in) + 16;
        uint8_t *at = td_byte_buffer_extend(to, room);
        if (!at)
            return TD_E_NOMEM;
        p->zlib.next_out = at;
        p->zlib.avail_out = (uInt)room;
        deflate(&p->zlib, flush);
        to->used -= p->zlib.avail_out;
    } while (p->zlib.avail_in || !p->zlib.avail_out);
    return 0;
}

/* The head and the streams become the message. */
static int finish_message(struct td_web_pictures *p)
{
    static const uint8_t kind = TD_WEB_PICTURE;
    static const struct td_byte_buffer none;
    bool failed = p->head.failed;
    for (int i = 0; i < TD_WEB_STREAMS; i++) {
        td_byte_buffer_number(&p->head, (uint32_t)p->streams[i].used);
        failed |= p->streams[i].failed;
    }
    deflateReset(&p->zlib);
    p->message.used = 0;
    td_byte_buffer_append(&p->message, &kind, 1);
    int rc = failed || p->head.failed ? TD_E_NOMEM : deflate_piece(p, &p->head, Z_NO_FLUSH);
    for (int i = 0; i < TD_WEB_STREAMS && rc == 0; i++)
        rc = deflate_piece(p, &p->streams[i], Z_NO_FLUSH);
    return rc ? rc : deflate_piece(p, &none, Z_FINISH);
}

static int encode_scene(struct td_web_pictures *p, const struct td_remote_frame *frame,
                        const struct td_scene *old, const struct td_scene *s)
{
    p->head.used = 0;
    p->head.failed = false;
    for (int i = 0; i < TD_WEB_STREAMS; i++) {
        p->streams[i].used = 0;
        p->streams[i].failed = false;
    }
    if (p->colors.count > MOST_KNOWN || p->places.count > MOST_KNOWN)
        p->whole = true;
    if (p->whole) {
        td_known_clear(&p->colors);
        td_known_clear(&p->places);
        p->texture_count = 0;
    } else if (td_match_build(&p->table, old) < 0) {
        return TD_E_NOMEM;
    }
    const size_t colors = p->colors.count, places = p->places.count;
    put_commands(p, s);
    put_rects(p, old, s);
    put_meshes(p, old, s);
    const uint32_t first[] = {++p->number, p->whole, (uint32_t)s->width, (uint32_t)s->height, s->cursor};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        td_byte_buffer_number(&p->head, first[i]);
    if (put_textures(p, frame) < 0)
        return TD_E_NOMEM;
    const size_t counts[HEAD_NUMBERS] = {p->colors.count - colors,
                                         p->places.count - places,
                                         s->command_count,
                                         s->part_count,
                                         s->rect_count,
                                         s->mesh_count,
                                         s->vertex_count,
                                         s->index_count};
    for (int i = 0; i < HEAD_NUMBERS; i++)
        td_byte_buffer_number(&p->head, (uint32_t)counts[i]);
    return finish_message(p);
}

int td_web_pictures_encode(struct td_web_pictures *p, const struct td_remote_frame *frame, uint8_t **message,
                           size_t *bytes)
{
    struct td_scene *old = &p->scenes[p->now], *next = &p->scenes[!p->now];
    if (td_scene_take(next, frame) < 0)
        return TD_E_NOMEM;
    if (!p->whole && !textures_changed(p, frame) && td_scene_equal(old, next))
        return 0;
    const int rc = encode_scene(p, frame, old, next);
    uint8_t *copy = rc == 0 ? malloc(p->message.used) : NULL;
    p->whole = !copy; /* after a failure, colours and places are not those of the browser */
    if (!copy)
        return TD_E_NOMEM;
    p->now = !p->now;
    memcpy(copy, p->message.bytes, p->message.used);
    *message = copy;
    *bytes = p->message.used;
    return 1;
}
