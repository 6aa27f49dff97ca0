/* A session that is written to a file, with the queries that a peer would have sent. The file is a
 * sequence of records: u8 direction (0 from the client, 1 to it), u32 bytes, the bytes as on the wire.
 *
 * Names come before the frame that uses them first, so that a file that breaks off anywhere (a program that
 * is killed, a full disk) has the names of all events in it. What addresses in code mean takes its time to
 * find out and comes later, as do machine code and source files. */
#include "host/base/err.h"
#include "host/client/session/save.h"
#include "host/base/plain_text.h"
#include "host/client/encode/ahead.h"
#include "host/client/encode/announced.h"
#include "host/client/encode/answer.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/shutdown.h"
#include "host/client/encode/system.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/names.h"
#include "host/client/session/welcome.h"
#include "host/client/symbols/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FROM_CLIENT, TO_CLIENT };
enum { NAME_TRIES = 100, SOURCES = 8, PART_BYTES = 12 };

static int file = -1;
static int why;      /* errno of what could not be written */
static size_t coded; /* the encoder's announced keys that were checked for addresses in code */

/* Source files that the session named, in order, and for how many of them the text was asked. */
static struct {
    char **names;
    size_t count, asked;
} sources;

bool td_save_is_on(void)
{
    const char *path = td_setting_text(TD_SETTING_SAVE);
    return path || td_setting_value(TD_SETTING_SAVE_NO_SEND);
}

static int write_all(const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(file, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            why = n < 0 ? errno : ENOSPC;
            return TD_E_IO;
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
    const int rc = write_all(head, sizeof head);
    return rc ? rc : write_all(bytes, count);
}

static int send_to_file(void *self, const uint8_t *bytes, size_t count)
{
    return put(FROM_CLIENT, bytes, count);
}

static void tell_failure(void)
{
    fprintf(stderr, "tendril: cannot save all of the session: %s\n", strerror(why));
}

/* Makes a new file in the current folder, which other users may share: follows no link and replaces no file,
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
    const char *path = td_setting_text(TD_SETTING_SAVE);
    char made[128];
    why = 0;
    if (path) {
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } else {
        file = create_unnamed(made, sizeof made);
        path = made;
    }
    if (file < 0)
        fprintf(stderr, "tendril: cannot save to %s: %s\n", TD_PLAIN(path), strerror(errno));
    return file;
}

void td_save_failed(int error)
{
    why = error;
    if (td_save_is_on())
        tell_failure();
}

static int ask(struct td_encoder *encoder, enum td_query what, uint64_t ptr);
static int ask_about_machine_code(struct td_encoder *encoder, uint64_t address, uint32_t bytes);
static void remember_source(struct td_encoder *encoder, const char *file, size_t bytes);

/* The begin of the connection, as both sides would send it. */
static int put_greeting(const struct td_wire_release *release, int64_t init_end)
{
    uint8_t bytes[2048] = {TD_WIRE_STATUS_WELCOME}, hello[TD_WIRE_HELLO_BYTES];
    struct td_wire_welcome welcome;
    td_welcome_fill(&welcome, init_end);
    welcome.flags = td_welcome_flags(release) & ~TD_WIRE_FLAG_ON_DEMAND; /* the file has all events */
    td_wire_put_hello(hello, release->protocol);
    td_wire_put_welcome(bytes + 1, release, &welcome);
    const int rc = put(TO_CLIENT, hello, sizeof hello);
    return rc ? rc : put(FROM_CLIENT, bytes, 1 + release->welcome_bytes);
}

int td_save_begin(struct td_encoder *encoder, int64_t init_end)
{
    const struct td_wire_release *release = &td_wire_82; /* the one with the most items */
    if (create() < 0)
        return TD_E_IO;
    why = ENOMEM;
    if (td_encoder_init(encoder, release) == 0) {
        coded = 0;
        if (td_answer_sends_code())
            encoder->symbol_answered = ask_about_machine_code;
        if (td_answer_program_time())
            encoder->file_named = remember_source;
        encoder->send = send_to_file;
        if (td_ahead_begin(encoder, ask) == 0 && put_greeting(release, init_end) == 0 &&
            td_system_send_topology(encoder) == 0)
            return file;
        td_encoder_finish(encoder);
    }
    tell_failure();
    close(file);
    return TD_E_IO;
}

/* Asks one question. Its answer goes into the open frame, or follows when the resolver has it. */
static int ask_more(struct td_encoder *encoder, enum td_query what, uint64_t ptr, uint32_t extra)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    td_wire_put_query(bytes, encoder->release, &(struct td_wire_query){what, ptr, extra});
    return put(TO_CLIENT, bytes, sizeof bytes) == 0 && td_answer(encoder, bytes) >= 0 ? 0 : -1;
}

static int ask(struct td_encoder *encoder, enum td_query what, uint64_t ptr)
{
    return ask_more(encoder, what, ptr, 0);
}

/* ---- names ---- */

static int put_renamed(struct td_encoder *encoder)
{
    uint32_t threads[64];
    size_t count = td_client_renamed_threads(threads, sizeof threads / sizeof *threads);
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++)
        failed = td_ahead_thread(encoder, threads[i]);
    return failed;
}

