/* A session that is saved to a file: read as the protocol says, everything is there and answered; wherever
 * the file breaks off, what is in it has its names. */
#include "host/agent/client/saved_session.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct saved {
    uint8_t *bytes;
    size_t size;
    size_t items[TD_ITEM_COUNT], queries[TD_QUERY_COUNT];
    struct td_unpacker *unpacker;
    size_t skip; /* of the client's side: status and welcome message */
};

static const char *scratch_file(void)
{
    static char variable[64];
    char path[] = "/tmp/td_client_save_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(variable, sizeof variable, "TENDRIL_SAVE=%s", path);
    return variable;
}

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
    const char *const environment[] = {scratch_file(), NULL}, *path = strchr(environment[0], '=') + 1;
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
    assert_int_equal(saved.queries[TD_QUERY_SourceCode], 1); /* marked.c, which is older than the program */
    assert_int_equal(saved.items[TD_ITEM_SourceCode] + saved.items[TD_ITEM_AckSourceCodeNotAvailable], 1);
    td_unpacker_destroy(saved.unpacker);
    free(saved.bytes);
}

/* ---- files that break off ---- */

static void load(struct saved *saved, const char *variable)
{
    *saved = (struct saved){0};
    read_file(saved, strchr(variable, '=') + 1);
}

/* Everything in so much of the file is named. Returns the zones; -1: it does not reach to the first event. */
static long zones_of(const struct saved *saved, size_t size)
{
    struct event_log log;
    struct td_err err = {0};
    event_log_init(&log);
    struct td_saved_session *session = td_saved_session_create(log.hub);
    assert_non_null(session);
    assert_int_equal(td_saved_session_feed(session, saved->bytes, size, &err), 0);
    long zones = -1;
    if (td_saved_session_close(session, &err) == 0) {
        const struct td_client_counts *counts = td_saved_session_counts(session);
        zones = (long)counts->zones;
        if (counts->unnamed)
            fail_msg("%llu events without a name in %zu of %zu bytes", (unsigned long long)counts->unnamed,
                     size, saved->size);
    }
    td_saved_session_destroy(session);
    for (uint32_t i = 1; i < td_dict_srcloc_count(log.dict); i++)
        assert_string_not_equal(event_log_location(&log, i), TD_CLIENT_UNKNOWN);
    for (uint32_t i = 0; i < td_dict_track_count(log.dict); i++) { /* unnamed threads go by their number */
        const char *name = td_dict_text(log.dict, td_dict_get_track(log.dict, i)->name);
        if ((*name && strspn(name, "0123456789") == strlen(name)) || !strncmp(name, "fiber ", 6))
            fail_msg("a track is called %s in %zu of %zu bytes", name, size, saved->size);
    }
    event_log_finish(&log);
    return zones;
}

static void cut_everywhere(const char *program, const char *mode, long zones)
{
    const char *const environment[] = {scratch_file(), NULL};
    struct saved saved;
    assert_int_equal(wait_marked(start_program(program, mode, free_port(), NULL, environment), 60000), 0);
    load(&saved, environment[0]);
    long last = -1;
    for (size_t size = 0; size <= saved.size; size++) {
        long now = zones_of(&saved, size);
        assert_true(now >= last);
        last = now;
    }
    assert_int_equal(last, zones);
    unlink(strchr(environment[0], '=') + 1);
    free(saved.bytes);
}

static void a_file_that_is_cut_anywhere_has_the_names_of_all_in_it(void **state)
{
    cut_everywhere("client_marked", "all", 80);
    cut_everywhere("client_features", "features", 40);
}

static void a_program_that_is_killed_leaves_its_names(void **state)
{
    const char *const environment[] = {scratch_file(), NULL};
    int input;
    pid_t pid = start_marked("linger", free_port(), &input, environment);
    struct saved saved;
    long zones = 0;
    for (int64_t until = td_mono_ms() + 60000; zones < 100 && td_mono_ms() < until; poll(NULL, 0, 20)) {
        load(&saved, environment[0]);
        zones = zones_of(&saved, saved.size);
        free(saved.bytes);
    }
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(input);
    load(&saved, environment[0]);
    assert_true(zones >= 100 && zones_of(&saved, saved.size) >= zones);
    unlink(strchr(environment[0], '=') + 1);
    free(saved.bytes);
}

/* The program runs on; what the file has is named. */
static void a_disk_that_is_full_keeps_what_is_there(void **state)
{
    static const rlim_t sizes[] = {1, 3000, 50000, 600000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *const environment[] = {scratch_file(), NULL};
        struct rlimit before, small;
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        small = (struct rlimit){sizes[i], before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        pid_t pid = start_marked("two", free_port(), NULL, environment);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(wait_marked(pid, 60000), 0);
        struct saved saved;
        load(&saved, environment[0]);
        assert_int_equal(saved.size, sizes[i]);
        long zones = zones_of(&saved, saved.size);
        assert_true(sizes[i] < 600000 || zones > 1000);
        unlink(strchr(environment[0], '=') + 1);
        free(saved.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_cut_anywhere_has_the_names_of_all_in_it),
        cmocka_unit_test(a_program_that_is_killed_leaves_its_names),
        cmocka_unit_test(a_disk_that_is_full_keeps_what_is_there),
        cmocka_unit_test(a_saved_session_holds_all_events_and_the_answers_about_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
