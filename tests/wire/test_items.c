/* The tables of proto/wire against a list measured from the headers of each Tracy release, and the code made
 * from these tables. */
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

/* A release and its name in the list. */
struct tested {
    const char *label;
    const struct td_wire_release *release;
};
static const struct tested tested[] = {
#define TD_X(name, ...) {#name, &td_wire_##name},
    TD_WIRE_RELEASES(TD_X)
#undef TD_X
};
#define TESTED (sizeof tested / sizeof *tested)

static struct row *read_rows(const char *release, size_t *count)
{
    FILE *f = fopen(TD_SOURCE_DIR "/tests/data/tracy-wire.csv", "r");
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
        if (strcmp(cell[0], release) != 0)
            continue;
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

static const struct row *find_row(const struct row *rows, size_t count, const char *item, const char *field)
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
    const struct td_wire_release *release;
    const char *item;
    int offset, fields;
};

/* Fields that have another name in some releases. */
static const char *name_in(const struct walk *walk, const char *name)
{
    static const char *const older[][2] = {
        {"oldThreadWaitReason", "reason"}, {"oldThreadState", "state"}, {"type", "isBool"}};
    for (size_t i = 0; i < sizeof older / sizeof *older; i++) {
        if (!strcmp(name, older[i][0]) && !find_row(walk->rows, walk->count, walk->item, name))
            return older[i][1];
    }
    return name;
}

