/* A session that goes to a file instead of a peer, with what the peer would have asked. The file is a
 * sequence of records: u8 direction (0 from the client, 1 to it), u32 bytes, the bytes as on the wire. */
#include "host/client/client.h"
#include "host/client/switches.h"
#include "host/client/symbols.h"
#include "host/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FROM_CLIENT, TO_CLIENT };
enum { NAME_TRIES = 100 };

static int file = -1;
static int why; /* errno of what could not be written */

int td_save_is_on(void)
{
    const char *path = td_client_text("TENDRIL_SAVE");
    return path || td_switch(TD_SWITCH_SAVE_NO_SEND);
}

static int write_all(const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(file, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            why = n < 0 ? errno : ENOSPC;
            return -1;
        }
        bytes += n;
        count -= (size_t)n;
    }
    return 0;
}

static int put(uint8_t direction, const uint8_t *bytes, size_t count)
{
    uint8_t head[5] = {direction};
    uint32_t count32 = (uint32_t)count;
    memcpy(head + 1, &count32, 4);
    return write_all(head, sizeof head) == 0 ? write_all(bytes, count) : -1;
}

static int send_to_file(void *self, const uint8_t *bytes, size_t count)
{
    return put(FROM_CLIENT, bytes, count);
}

static void tell_failure(void)
{
    fprintf(stderr, "tendril: cannot save all: %s\n", strerror(why));
}

/* A new file in the current folder, which other users may share: no link is followed, and no file replaced,
 * such as that of a process of the same number of another PID namespace. */
static int create_unnamed(char *path, size_t bytes)
{
    char program[64], more[16] = "";
    int fd = -1;
    td_client_program_name(program, sizeof program);
    errno = EEXIST;
    for (unsigned n = 0; fd < 0 && errno == EEXIST && n < NAME_TRIES; n++) {
        if (n)
            snprintf(more, sizeof more, "-%u", n);
        snprintf(path, bytes, "%s.%d%s.stream", program, (int)getpid(), more);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd;
}

static int create(void)
{
    const char *path = td_client_text("TENDRIL_SAVE");
    char made[128];
    why = 0;
    if (path) {
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } else {
        file = create_unnamed(made, sizeof made);
        path = made;
    }
    if (file < 0)
        fprintf(stderr, "tendril: cannot save to %s: %s\n", path, strerror(errno));
    return file;
}

int td_save_begin(struct td_encoder *encoder, int64_t init_end)
{
    const struct td_wire_release *release = &td_wire_82; /* the one with the most items */
    if (create() < 0 || td_encoder_init(encoder, release) != 0)
        return -1;
    encoder->send = send_to_file;
    uint8_t bytes[2048] = {TD_WIRE_STATUS_WELCOME};
    struct td_wire_welcome welcome;
    td_welcome_fill(&welcome, td_host_ns_per_tick(100), td_client_begin_ticks(), init_end);
    uint8_t hello[TD_WIRE_HELLO_BYTES];
    td_wire_put_hello(hello, release->protocol);
    td_wire_put_welcome(bytes + 1, release, &welcome);
    if (put(TO_CLIENT, hello, sizeof hello) != 0 ||
        put(FROM_CLIENT, bytes, 1 + release->welcome_bytes) != 0 || td_system_topology(encoder) != 0) {
        tell_failure();
        td_encoder_finish(encoder);
        close(file);
        return -1;
    }
    return file;
}

/* One question and its answer. */
static int ask(struct td_encoder *encoder, enum td_query what, uint64_t ptr)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    td_wire_put_query(bytes, encoder->release, &(struct td_wire_query){what, ptr, 0});
    if (td_encode_flush(encoder) != 0 || put(TO_CLIENT, bytes, sizeof bytes) != 0)
        return -1;
    int failed = td_answer(encoder, bytes) < 0;
    for (; !failed && td_resolver_pending(); failed = td_answer_found(encoder, 1) != 0)
        poll(NULL, 0, 1);
    return failed ? -1 : 0;
}

static int ask_about(struct td_encoder *encoder, enum td_known_kind kind, uint64_t key)
{
    switch (kind) {
    case TD_KNOWN_TEXT:
        return ask(encoder, TD_QUERY_String, key);
    case TD_KNOWN_PLOT:
        return ask(encoder, TD_QUERY_PlotName, key);
    case TD_KNOWN_FRAME_NAME:
        return ask(encoder, TD_QUERY_FrameName, key);
    case TD_KNOWN_THREAD:
        return ask(encoder, TD_QUERY_ThreadString, key);
    case TD_KNOWN_SRCLOC:
        return ask(encoder, TD_QUERY_SourceLocation, key);
    case TD_KNOWN_FIBER:
        return ask(encoder, TD_QUERY_FiberName, key);
    case TD_KNOWN_CODE:
        return ask(encoder, TD_QUERY_CallstackFrame, key);
    case TD_KNOWN_SYMBOL:
        return ask(encoder, TD_QUERY_Symbol, key);
    default:
        return 0;
    }
}

void td_save_end(struct td_encoder *encoder, int failed)
{
    enum td_known_kind kind;
    uint64_t key;
    failed = failed || td_ending_put(encoder) != 0;
    /* Answers make new keys known. */
    for (size_t i = 0; !failed && td_known_at(encoder->known, i, &kind, &key); i++)
        failed = ask_about(encoder, kind, key);
    uint8_t last[TD_WIRE_QUERY_BYTES] = {0};
    if (failed || td_encode_flush(encoder) != 0 || td_ending_terminate(encoder) != 0 ||
        put(TO_CLIENT, last, sizeof last) != 0)
        tell_failure();
}
