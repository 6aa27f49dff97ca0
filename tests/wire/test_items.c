/* The tables of proto/wire against a list of what Tracy 0.11.1's own headers give, and the code made from
 * them. */
#include "host/wire/hello.h"
#include "host/wire/items.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* One row: an item or message with one field of it. */
struct row {
    char item[64], field[32], kind[16];
    int id, wire_bytes, offset, bytes; /* -1: empty */
};

static int number(const char *text)
{
    return *text ? atoi(text) : -1;
}

static struct row *read_rows(size_t *count)
{
    FILE *f = fopen(TD_SOURCE_DIR "/tests/data/tracy-wire-69.csv", "r");
    assert_non_null(f);
    struct row *rows = calloc(1000, sizeof *rows);
    assert_non_null(rows);
    char line[256];
    *count = 0;
    assert_non_null(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f)) {
        char *rest = line, *cell[8];
        line[strcspn(line, "\r\n")] = 0;
        for (int i = 0; i < 8; i++)
            cell[i] = rest ? strsep(&rest, ",") : NULL;
        assert_non_null(cell[7]);
        struct row *row = &rows[(*count)++];
        snprintf(row->item, sizeof row->item, "%s", cell[1]);
        snprintf(row->field, sizeof row->field, "%s", cell[4]);
        snprintf(row->kind, sizeof row->kind, "%s", cell[7]);
        row->id = number(cell[2]);
        row->wire_bytes = number(cell[3]);
        row->offset = number(cell[5]);
        row->bytes = number(cell[6]);
    }
    fclose(f);
    return rows;
}

static const struct row *find(const struct row *rows, size_t count, const char *item, const char *field)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].item, item) && (!field || !strcmp(rows[i].field, field)))
            return &rows[i];
    return NULL;
}

/* Walks the fields of one item, or message, in the order of the table. */
struct walk {
    const struct row *rows;
    size_t count;
    const char *item;
    int offset, fields;
};

static void check_field(struct walk *walk, const char *type, const char *name, int bytes)
{
    const struct row *row = find(walk->rows, walk->count, walk->item, name);
    if (!row)
        fail_msg("%s.%s is not in the list", walk->item, name);
    if (row->offset != walk->offset || row->bytes != bytes || strcmp(row->kind, type) != 0)
        fail_msg("%s.%s: %s of %d at %d, the list says %s of %d at %d", walk->item, name, type, bytes,
                 walk->offset, row->kind, row->bytes, row->offset);
    walk->offset += bytes;
    walk->fields++;
}

static int fields_listed(const struct walk *walk)
{
    int n = 0;
    for (size_t i = 0; i < walk->count; i++)
        n += !strcmp(walk->rows[i].item, walk->item) && walk->rows[i].field[0];
    return n;
}

static void check_item(struct walk *walk, int id, const char *tail)
{
    const struct row *row = find(walk->rows, walk->count, walk->item, NULL);
    if (!row)
        fail_msg("%s is not in the list", walk->item);
    assert_int_equal(row->id, id);
    const struct td_wire_item_info *info = &td_wire_item_infos[td_wire_69.item[id]];
    assert_string_equal(info->name, walk->item);
    assert_int_equal(info->fixed_bytes, walk->offset);
    int with_bytes = !strncmp(tail, "BYTES", 5);
    assert_int_equal(fields_listed(walk), walk->fields + 2 * with_bytes);
    assert_int_equal(!strcmp(tail, "NEVER"), !strcmp(row->kind, "memory-only"));
    if (with_bytes) {
        assert_string_equal(find(walk->rows, walk->count, walk->item, "len")->kind,
                            !strcmp(tail, "BYTES16") ? "len16" : "len32");
        assert_int_equal(find(walk->rows, walk->count, walk->item, "len")->offset, walk->offset);
    } else {
        assert_int_equal(row->wire_bytes, walk->offset);
    }
}

