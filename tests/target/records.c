#include "tests/target/records.h"

#include "host/device/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const packet_names[] = {
#define TD_X(type, name, counts, id, second, s1, s2, s3, what) [type] = #name,
    TD_PACKETS(TD_X)
#undef TD_X
};

struct reader {
    struct records *r;
    const struct td_image *image;
};

static void add_text(struct records *r, const char *line)
{
    size_t length = strlen(line);
    if (r->length + length + 2 > r->room) {
        r->room = 2 * (r->length + length + 2);
        r->text = realloc(r->text, r->room);
        assert_non_null(r->text);
    }
    memcpy(r->text + r->length, line, length);
    memcpy(r->text + r->length + length, "\n", 2);
    r->length += length + 1;
}

static void describe(const struct td_image *image, const struct td_packet_record *p, char *line, size_t room)
{
    static const struct td_site none = {.name = "?", .file = "?", .function = "?"};
    const struct td_site *site = td_image_site(image, p->id);
    char text[300] = "";
    if (!site)
        site = &none;
    const char *name = packet_names[p->type];
    switch (p->type) {
    case TD_PACKET_ZONE:
    case TD_PACKET_WHOLE:
        snprintf(line, room, "%s%s %s %llu %06x", site->kind == TD_SITE_WAIT ? "WAIT " : "", name, site->name,
                 (unsigned long long)p->duration_ticks, site->color);
        break;
    case TD_PACKET_BEGIN:
    case TD_PACKET_END:
        snprintf(line, room, "%s %s", name, site->name);
        break;
    case TD_PACKET_LOG:
    case TD_PACKET_ZTEXT:
        td_image_format(image, site->name, p->args, site->args, text, sizeof text);
        snprintf(line, room, "%s %s", name, text);
        break;
    case TD_PACKET_TEXT:
        snprintf(line, room, "%s %.*s", name, (int)p->arg_count, (const char *)p->args);
        break;
    case TD_PACKET_DATA:
        snprintf(line, room, "%s %s %08x%08x", name, site->name, p->args[1], p->args[0]);
        break;
    case TD_PACKET_SUM:
        snprintf(line, room, "%s %s %llu of %llu", name, site->name, (unsigned long long)p->value,
                 (unsigned long long)p->value2);
        break;
    case TD_PACKET_PLOT_INT:
    case TD_PACKET_PLOT_FLOAT:
    case TD_PACKET_FLOW_OUT:
    case TD_PACKET_FLOW_IN:
        snprintf(line, room, "%s %s %llx", name, site->name, (unsigned long long)p->value);
        break;
    case TD_PACKET_EVENT:
        snprintf(line, room, "%s %u", name, p->id);
        break;
    case TD_PACKET_IMAGE:
        snprintf(line, room, "%s", name);
        break;
    default:
        snprintf(line, room, "%s %llx", name, (unsigned long long)p->value);
    }
}

static int take(void *self, const struct td_packet_record *p)
{
    struct reader *reader = self;
    struct records *r = reader->r;
    char line[600];
    describe(reader->image, p, line, sizeof line);
    if ((r->count & (r->count - 1)) == 0) {
        size_t room = r->count ? 2 * r->count : 1;
        r->all = realloc(r->all, room * sizeof *r->all);
        r->lines = realloc(r->lines, room * sizeof *r->lines);
        assert_true(r->all && r->lines);
    }
    r->lines[r->count] = r->length;
    add_text(r, line);
    r->all[r->count] = *p;
    r->all[r->count++].args = NULL;
    return 0;
}

void records_read(struct records *r, const uint32_t *words, size_t slots, const char *elf)
{
    struct td_err err = {0};
    struct td_image *image = td_image_open(elf, &err);
    if (!image)
        fail_msg("%s", err.text);
    struct td_packet_decoder *u = malloc(sizeof *u);
    assert_non_null(u);
    *r = (struct records){0};
    struct reader reader = {r, image};
    td_packet_decoder_init(u);
    td_packet_decoder_feed(u, words, slots, take, &reader);
    td_packet_decoder_end_stream(u, take, &reader);
    r->bad_slots = u->stats.bad_slots;
    free(u);
    td_image_close(image);
}

void records_free(struct records *r)
{
    free(r->text);
    free(r->all);
    free(r->lines);
}

int records_line_is(const struct records *r, size_t i, const char *start)
{
    return strncmp(r->text + r->lines[i], start, strlen(start)) == 0;
}
