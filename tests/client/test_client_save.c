/* A session that is saved to a file: read as the protocol says, everything is there and answered. */
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include "tests/client/run_marked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct saved {
    uint8_t *bytes;
    size_t size;
    size_t items[TD_ITEM_COUNT], queries[TD_QUERY_COUNT];
    struct td_unpacker *unpacker;
    size_t skip; /* of the client's side: status and welcome message */
};

static void read_file(struct saved *saved, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    saved->bytes = malloc(1 << 20);
    assert_non_null(saved->bytes);
    saved->size = fread(saved->bytes, 1, 1 << 20, file);
    fclose(file);
}

static void count_frames(struct saved *saved)
{
    const uint8_t *frame;
    struct td_err err = {0};
    struct td_wire_view view;
    int bytes, more;
    while ((bytes = td_unpacker_next(saved->unpacker, &frame, &err)) > 0) {
        size_t at = 0;
        while ((more = td_wire_next(&td_wire_82, frame, (size_t)bytes, &at, &view, &err)) == 1)
            saved->items[view.item]++;
        assert_int_equal(more, 0);
    }
    assert_int_equal(bytes, 0);
}

static void from_client(struct saved *saved, const uint8_t *bytes, size_t count)
{
    size_t skipped = count < saved->skip ? count : saved->skip;
    saved->skip -= skipped;
    for (bytes += skipped, count -= skipped; count;) {
        uint8_t *to;
        size_t room = td_unpacker_room(saved->unpacker, &to);
        if (room > count)
            room = count;
        memcpy(to, bytes, room);
        td_unpacker_fed(saved->unpacker, room);
        count_frames(saved);
        bytes += room;
        count -= room;
    }
}

static void to_client(struct saved *saved, const uint8_t *bytes, size_t count)
{
    uint32_t protocol;
    struct td_wire_query query;
    if (count == TD_WIRE_HELLO_BYTES) {
        assert_int_equal(td_wire_get_hello(bytes, &protocol), 0);
        assert_int_equal(protocol, 82);
        return;
    }
    assert_int_equal(count, TD_WIRE_QUERY_BYTES);
    td_wire_get_query(bytes, &td_wire_82, &query);
    assert_true(query.query < TD_QUERY_COUNT);
    saved->queries[query.query]++;
}

static void read_saved(struct saved *saved, const char *path)
{
    *saved = (struct saved){.skip = 1 + td_wire_82.welcome_bytes, .unpacker = td_unpacker_create()};
    assert_non_null(saved->unpacker);
    read_file(saved, path);
    for (size_t at = 0; at < saved->size;) {
        uint32_t count;
        assert_true(saved->size - at >= 5);
        memcpy(&count, saved->bytes + at + 1, 4);
        assert_true(saved->size - at - 5 >= count);
        (saved->bytes[at] ? to_client : from_client)(saved, saved->bytes + at + 5, count);
        at += 5 + count;
    }
}

static void a_saved_session_holds_all_events_and_the_answers_about_them(void **state)
{
    char path[] = "/tmp/td_client_save_XXXXXX", variable[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(variable, sizeof variable, "TENDRIL_SAVE=%s", path);
    const char *environment[] = {variable, NULL};
    assert_int_equal(wait_marked(start_marked("all", free_port(), NULL, environment), 60000), 0);
    struct saved saved;
    read_saved(&saved, path);
    unlink(path);
    assert_int_equal(saved.items[TD_ITEM_ZoneBegin], 60);
    assert_int_equal(saved.items[TD_ITEM_ZoneBeginAllocSrcLoc], 20);
    assert_int_equal(saved.items[TD_ITEM_ZoneEnd], 80);
    assert_int_equal(saved.items[TD_ITEM_Message] + saved.items[TD_ITEM_MessageColor] +
                         saved.items[TD_ITEM_MessageLiteral] + saved.items[TD_ITEM_MessageLiteralColor],
                     81);
    assert_int_equal(saved.items[TD_ITEM_Terminate], 1);
    assert_int_equal(saved.queries[TD_QUERY_Terminate], 1);
    assert_int_equal(saved.queries[TD_QUERY_SourceLocation], 3);
    assert_int_equal(saved.items[TD_ITEM_SourceLocation], 3);
    assert_int_equal(saved.queries[TD_QUERY_PlotName], 3);
    assert_int_equal(saved.items[TD_ITEM_PlotName], 3);
    assert_int_equal(saved.items[TD_ITEM_FrameName], 2);
    assert_int_equal(saved.items[TD_ITEM_ThreadName], 1);
    assert_int_equal(saved.items[TD_ITEM_StringData], saved.queries[TD_QUERY_String]);
    td_unpacker_destroy(saved.unpacker);
    free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_session_holds_all_events_and_the_answers_about_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