static void every_item_has_the_id_the_fields_and_the_size_of_the_release(void **state)
{
    size_t count;
    struct row *rows = read_rows(&count);
    struct walk walk;
    int items = 0;
#define TD_F(type, name) check_field(&walk, #type, #name, TD_WS_##type);
#define TD_X(NAME, id69, tail, clock, fields)                                                                \
    walk = (struct walk){rows, count, #NAME, 1, 0};                                                          \
    fields check_item(&walk, id69, #tail);                                                                   \
    items++;
    TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
    assert_int_equal(items, find(rows, count, "const.QueueItemCount", NULL)->id);
    free(rows);
}

static void queries_welcome_and_announcement_are_those_of_the_release(void **state)
{
    size_t count;
    struct row *rows = read_rows(&count);
    struct walk walk = {rows, count, "msg.WelcomeMessage", 0, 0};
#define TD_B(name, bytes) check_field(&walk, "bytes", #name, bytes);
    TD_WIRE_WELCOME(TD_F, TD_B)
    assert_int_equal(walk.offset, td_wire_69.welcome_bytes);
    assert_int_equal(walk.fields, fields_listed(&walk));
    walk = (struct walk){rows, count, "msg.BroadcastMessage", 0, 0};
    TD_WIRE_BROADCAST(TD_F, TD_B)
    assert_int_equal(walk.offset, find(rows, count, walk.item, NULL)->wire_bytes);
#define TD_X(NAME, id69) assert_int_equal(find(rows, count, "enum.ServerQuery." #NAME, NULL)->id, id69);
    TD_WIRE_QUERIES(TD_X)
#undef TD_X
    assert_int_equal(find(rows, count, "const.ProtocolVersion", NULL)->id, td_wire_69.protocol);
    assert_int_equal(find(rows, count, "const.TargetFrameSize", NULL)->id, TD_WIRE_FRAME_MAX);
    assert_int_equal(find(rows, count, "const.LZ4Size", NULL)->id, TD_WIRE_PACKED_MAX);
    assert_int_equal(find(rows, count, "enum.HandshakeStatus.Welcome", NULL)->id, TD_WIRE_STATUS_WELCOME);
    assert_int_equal(find(rows, count, "enum.HandshakeStatus.ProtocolMismatch", NULL)->id,
                     TD_WIRE_STATUS_MISMATCH);
    assert_int_equal(find(rows, count, "enum.HandshakeStatus.NotAvailable", NULL)->id,
                     TD_WIRE_STATUS_NOT_AVAILABLE);
    free(rows);
}
#undef TD_F
#undef TD_B

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* One item of every kind with random fields and, where it has one, a variable part. */
static size_t put_every_item(uint8_t *frame)
{
    uint8_t *p = frame;
#define TD_F(type, name) v.name = (td_wt_##type)(next_random() & 0xffff);
#define TD_X(NAME, id69, tail, clock, fields)                                                                \
    if (TD_TAIL_##tail != TD_TAIL_NEVER) {                                                                   \
        struct td_wire_##NAME v;                                                                             \
        memset(&v, 0, sizeof v);                                                                             \
        fields p = td_wire_put_##NAME(p, &td_wire_69, &v);                                                   \
        if (TD_TAIL_##tail == TD_TAIL_BYTES16)                                                               \
            memcpy(p, "\3\0abc", 5), p += 5;                                                                 \
        if (TD_TAIL_##tail == TD_TAIL_BYTES32)                                                               \
            memcpy(p, "\3\0\0\0abc", 7), p += 7;                                                             \
    }
    TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
#undef TD_F
    return (size_t)(p - frame);
}

static void what_is_put_is_what_next_and_get_give(void **state)
{
    uint8_t frame[8192];
    for (int round = 0; round < 20; round++) {
        uint64_t began = seed;
        size_t bytes = put_every_item(frame), at = 0;
        seed = began;
        struct td_wire_view view;
        struct td_err err = {0};
#define TD_F(type, name)                                                                                     \
    td_wt_##type name = (td_wt_##type)(next_random() & 0xffff);                                              \
    assert_memory_equal(&name, &v.name, sizeof name);
#define TD_X(NAME, id69, tail, clock, fields)                                                                \
    if (TD_TAIL_##tail != TD_TAIL_NEVER) {                                                                   \
        assert_int_equal(td_wire_next(&td_wire_69, frame, bytes, &at, &view, &err), 1);                      \
        assert_int_equal(view.item, TD_ITEM_##NAME);                                                         \
        struct td_wire_##NAME v = td_wire_get_##NAME(view.payload);                                          \
        (void)v;                                                                                             \
        fields assert_int_equal(view.bytes, TD_TAIL_##tail == TD_TAIL_FIXED ? 0 : 3);                        \
        if (view.bytes)                                                                                      \
            assert_memory_equal(view.data, "abc", 3);                                                        \
    }
        TD_WIRE_ITEMS(TD_X, TD_F)
#undef TD_X
#undef TD_F
        assert_int_equal(td_wire_next(&td_wire_69, frame, bytes, &at, &view, &err), 0);
    }
}

static void a_cut_frame_is_an_error_or_ends_at_an_item(void **state)
{
    uint8_t frame[8192];
    size_t bytes = put_every_item(frame);
    int errors = 0;
    for (size_t cut = 0; cut < bytes; cut++) {
        uint8_t *exact = malloc(cut ? cut : 1); /* so that a read behind the end is seen */
        assert_non_null(exact);
        memcpy(exact, frame, cut);
        size_t at = 0;
        struct td_wire_view view;
        struct td_err err = {0};
        int more;
        while ((more = td_wire_next(&td_wire_69, exact, cut, &at, &view, &err)) == 1)
            ;
        assert_true(more == 0 ? at == cut : more == TD_E_FORMAT && err.text[0]);
        errors += more < 0;
        free(exact);
    }
    assert_true(errors > 500);
}

static void unknown_ids_are_refused(void **state)
{
    static const uint8_t unknown[] = {113, 200, 255, 52 /* in the table, never on the wire */};
    for (size_t i = 0; i < sizeof unknown; i++) {
        uint8_t frame[64] = {unknown[i]};
        size_t at = 0;
        struct td_wire_view view;
        struct td_err err = {0};
        assert_int_equal(td_wire_next(&td_wire_69, frame, sizeof frame, &at, &view, &err), TD_E_FORMAT);
        assert_non_null(strstr(err.text, "unknown item"));
    }
    assert_null(td_wire_release_for(68));
    assert_ptr_equal(td_wire_release_for(69), &td_wire_69);
}

static void handshake_messages_come_back_as_they_went(void **state)
{
    uint8_t bytes[2048];
    uint32_t protocol = 0;
    td_wire_put_hello(bytes, 69);
    assert_int_equal(td_wire_get_hello(bytes, &protocol), 0);
    assert_int_equal(protocol, 69);
    bytes[0] ^= 1;
    assert_int_equal(td_wire_get_hello(bytes, &protocol), TD_E_FORMAT);

    struct td_wire_welcome in = {.timerMul = 0.25, .initBegin = -5, .pid = 77, .flags = 3, .cpuId = 9}, out;
    memset(in.programName, 'x', sizeof in.programName);
    td_wire_put_welcome(bytes, &td_wire_69, &in);
    td_wire_get_welcome(bytes, &td_wire_69, &out);
    assert_true(out.timerMul == 0.25 && out.initBegin == -5 && out.pid == 77 && out.flags == 3 &&
                out.cpuId == 9);
    assert_int_equal(strlen(out.programName), sizeof out.programName - 1);

    struct td_wire_query ask = {TD_QUERY_SymbolCode, 0x1122334455667788, 9}, asked;
    td_wire_put_query(bytes, &td_wire_69, &ask);
    td_wire_get_query(bytes, &td_wire_69, &asked);
    assert_true(ask.query == asked.query && ask.ptr == asked.ptr && ask.extra == asked.extra);
    bytes[0] = 99;
    td_wire_get_query(bytes, &td_wire_69, &asked);
    assert_int_equal(asked.query, TD_QUERY_COUNT);

    struct td_wire_broadcast here = {3, 8090, 69, 4711, -1, "prog"};
    assert_int_equal(td_wire_put_broadcast(bytes, &here), 25);
    assert_memory_equal(bytes + 20, "prog", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_has_the_id_the_fields_and_the_size_of_the_release),
        cmocka_unit_test(queries_welcome_and_announcement_are_those_of_the_release),
        cmocka_unit_test(what_is_put_is_what_next_and_get_give),
        cmocka_unit_test(a_cut_frame_is_an_error_or_ends_at_an_item),
        cmocka_unit_test(unknown_ids_are_refused),
        cmocka_unit_test(handshake_messages_come_back_as_they_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
