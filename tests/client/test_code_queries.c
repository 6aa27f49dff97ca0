/* Which code a peer may ask for, and what it gets when it asks for more. */
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"
#include "tests/client/run_marked.h"

#include <arpa/inet.h>
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

#define RELEASE (&td_wire_82)

/* A session as the collecting end has it. */
struct session {
    pid_t pid;
    int fd, input;
    struct td_wire_welcome welcome;
    struct td_unpacker *unpacker;
    uint64_t items[TD_ITEM_COUNT];
};

static void must_read(int fd, void *to, size_t bytes)
{
    assert_int_equal(recv(fd, to, bytes, MSG_WAITALL), bytes);
}

static void begin(struct session *s)
{
    int port = free_port();
    *s = (struct session){.unpacker = td_unpacker_create()};
    s->pid = start_marked("linger", port, &s->input, NULL);
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int64_t until = td_mono_ms() + 60000; td_mono_ms() < until; poll(NULL, 0, 5)) {
        s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(s->fd, (struct sockaddr *)&at, sizeof at) == 0)
            break;
        close(s->fd);
    }
    uint8_t bytes[2048];
    td_wire_put_hello(bytes, RELEASE->protocol);
    assert_int_equal(send(s->fd, bytes, TD_WIRE_HELLO_BYTES, MSG_NOSIGNAL), TD_WIRE_HELLO_BYTES);
    must_read(s->fd, bytes, 1);
    assert_int_equal(bytes[0], TD_WIRE_STATUS_WELCOME);
    must_read(s->fd, bytes, RELEASE->welcome_bytes);
    td_wire_get_welcome(bytes, RELEASE, &s->welcome);
}

static void take(struct session *s, const struct td_wire_view *view)
{
    s->items[view->item]++;
}

/* Waits until `count` of the item have arrived. */
static void until(struct session *s, enum td_item item, uint64_t count)
{
    struct td_err err = {0};
    for (int64_t end = td_mono_ms() + 60000; s->items[item] < count;) {
        const uint8_t *frame;
        uint8_t *room;
        int bytes;
        while ((bytes = td_unpacker_next(s->unpacker, &frame, &err)) > 0) {
            struct td_wire_view view;
            size_t at = 0;
            while (td_wire_next(RELEASE, frame, (size_t)bytes, &at, &view, &err) == 1)
                take(s, &view);
        }
        if (bytes < 0 || td_mono_ms() > end)
            fail_msg("%llu of %llu: %s", (unsigned long long)s->items[item], (unsigned long long)count,
                     err.text);
        if (s->items[item] >= count)
            return;
        size_t most = td_unpacker_room(s->unpacker, &room);
        ssize_t n = recv(s->fd, room, most, 0);
        assert_true(n > 0);
        td_unpacker_fed(s->unpacker, (size_t)n);
    }
}

static void ask(struct session *s, enum td_query what, uint64_t ptr, uint32_t extra)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    td_wire_put_query(bytes, RELEASE, &(struct td_wire_query){what, ptr, extra});
    assert_int_equal(send(s->fd, bytes, sizeof bytes, MSG_NOSIGNAL), sizeof bytes);
}

static void end(struct session *s)
{
    ask(s, TD_QUERY_Terminate, 0, 0);
    close(s->input);
    assert_int_equal(wait_marked(s->pid, 60000), 0);
    close(s->fd);
    td_unpacker_destroy(s->unpacker);
}

static void ask_for_file(struct session *s, const char *name, uint32_t id)
{
    size_t bytes = strlen(name) + 1;
    ask(s, TD_QUERY_DataTransfer, bytes, 0);
    for (size_t at = 0; at < bytes; at += 12) {
        char part[12] = {0};
        memcpy(part, name + at, bytes - at < 12 ? bytes - at : 12);
        uint64_t low;
        uint32_t high;
        memcpy(&low, part, 8);
        memcpy(&high, part + 8, 4);
        ask(s, TD_QUERY_DataTransferPart, low, high);
    }
    ask(s, TD_QUERY_SourceCode, id, 0);
}

static void files_that_the_session_has_not_named_are_not_sent(void **state)
{
    static const char *const files[] = {"/etc/passwd", "/proc/self/environ", "/dev/zero", "",
                                        "../../etc/passwd"};
    struct session s;
    begin(&s);
    assert_true(s.welcome.exectime > 0);
    assert_true(s.welcome.flags & TD_WIRE_FLAG_CODE_TRANSFER);
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++)
        ask_for_file(&s, files[i], i);
    until(&s, TD_ITEM_AckSourceCodeNotAvailable, sizeof files / sizeof *files);
    ask(&s, TD_QUERY_SourceCode, 77, 0); /* without a name */
    ask(&s, TD_QUERY_DataTransfer, UINT64_C(1) << 40, 0);
    ask(&s, TD_QUERY_DataTransferPart, 1, 2);
    ask(&s, TD_QUERY_SourceCode, 78, 0);
    until(&s, TD_ITEM_AckSourceCodeNotAvailable, sizeof files / sizeof *files + 2);
    assert_int_equal(s.items[TD_ITEM_SourceCode], 0);
    end(&s);
}

static void memory_that_is_no_function_of_a_call_stack_is_not_sent(void **state)
{
    struct session s;
    begin(&s);
    const uint64_t places[] = {0, 0x400000, (uintptr_t)&s, UINT64_MAX - 4095, (uintptr_t)must_read};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        ask(&s, TD_QUERY_SymbolCode, places[i], 131072);
    until(&s, TD_ITEM_AckSymbolCodeNotAvailable, sizeof places / sizeof *places);
    assert_int_equal(s.items[TD_ITEM_SymbolCode], 0);
    end(&s);
}

static void every_question_about_an_address_is_answered(void **state)
{
    enum { COUNT = 40000 };
    struct session s;
    begin(&s);
    uint64_t place = 88172645463325252u;
    for (int i = 0; i < COUNT; i++) {
        place ^= place << 13;
        place ^= place >> 7;
        place ^= place << 17;
        ask(&s, i % 2 ? TD_QUERY_CallstackFrame : TD_QUERY_Symbol, i % 3 ? place >> 17 : place, 0);
        if (i % 4000 == 3999) /* the space that a peer has for questions */
            until(&s, TD_ITEM_CallstackFrameSize, (uint64_t)i / 2);
    }
    until(&s, TD_ITEM_CallstackFrameSize, COUNT / 2);
    until(&s, TD_ITEM_SymbolInformation, COUNT / 2);
    assert_int_equal(s.items[TD_ITEM_CallstackFrame], COUNT / 2);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_the_session_has_not_named_are_not_sent),
        cmocka_unit_test(memory_that_is_no_function_of_a_call_stack_is_not_sent),
        cmocka_unit_test(every_question_about_an_address_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
