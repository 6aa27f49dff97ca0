/* Sends the queries that servers of every release sent in recorded sessions to our running client. The client
 * answers each query with the item that such a server counts, keeps items together that belong together, and
 * ends cleanly. Recordings are those of $TD_CORPUS and of tests/data/session. */
#include "host/wire/pack.h"
#include "host/wire/items.h"
#include "tests/client/run_marked.h"
#include "tests/collect/recording.h"

#include <arpa/inet.h>
#include <glob.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

/* Queries without an answer so far, by kind. The sum of their keys shows that each answer has a key that was
 * asked for. */
struct owed {
    int64_t count[TD_QUERY_COUNT];
    uint64_t keys[TD_QUERY_COUNT];
};

struct session {
    const char *path;
    const struct td_wire_release *release;
    struct td_unpacker *unpacker;
    struct owed owed;
    int fd, closed, terminated;
    int text, second, frames; /* sent, and not yet used by a later item */
    uint64_t items;
};

/* ---- what each query is owed ---- */

static void owe(struct session *s, const struct td_wire_query *query)
{
    enum td_query kind = query->query;
    uint64_t key = query->ptr;
    if (kind == TD_QUERY_DataTransfer || kind == TD_QUERY_DataTransferPart)
        kind = TD_QUERY_Parameter; /* all three get a bare acknowledgement */
    if (kind == TD_QUERY_Parameter || kind == TD_QUERY_SourceLocation || kind == TD_QUERY_SymbolCode)
        key = 0;
    s->owed.count[kind]++;
    s->owed.keys[kind] += key;
}

static void paid(struct session *s, enum td_query kind, uint64_t key)
{
    if (--s->owed.count[kind] < 0)
        fail_msg("%s: an answer to a query %d that was not asked", s->path, kind);
    s->owed.keys[kind] -= key;
}

static int all_paid(const struct session *s)
{
    for (int i = 0; i < TD_QUERY_COUNT; i++)
        if (s->owed.count[i])
            return 0;
    return 1;
}

/* ---- what the client says ---- */

static void takes(struct session *s, int *slot, const char *item)
{
    if (!*slot)
        fail_msg("%s: %s without a text before it", s->path, item);
    *slot = 0;
}

static void fills(struct session *s, int *slot, const char *item)
{
    if (*slot)
        fail_msg("%s: %s while another still waits", s->path, item);
    *slot = 1;
}

#define GET(NAME) td_wire_get_##NAME(view->payload, s->release)

static void see_answer(struct session *s, const struct td_wire_view *view)
{
    switch (view->item) {
    case TD_ITEM_StringData:
        paid(s, TD_QUERY_String, GET(StringData).ptr);
        break;
    case TD_ITEM_ThreadName:
        paid(s, TD_QUERY_ThreadString, GET(ThreadName).ptr);
        break;
    case TD_ITEM_SourceLocation:
        paid(s, TD_QUERY_SourceLocation, 0);
        break;
    case TD_ITEM_PlotName:
        paid(s, TD_QUERY_PlotName, GET(PlotName).ptr);
        break;
    case TD_ITEM_FrameName:
        paid(s, TD_QUERY_FrameName, GET(FrameName).ptr);
        break;
    case TD_ITEM_FiberName:
        paid(s, TD_QUERY_FiberName, GET(FiberName).ptr);
        break;
    case TD_ITEM_ExternalName:
        paid(s, TD_QUERY_ExternalName, GET(ExternalName).ptr);
        break;
    case TD_ITEM_SymbolCode:
    case TD_ITEM_AckSymbolCodeNotAvailable:
        paid(s, TD_QUERY_SymbolCode, 0);
        break;
    case TD_ITEM_SourceCode:
        paid(s, TD_QUERY_SourceCode, GET(SourceCode).ptr);
        break;
    case TD_ITEM_AckSourceCodeNotAvailable:
        paid(s, TD_QUERY_SourceCode, GET(AckSourceCodeNotAvailable).id);
        break;
    case TD_ITEM_AckServerQueryNoop:
        paid(s, TD_QUERY_Parameter, 0);
        break;
    }
}

/* Checks items that use the items before them. */
static void see_slots(struct session *s, const struct td_wire_view *view)
{
    const char *name = td_wire_item_infos[view->item].name;
    switch (view->item) {
    case TD_ITEM_SingleStringData:
        fills(s, &s->text, name);
        break;
    case TD_ITEM_SecondStringData:
        fills(s, &s->second, name);
        break;
    case TD_ITEM_ZoneText:
    case TD_ITEM_ZoneName:
    case TD_ITEM_Message:
    case TD_ITEM_MessageAppInfo:
        takes(s, &s->text, name);
        break;
    case TD_ITEM_SymbolInformation:
        takes(s, &s->text, name);
        paid(s, TD_QUERY_Symbol, GET(SymbolInformation).symAddr);
        break;
    case TD_ITEM_CallstackFrameSize:
        takes(s, &s->text, name);
        if (s->frames || !GET(CallstackFrameSize).size)
            fail_msg("%s: frames of a call stack that do not add up", s->path);
        s->frames = GET(CallstackFrameSize).size;
        paid(s, TD_QUERY_CallstackFrame, GET(CallstackFrameSize).ptr);
        break;
    case TD_ITEM_CallstackFrame:
        takes(s, &s->text, name);
        takes(s, &s->second, name);
        if (--s->frames < 0)
            fail_msg("%s: a frame too many", s->path);
        break;
    }
}