static void check_field(struct walk *walk, const char *type, const char *name, int bytes)
{
    const struct row *row = find_row(walk->rows, walk->count, walk->item, name_in(walk, name));
    if (!strcmp(type, "ctx"))
        type = bytes == 2 ? "u16" : "u8";
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

static void check_tail(const struct walk *walk, enum td_wire_tail tail)
{
    static const char *const kinds[] = {[TD_TAIL_BYTES8] = "len8",
                                        [TD_TAIL_BYTES16] = "len16",
                                        [TD_TAIL_BYTES32] = "len32",
                                        [TD_TAIL_STRING16] = "len16"};
    const struct row *row = find_row(walk->rows, walk->count, walk->item, "len");
    assert_non_null(row);
    const char *kind = kinds[tail];
    if (tail == TD_TAIL_STRING16 && walk->release->short_forms)
        kind = "len16plus256";
    assert_string_equal(row->kind, kind);
    assert_int_equal(row->offset, walk->offset);
}

static int check_item(struct walk *walk, enum td_item item)
{
    const struct td_wire_release *release = walk->release;
    const struct td_wire_item_info *info = &td_wire_item_infos[item];
    const struct row *row = find_row(walk->rows, walk->count, walk->item, NULL);
    if (!td_wire_has(release, item)) {
        assert_null(row);
        return 0;
    }
    if (!row)
        fail_msg("%s is not in the list of %u", walk->item, release->protocol);
    assert_int_equal(row->id, td_wire_id(release, item));
    assert_int_equal(td_wire_item_of(release, (uint8_t)row->id), item);
    assert_string_equal(info->name, walk->item);
    assert_int_equal(td_wire_fixed_bytes(release, item), walk->offset);
    int has_bytes = info->tail != TD_TAIL_FIXED && info->tail != TD_TAIL_NEVER;
    assert_int_equal(fields_listed(walk), walk->fields + 2 * has_bytes);
    assert_int_equal(info->tail == TD_TAIL_NEVER, !strcmp(row->kind, "memory-only"));
    if (has_bytes)
        check_tail(walk, info->tail);
    else
        assert_int_equal(row->wire_bytes, walk->offset);
    return 1;
}

/* Compares the fields of the table with those of walk.release in the list. */
#define LIST_F(type, name) check_field(&walk, #type, #name, TD_WS_##type);
#define LIST_S(type, name, since)                                                                            \
    if (walk.release->protocol >= since) {                                                                   \
        LIST_F(type, name)                                                                                   \
    }
#define LIST_U(type, name, until)                                                                            \
    if (walk.release->protocol <= until) {                                                                   \
        LIST_F(type, name)                                                                                   \
    }
#define LIST_T(text, metadata)                                                                               \
    if (walk.release->tagged_messages)                                                                       \
        check_field(&walk, "tagged64", "textAndMetadata", 8);                                                \
    else                                                                                                     \
        check_field(&walk, "u64", "text", 8);
static void every_item_has_the_id_the_fields_and_the_size_of_each_release(void **state)
{
    for (size_t r = 0; r < TESTED; r++) {
        size_t count;
        const struct td_wire_release *release = tested[r].release;
        struct row *rows = read_rows(tested[r].label, &count);
        struct walk walk;
        int items = 0;
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    walk = (struct walk){rows, count, release, #NAME, 1, 0};                                                 \
    if (td_wire_has(walk.release, TD_ITEM_##NAME)) {                                                         \
        fields                                                                                               \
    }                                                                                                        \
    items += check_item(&walk, TD_ITEM_##NAME);
        TD_WIRE_ITEMS(TD_X, LIST_F, LIST_S, LIST_U, LIST_S, LIST_T)
#undef TD_X
        assert_int_equal(items, find_row(rows, count, "const.QueueItemCount", NULL)->id);
        free(rows);
    }
}

static void queries_welcome_and_announcement_are_those_of_each_release(void **state)
{
    for (size_t r = 0; r < TESTED; r++) {
        size_t count;
        const struct td_wire_release *release = tested[r].release;
        struct row *rows = read_rows(tested[r].label, &count);
        struct walk walk = {rows, count, release, "msg.WelcomeMessage", 0, 0};
#define LIST_B(name, bytes) check_field(&walk, "bytes", #name, bytes);
        TD_WIRE_WELCOME(LIST_F, LIST_U, LIST_B)
        assert_int_equal(walk.offset, release->welcome_bytes);
        assert_int_equal(walk.fields, fields_listed(&walk));
        walk = (struct walk){rows, count, release, "msg.BroadcastMessage", 0, 0};
        TD_WIRE_BROADCAST(LIST_F, LIST_B)
        assert_int_equal(walk.offset, find_row(rows, count, walk.item, NULL)->wire_bytes);
#define TD_X(NAME, id63, id66)                                                                               \
    assert_int_equal(find_row(rows, count, "enum.ServerQuery." #NAME, NULL)->id,                             \
                     td_wire_query_id(release, TD_QUERY_##NAME));
        TD_WIRE_QUERIES(TD_X)
#undef TD_X
        assert_int_equal(find_row(rows, count, "const.ProtocolVersion", NULL)->id, release->protocol);
        assert_int_equal(find_row(rows, count, "const.TargetFrameSize", NULL)->id, TD_WIRE_FRAME_MAX);
        assert_int_equal(find_row(rows, count, "const.LZ4Size", NULL)->id, TD_WIRE_PACKED_MAX);
        assert_int_equal(find_row(rows, count, "enum.HandshakeStatus.Welcome", NULL)->id,
                         TD_WIRE_STATUS_WELCOME);
        assert_int_equal(find_row(rows, count, "enum.HandshakeStatus.ProtocolMismatch", NULL)->id,
                         TD_WIRE_STATUS_MISMATCH);
        assert_int_equal(find_row(rows, count, "enum.HandshakeStatus.NotAvailable", NULL)->id,
                         TD_WIRE_STATUS_NOT_AVAILABLE);
        free(rows);
    }
}

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* A random value that fits all forms of a field; 0 where the release lacks the field. */
static uint64_t value_of(const struct td_wire_release *release, bool there)
{
    uint64_t value = next_random() & (release->context_bytes == 2 ? 0x7fff : 0x7f);
    return there ? value : 0;
}
#define NEXT_F(type, name)        v.name = (td_wt_##type)value_of(release, true);
#define NEXT_S(type, name, since) v.name = (td_wt_##type)value_of(release, release->protocol >= since);
#define NEXT_U(type, name, until) v.name = (td_wt_##type)value_of(release, true);
#define NEXT_T(address, tag)                                                                                 \
    v.address = value_of(release, true);                                                                     \
    v.tag = (uint8_t)value_of(release, release->tagged_messages);

/* By field: padding may differ. */
#define SAME_F(type, name)        assert_true(got->name == v->name);
#define SAME_S(type, name, since) SAME_F(type, name)
#define SAME_U(type, name, until) SAME_F(type, name)
#define SAME_T(address, tag)      assert_true(got->address == v->address && got->tag == v->tag);
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    static void assert_same_##NAME(const struct td_wire_##NAME *got, const struct td_wire_##NAME *v)         \
    {                                                                                                        \
        fields(void) got;                                                                                    \
        (void)v;                                                                                             \
    }
TD_WIRE_ITEMS(TD_X, SAME_F, SAME_S, SAME_U, TD_NOTHING, SAME_T)
#undef TD_X

static bool in_release(const struct td_wire_release *release, enum td_item item)
{
    return td_wire_has(release, item) && td_wire_item_infos[item].tail != TD_TAIL_NEVER;
}

/* The variable part of an item, if it has one: three bytes, or 259 for a text that has a short form too. */
static uint8_t *put_tail(uint8_t *p, const struct td_wire_release *release, enum td_item item)
{
    static const uint8_t count_bytes[] = {[TD_TAIL_BYTES8] = 1,
                                          [TD_TAIL_BYTES16] = 2,
                                          [TD_TAIL_BYTES32] = 4,
                                          [TD_TAIL_STRING16] = 2,
                                          [TD_TAIL_NEVER] = 0};
    enum td_wire_tail tail = td_wire_item_infos[item].tail;
    if (!count_bytes[tail])
        return p;
    memcpy(p, "\3\0\0\0", count_bytes[tail]);
    size_t bytes = tail == TD_TAIL_STRING16 && release->short_forms ? 259 : 3;
    memset(p + count_bytes[tail], 'x', bytes);
    return p + count_bytes[tail] + bytes;
}

/* One item of every kind with random fields and, where it has one, a variable part. */
static size_t put_every_item(uint8_t *frame, const struct td_wire_release *release)
{
    uint8_t *p = frame;
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    if (in_release(release, TD_ITEM_##NAME)) {                                                               \
        struct td_wire_##NAME v;                                                                             \
        memset(&v, 0, sizeof v);                                                                             \
        fields p = td_wire_put_##NAME(p, release, &v);                                                       \
        p = put_tail(p, release, TD_ITEM_##NAME);                                                            \
    }
    TD_WIRE_ITEMS(TD_X, NEXT_F, NEXT_S, NEXT_U, TD_NOTHING, NEXT_T)
#undef TD_X
    return (size_t)(p - frame);
}

static bool is_short_form(enum td_item item)
{
    const char *name = td_wire_item_infos[item].name;
    size_t bytes = strlen(name);
    return !strcmp(name + bytes - 2, "16") || !strcmp(name + bytes - 2, "32") ||
           !strcmp(name + bytes - 1, "8");
}

static bool has_short_form(enum td_item item)
{
#define TD_X(NAME, ...)                                                                                      \
    if (item == TD_ITEM_##NAME)                                                                              \
        return true;
    TD_WIRE_SHORT_TIMES(TD_X)
#undef TD_X
    return false;
}

static void what_is_put_is_what_next_and_get_give(void **state)
{
    static uint8_t frame[16384];
    for (size_t round = 0; round < 5 * TESTED; round++) {
        const struct td_wire_release *release = tested[round % TESTED].release;
        uint64_t began = seed;
        size_t bytes = put_every_item(frame, release), at = 0;
        seed = began;
        struct td_wire_view view;
        struct td_err err = {0};
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    if (in_release(release, TD_ITEM_##NAME)) {                                                               \
        struct td_wire_##NAME v, got;                                                                        \
        memset(&v, 0, sizeof v);                                                                             \
        fields assert_int_equal(td_wire_next(release, frame, bytes, &at, &view, &err), 1);                   \
        if (!release->short_forms || (!is_short_form(TD_ITEM_##NAME) && !has_short_form(TD_ITEM_##NAME))) {  \
            assert_int_equal(view.item, TD_ITEM_##NAME);                                                     \
            got = td_wire_get_##NAME(view.payload, release);                                                 \
            assert_same_##NAME(&got, &v);                                                                    \
            assert_int_equal(view.bytes,                                                                     \
                             TD_TAIL_##tail == TD_TAIL_FIXED                                                 \
                                 ? 0                                                                         \
                                 : (TD_TAIL_##tail == TD_TAIL_STRING16 && release->short_forms ? 259 : 3));  \
            if (view.bytes)                                                                                  \
                assert_memory_equal(view.data, "xxx", 3);                                                    \
        }                                                                                                    \
    }
        TD_WIRE_ITEMS(TD_X, NEXT_F, NEXT_S, NEXT_U, TD_NOTHING, NEXT_T)
#undef TD_X
        assert_int_equal(td_wire_next(release, frame, bytes, &at, &view, &err), 0);
    }
}

static void times_come_back_whatever_form_they_take(void **state)
{
    static const int64_t times[] = {0,          1,          65535,      65536,           65537,
                                    4294967295, 4295032831, 4295032832, 4295032833,      INT64_MAX,
                                    -1,         -65536,     INT64_MIN,  INT64_C(1) << 62};
    static const size_t sizes[] = {3, 3, 3, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9}; /* of a ZoneEnd in 82 */
    for (size_t r = 0; r < TESTED; r++) {
        const struct td_wire_release *release = tested[r].release;
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            uint8_t frame[64];
            struct td_wire_view view;
            size_t at = 0;
            struct td_wire_ZoneEnd end = {times[i]};
            struct td_wire_CallstackSample sample = {.time = times[i], .thread = 77};
            uint8_t *p = td_wire_put_short_ZoneEnd(frame, release, &end);
            assert_int_equal(p - frame, release->short_forms ? sizes[i] : 9);
            p = td_wire_put_short_CallstackSample(p, release, &sample);
            size_t bytes = (size_t)(p - frame);
            assert_int_equal(td_wire_next(release, frame, bytes, &at, &view, NULL), 1);
            assert_int_equal(view.item, TD_ITEM_ZoneEnd);
            assert_true(td_wire_get_ZoneEnd(view.payload, release).time == times[i]);
            assert_int_equal(td_wire_next(release, frame, bytes, &at, &view, NULL), 1);
            assert_int_equal(view.item, TD_ITEM_CallstackSample);
            assert_true(td_wire_get_CallstackSample(view.payload, release).time == times[i]);
            assert_int_equal(td_wire_get_CallstackSample(view.payload, release).thread, 77);
        }
    }
}

static void texts_come_back_whatever_form_they_take(void **state)
{
    static const size_t sizes[] = {0, 1, 255, 256, 257, 511, 65535};
    static uint8_t frame[70000];
    for (size_t r = 0; r < TESTED; r++) {
        const struct td_wire_release *release = tested[r].release;
        for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
            enum td_item item = i % 2 ? TD_ITEM_SingleStringData : TD_ITEM_SecondStringData;
            uint8_t *p = td_wire_put_string_head(frame, release, item, sizes[i / 2]);
            memset(p, 'y', sizes[i / 2]);
            struct td_wire_view view;
            size_t at = 0, bytes = (size_t)(p - frame) + sizes[i / 2];
            assert_int_equal(td_wire_next(release, frame, bytes, &at, &view, NULL), 1);
            assert_int_equal(view.item, item);
            assert_int_equal(view.bytes, sizes[i / 2]);
            assert_ptr_equal(view.data, p);
            assert_int_equal(at, bytes);
        }
    }
}

static void a_cut_frame_is_an_error_or_ends_at_an_item(void **state)
{
    static uint8_t frame[16384];
    const struct td_wire_release *release = &td_wire_69;
    size_t bytes = put_every_item(frame, release);
    int errors = 0;
    for (size_t cut = 0; cut < bytes; cut++) {
        uint8_t *exact = malloc(cut ? cut : 1); /* so that a read past the end is found */
        assert_non_null(exact);
        memcpy(exact, frame, cut);
        size_t at = 0;
        struct td_wire_view view;
        struct td_err err = {0};
        int more;
        while ((more = td_wire_next(release, exact, cut, &at, &view, &err)) == 1)
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
        cmocka_unit_test(every_item_has_the_id_the_fields_and_the_size_of_each_release),
        cmocka_unit_test(queries_welcome_and_announcement_are_those_of_each_release),
        cmocka_unit_test(what_is_put_is_what_next_and_get_give),
        cmocka_unit_test(times_come_back_whatever_form_they_take),
        cmocka_unit_test(texts_come_back_whatever_form_they_take),
        cmocka_unit_test(a_cut_frame_is_an_error_or_ends_at_an_item),
        cmocka_unit_test(unknown_ids_are_refused),
        cmocka_unit_test(handshake_messages_come_back_as_they_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