/* Names that threads got other than through the client. */
static int put_last_names(struct td_encoder *encoder)
{
    enum td_announced_kind kind;
    uint64_t key;
    int failed = 0;
    for (size_t i = 0; !failed && td_announced_at(encoder->announced, i, &kind, &key); i++)
        failed = kind == TD_ANNOUNCED_THREAD ? td_ahead_thread(encoder, (uint32_t)key) : 0;
    return failed;
}

/* ---- addresses in code ---- */

static int ask_about_code(struct td_encoder *encoder)
{
    enum td_announced_kind kind;
    uint64_t key;
    int failed = 0;
    for (; !failed && td_announced_at(encoder->announced, coded, &kind, &key) && td_resolver_has_room();
         coded++) {
        if (kind == TD_ANNOUNCED_CODE)
            failed = ask(encoder, TD_QUERY_CallstackFrame, key);
        else if (kind == TD_ANNOUNCED_SYMBOL)
            failed = ask(encoder, TD_QUERY_Symbol, key);
    }
    return failed;
}

static int put_code(struct td_encoder *encoder, int hurry)
{
    return ask_about_code(encoder) == 0 ? td_answer_found(encoder, hurry) : -1;
}

/* Waits for all answers of the resolver. Answers announce new symbols, which are asked about in turn. */
static int put_last_code(struct td_encoder *encoder)
{
    enum td_announced_kind kind;
    uint64_t key;
    int failed = 0;
    while (!failed && (td_resolver_pending() || td_announced_at(encoder->announced, coded, &kind, &key))) {
        failed = put_code(encoder, 1);
        if (!failed && td_resolver_pending())
            poll(NULL, 0, 1);
    }
    return failed;
}

static int ask_about_machine_code(struct td_encoder *encoder, uint64_t address, uint32_t bytes)
{
    return bytes ? ask_more(encoder, TD_QUERY_SymbolCode, address, bytes) : 0;
}

/* ---- source files ---- */

static int more_sources(void)
{
    size_t room = sources.names ? td_pool_room(sources.names) : 0;
    if ((sources.count + 1) * sizeof *sources.names <= room)
        return 1;
    char **more = td_pool_alloc(2 * room + 64 * sizeof *more);
    if (!more)
        return 0;
    if (sources.count)
        memcpy(more, sources.names, sources.count * sizeof *more);
    td_pool_free(sources.names);
    sources.names = more;
    return 1;
}

/* Recorders do not ask for what is in brackets, which says that no file is known. Without memory, the text is
 * left out. */
static void remember_source(struct td_encoder *encoder, const char *file, size_t bytes)
{
    char *copy = *file == '[' || *file == '<' || !more_sources() ? NULL : td_pool_alloc(bytes + 1);
    if (!copy)
        return;
    memcpy(copy, file, bytes);
    copy[bytes] = 0;
    sources.names[sources.count++] = copy;
}

/* Sends the name in parts, with its NUL, then asks for the file by a number. */
static int ask_about_source(struct td_encoder *encoder, const char *name, uint32_t number)
{
    size_t bytes = strlen(name) + 1;
    int failed = ask(encoder, TD_QUERY_DataTransfer, bytes);
    for (size_t at = 0; !failed && at < bytes; at += PART_BYTES) {
        uint8_t part[PART_BYTES] = {0};
        uint64_t low;
        uint32_t high;
        memcpy(part, name + at, bytes - at < PART_BYTES ? bytes - at : PART_BYTES);
        memcpy(&low, part, 8);
        memcpy(&high, part + 8, 4);
        failed = ask_more(encoder, TD_QUERY_DataTransferPart, low, high);
    }
    return failed ? failed : ask(encoder, TD_QUERY_SourceCode, number);
}

/* Asks for at most `most` files: events must not wait long. */
static int put_sources(struct td_encoder *encoder, size_t most)
{
    int failed = 0;
    for (; !failed && most && sources.asked < sources.count; sources.asked++, most--) {
        char *name = sources.names[sources.asked];
        failed = ask_about_source(encoder, name, (uint32_t)sources.asked);
        td_pool_free(name);
    }
    return failed;
}

static void forget_sources(void)
{
    while (sources.asked < sources.count)
        td_pool_free(sources.names[sources.asked++]);
    td_pool_free(sources.names);
    sources.names = NULL;
    sources.count = sources.asked = 0;
}

int td_save_step(struct td_encoder *encoder)
{
    return put_renamed(encoder) == 0 && put_code(encoder, 0) == 0 ? put_sources(encoder, SOURCES) : -1;
}

void td_save_end(struct td_encoder *encoder, int failed)
{
    uint8_t last[TD_WIRE_QUERY_BYTES] = {0};
    failed = failed || td_shutdown_put(encoder) != 0 || put_last_names(encoder) != 0 ||
             put_last_code(encoder) != 0 || put_sources(encoder, SIZE_MAX) != 0 ||
             td_encode_flush(encoder) != 0 || td_shutdown_terminate(encoder) != 0 ||
             put(TO_CLIENT, last, sizeof last) != 0;
    if (failed)
        tell_failure();
    forget_sources();
}