static void see_frame(struct session *s, const uint8_t *frame, size_t bytes)
{
    struct td_wire_view view;
    struct td_err err = {0};
    size_t at = 0;
    int got;
    while ((got = td_wire_next(s->release, frame, bytes, &at, &view, &err)) > 0) {
        see_answer(s, &view);
        see_slots(s, &view);
        s->terminated |= view.item == TD_ITEM_Terminate;
        s->items++;
    }
    if (got < 0)
        fail_msg("%s: %s", s->path, err.text);
}

/* Reads all bytes that have arrived. Waits up to `ms` for the first. */
static void hear(struct session *s, int ms)
{
    struct pollfd wait = {s->fd, POLLIN, 0};
    struct td_err err = {0};
    const uint8_t *frame;
    uint8_t *at;
    int got;
    if (poll(&wait, 1, ms) <= 0)
        return;
    size_t room = td_unpacker_room(s->unpacker, &at);
    ssize_t n = recv(s->fd, at, room, 0);
    if (n <= 0) {
        s->closed = 1;
        return;
    }
    td_unpacker_fed(s->unpacker, (size_t)n);
    while ((got = td_unpacker_next(s->unpacker, &frame, &err)) > 0)
        see_frame(s, frame, (size_t)got);
    if (got < 0)
        fail_msg("%s: %s", s->path, err.text);
}

/* ---- sessions ---- */

static void say(const struct session *s, const uint8_t *bytes, size_t count)
{
    assert_int_equal(send(s->fd, bytes, count, MSG_NOSIGNAL), count);
}

static void greet(struct session *s, const uint8_t *hello)
{
    uint8_t welcome[2048];
    size_t have = 0, all = 1 + s->release->welcome_bytes;
    say(s, hello, TD_WIRE_HELLO_BYTES);
    while (have < all) {
        ssize_t n = recv(s->fd, welcome + have, all - have, 0);
        assert_true(n > 0);
        have += (size_t)n;
    }
    assert_int_equal(welcome[0], TD_WIRE_STATUS_WELCOME);
}

/* Sends the recorded queries up to the one that ends the session, a few at a time, and reads answers
 * meanwhile. */
static size_t ask_all(struct session *s, const struct recording *recording)
{
    size_t asked = 0;
    for (size_t at = TD_WIRE_HELLO_BYTES; at + TD_WIRE_QUERY_BYTES <= recording->asked_count; asked++) {
        struct td_wire_query query;
        td_wire_get_query(recording->asked + at, s->release, &query);
        if (query.query == TD_QUERY_Terminate)
            break;
        assert_int_not_equal(query.query, TD_QUERY_COUNT);
        owe(s, &query);
        say(s, recording->asked + at, TD_WIRE_QUERY_BYTES);
        at += TD_WIRE_QUERY_BYTES;
        if (asked % 100 == 99)
            hear(s, 0);
    }
    for (int64_t until = td_mono_ms() + 60000; !all_paid(s) && !s->closed && td_mono_ms() < until;)
        hear(s, 100);
    for (int i = 0; i < TD_QUERY_COUNT; i++)
        if (s->owed.count[i] || s->owed.keys[i])
            fail_msg("%s: %d answers to queries %d are missing, or have other keys", s->path,
                     (int)s->owed.count[i], i);
    return asked;
}

/* Ends the program, then disconnects. */
static void end(struct session *s, int input)
{
    uint8_t query[TD_WIRE_QUERY_BYTES] = {0};
    close(input);
    for (int64_t until = td_mono_ms() + 60000; !s->terminated && !s->closed && td_mono_ms() < until;)
        hear(s, 100);
    if (!s->terminated || s->text || s->second || s->frames)
        fail_msg("%s: the session does not end with everything in its place", s->path);
    say(s, query, sizeof query);
    for (int64_t until = td_mono_ms() + 60000; !s->closed && td_mono_ms() < until;)
        hear(s, 100);
    assert_true(s->closed);
}

static void ask(const char *path)
{
    static const char *const plain[] = {NULL}, *const fork[] = {"TENDRIL_PEER=tt", NULL};
    struct recording recording;
    struct session s = {.path = path};
    assert_int_equal(recording_read(path, &recording), 0);
    int of_fork = strstr(path, "/ttfork/") != NULL, input, port = free_port();
    s.release = of_fork ? &td_wire_66tt : recording.release;
    s.unpacker = td_unpacker_create();
    pid_t pid = start_marked("linger", port, &input, of_fork ? fork : plain);
    s.fd = dial_client(port, 60000);
    greet(&s, recording.asked);
    size_t asked = ask_all(&s, &recording);
    end(&s, input);
    assert_int_equal(wait_marked(pid, 60000), 0);
    print_message("%s: %zu queries, %llu items\n", path, asked, (unsigned long long)s.items);
    close(s.fd);
    td_unpacker_destroy(s.unpacker);
    recording_free(&recording);
}

static size_t ask_matching(const char *pattern)
{
    glob_t found;
    size_t count = 0;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (count = 0; count < found.gl_pathc; count++)
            ask(found.gl_pathv[count]);
        globfree(&found);
    }
    return count;
}

static void our_client_answers_what_servers_of_every_release_asked(void **state)
{
    const char *corpus = getenv("TD_CORPUS");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/*/*.stream", corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus");
    if (!ask_matching(pattern))
        print_message("no recordings at %s (set TD_CORPUS)\n", pattern);
    assert_true(ask_matching(TD_SOURCE_DIR "/tests/data/session/*/*.stream") >= 28);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_client_answers_what_servers_of_every_release_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
