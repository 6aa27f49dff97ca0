/* Journals: what is put comes back, cut off anywhere, with any byte changed; clients of all releases; locks. */
#include "host/agent/client/saved_session.h"
#include "host/agent/journal/board_journal.h"
#include "host/agent/journal/client_journal.h"
#include "host/agent/journal/journal_file.h"
#include "host/base/checksum.h"
#include "host/trace/trace.h"
#include "tests/agent/journal_check.h"
#include "tests/wire/in_pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define RECORDS 12

static char folder[] = "/tmp/td_journal_XXXXXX";
static char output[64];

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/x.tracy", folder);
    return 0;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

/* ---- a file in memory ---- */

static uint8_t *read_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(1 << 22);
    assert_non_null(bytes);
    *count = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

/* The journal's bytes; removes the file. */
static uint8_t *take_journal(struct td_journal *journal, size_t *count)
{
    char path[TD_JOURNAL_PATH_MAX];
    td_journal_flush(journal);
    snprintf(path, sizeof path, "%s", td_journal_path(journal));
    uint8_t *bytes = read_file(path, count);
    td_journal_destroy(journal, false);
    assert_int_not_equal(access(path, F_OK), 0);
    return bytes;
}

static uint8_t *make_journal(size_t *count)
{
    struct td_err err = {0};
    struct td_journal *journal = td_journal_create(output, &err);
    assert_non_null(journal);
    for (unsigned i = 0; i < RECORDS; i++) {
        char text[200];
        memset(text, 'a' + (int)i, sizeof text);
        td_journal_put(journal, i & 1 ? TD_JOURNAL_RECEIVED : TD_JOURNAL_SETTING, (uint16_t)i, &i, sizeof i,
                       text, sizeof text - i);
        if (i % 3 == 2)
            td_journal_flush(journal);
    }
    return take_journal(journal, count);
}

struct seen {
    unsigned records;
    bool wrong;
};

static int see_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                      size_t count, struct td_err *err)
{
    struct seen *seen = self;
    const unsigned i = seen->records++;
    unsigned number;
    memcpy(&number, bytes, sizeof number);
    bool right = i < RECORDS && number == i && source == i && count == sizeof i + 200 - i &&
                 kind == (i & 1 ? TD_JOURNAL_RECEIVED : TD_JOURNAL_SETTING);
    for (size_t at = sizeof i; right && at < count; at++)
        right = bytes[at] == 'a' + i;
    seen->wrong |= !right;
    return 0;
}

static int feed(void *reader, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_journal_reader_feed(reader, bytes, count, err);
}

/* What reading the bytes gave; the number of records is in *seen. */
static int read_bytes(const uint8_t *bytes, size_t count, size_t piece, struct seen *seen,
                      struct td_journal_state *result)
{
    struct td_err err = {0};
    *seen = (struct seen){0};
    struct td_journal_reader *reader = td_journal_reader_create(see_record, seen);
    assert_non_null(reader);
    int bad = in_pieces(feed, reader, bytes, count, piece, &err);
    bad = bad ? bad : td_journal_reader_close(reader, &err);
    *result = *td_journal_reader_state(reader);
    td_journal_reader_destroy(reader);
    return bad;
}

/* ---- tests ---- */

static void checksums_are_those_of_xxh64(void **state)
{
    static const char text[] = "Nobody inspects the spammish repetition";
    assert_true(td_checksum("", 0) == UINT64_C(0xef46db3751d8e999));
    assert_true(td_checksum("a", 1) == UINT64_C(0xd24ec4f1a98c6e5b));
    assert_true(td_checksum("abc", 3) == UINT64_C(0x44bc2cf5ad770999));
    assert_true(td_checksum(text, sizeof text - 1) == UINT64_C(0xfbcea83c8a378bf1));
}

static void what_is_put_comes_back_in_pieces_of_any_size(void **state)
{
    static const size_t pieces[] = {1, 7, 1000, 1 << 20};
    size_t count;
    uint8_t *bytes = make_journal(&count);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct seen seen;
        struct td_journal_state result;
        assert_int_equal(read_bytes(bytes, count, pieces[i], &seen, &result), 0);
        assert_int_equal(seen.records, RECORDS);
        assert_false(seen.wrong || result.damaged || result.torn_bytes);
    }
    free(bytes);
}

static void a_journal_cut_off_at_any_byte_keeps_what_is_whole(void **state)
{
    size_t count;
    unsigned last = 0;
    uint8_t *bytes = make_journal(&count);
    for (size_t n = 0; n <= count; n++) {
        struct seen seen;
        struct td_journal_state result;
        assert_int_equal(read_bytes(bytes, n, 64, &seen, &result) == 0, n >= td_journal_head_bytes);
        assert_false(seen.wrong || result.damaged);
        assert_true(seen.records >= last);
        last = seen.records;
        if (n >= td_journal_head_bytes)
            assert_int_equal(result.whole_bytes + result.torn_bytes, n);
    }
    assert_int_equal(last, RECORDS);
    free(bytes);
}

static void a_changed_byte_ends_the_records_before_it(void **state)
{
    size_t count;
    unsigned damaged = 0;
    uint8_t *bytes = make_journal(&count);
    for (size_t at = 0; at < count; at++) {
        struct seen seen;
        struct td_journal_state result;
        bytes[at] ^= 0x41;
        int bad = read_bytes(bytes, count, 4096, &seen, &result);
        assert_int_equal(bad != 0, at < td_journal_head_bytes);
        assert_false(seen.wrong);
        assert_true(seen.records < RECORDS);
        if (!bad)
            assert_true(result.torn_bytes > 0 && result.whole_bytes <= at);
        damaged += result.damaged;
        bytes[at] ^= 0x41;
    }
    /* All but damage in the last block has whole blocks after it. */
    assert_true(damaged > count / 2);
    free(bytes);
}

static void a_journal_of_another_version_is_refused(void **state)
{
    size_t count;
    struct td_err err = {0};
    uint8_t *bytes = make_journal(&count);
    bytes[8] = TD_JOURNAL_VERSION + 1;
    struct td_journal_reader *reader = td_journal_reader_create(see_record, NULL);
    assert_int_equal(td_journal_reader_feed(reader, bytes, count, &err), TD_E_VERSION);
    assert_non_null(strstr(err.text, "version 2"));
    td_journal_reader_destroy(reader);
    free(bytes);
}

/* ---- clients ---- */

/* Calls the tap as a client source does that has the session's connection. */
static void tap_session(const struct td_client_tap *tap, const uint8_t *bytes, size_t count,
                        const struct td_wire_release *release, const struct td_wire_welcome *welcome)
{
    const bool on_demand = welcome->flags & TD_WIRE_FLAG_ON_DEMAND;
    const size_t greeting_bytes =
        1 + release->welcome_bytes + (on_demand ? (size_t)TD_WIRE_ONDEMAND_BYTES : 0);
    uint8_t greeting[4096];
    size_t have = 0, hello = TD_WIRE_HELLO_BYTES;
    for (size_t at = 0; at + 5 <= count;) {
        uint32_t n;
        const uint8_t *data = bytes + at + 5;
        memcpy(&n, bytes + at + 1, sizeof n);
        const bool sent = bytes[at];
        at += 5 + n;
        assert_true(at <= count);
        if (sent) {
            const size_t skip = hello < n ? hello : n;
            hello -= skip;
            if (n > skip && have == greeting_bytes)
                tap->sent(tap->self, data + skip, n - skip);
            continue;
        }
        const size_t rest = greeting_bytes - have, taken = rest < n ? rest : n;
        memcpy(greeting + have, data, taken);
        have += taken;
        if (taken && have == greeting_bytes) {
            struct td_client_stream_config config = {
                .release = release, .ns_per_tick = welcome->timerMul, .zero_ticks = welcome->initBegin};
            struct td_client_began began = {
                .stream = &config, .greeting = greeting, .greeting_bytes = greeting_bytes, .same_clock = 1};
            if (on_demand) {
                memcpy(&config.frame_offset, greeting + greeting_bytes - TD_WIRE_ONDEMAND_BYTES, 8);
                memcpy(&began.connected_ticks, greeting + greeting_bytes - TD_WIRE_ONDEMAND_BYTES + 8, 8);
            }
            tap->began(tap->self, &began);
        }
        if (n > taken)
            tap->received(tap->self, data + taken, n - taken);
    }
    tap->ended(tap->self);
}

static void expect_counts_of_session(const char *release, const char *name)
{
    char path[300];
    size_t count, journal_bytes;
    struct td_err err = {0};
    snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/session/%s/%s.stream", release, name);
    uint8_t *bytes = read_file(path, &count);
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = td_hub_create(td_trace_fill_dict(trace));
    struct td_saved_session *session = td_saved_session_create(hub);
    assert_int_equal(td_hub_add_sink(hub, td_trace_sink(trace)), 0);
    assert_int_equal(td_saved_session_feed(session, bytes, count, &err), 0);
    assert_int_equal(td_saved_session_close(session, &err), 0);
    const struct td_client_counts want = *td_saved_session_counts(session);

    struct td_client_journal to;
    struct td_journal *journal = td_journal_create(output, &err);
    assert_non_null(journal);
    uint32_t protocol; /* of the hello: the stream's release may be the fork's, which it has found out */
    assert_int_equal(td_wire_get_hello(bytes + 5, &protocol), 0);
    tap_session(td_client_journal_init(&to, journal), bytes, count, td_wire_release_for(protocol),
                td_saved_session_welcome(session));
    uint8_t *written = take_journal(journal, &journal_bytes);
    const struct journal_result got = journal_check(written, journal_bytes, 1 << 16);
    assert_false(got.refused);
    assert_string_equal(got.trouble, "");
    assert_int_equal(got.counts.zones, want.zones);
    assert_int_equal(got.counts.messages, want.messages);
    assert_int_equal(got.counts.frames, want.frames);
    assert_int_equal(got.counts.plot_points, want.plot_points);
    assert_int_equal(got.counts.allocations, want.allocations);
    assert_int_equal(got.counts.lock_events, want.lock_events);
    assert_int_equal(got.counts.gpu_zones, want.gpu_zones);
    assert_int_equal(got.counts.items, want.items);
    assert_true(want.items > 0);

    /* Cut off anywhere, the replay ends properly. */
    uint64_t last = 0;
    for (size_t n = td_journal_head_bytes; n < journal_bytes; n += 1 + n / 8) {
        const struct journal_result part = journal_check(written, n, 1 << 16);
        assert_false(part.refused);
        assert_true(part.counts.items >= last);
        last = part.counts.items;
    }
    free(written);
    td_saved_session_destroy(session);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    free(bytes);
}

static void sessions_of_all_releases_give_the_same_events(void **state)
{
    static const char *const releases[] = {"0.9.1", "0.10", "0.11.1", "0.12.2", "0.13.1", "0.14.0", "ttfork"};
    static const char *const names[] = {"gpu", "ondemand", "crash", "killed"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            expect_counts_of_session(releases[i], names[n]);
    static const char *const with_all[] = {"0.9.1", "0.14.0", "ttfork"};
    for (size_t i = 0; i < sizeof with_all / sizeof *with_all; i++)
        expect_counts_of_session(with_all[i], "features");
}

static void changed_records_are_refused_or_taken_for_what_they_say(void **state)
{
    size_t count;
    uint32_t seed = 4711;
    uint8_t *bytes = make_journal(&count), *records = malloc(count);
    assert_non_null(records);
    for (int round = 0; round < 300; round++) {
        memcpy(records, bytes, count);
        for (int i = 0; i < 20; i++) {
            seed = seed * 1664525 + 1013904223;
            records[(seed >> 4) % count] = (uint8_t)(seed >> 24);
        }
        /* A begin of a board or of a client with any contents, then records of any kind. */
        records[0] = round & 1 ? TD_JOURNAL_BOARD : TD_JOURNAL_CLIENT;
        journal_check_records(records, count);
    }
    free(records);
    free(bytes);
}

/* ---- boards ---- */

struct list {
    uint8_t *bytes;
    size_t count;
};

/* Appends the record as a list of records has it. */
static int list_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                       size_t count, struct td_err *err)
{
    struct list *list = self;
    const struct td_journal_record record = {
        .kind = (uint8_t)kind, .source = source, .bytes = (uint32_t)count};
    td_journal_put_record(list->bytes + list->count, &record);
    memcpy(list->bytes + list->count + td_journal_record_bytes, bytes, count);
    list->count += td_journal_record_bytes + count;
    return 0;
}

/* Calls the tap as a board source does, with slots that are partly packets. */
static void tap_board(const struct td_board_tap *tap, uint32_t *seed)
{
    struct td_drain_stats stats = {.lost_slots = 3, .bad_frames = 1};
    uint32_t words[64], ctrl[32] = {0};
    for (uint32_t round = 0; round < 20; round++) {
        const struct td_clock_sample sample = {.host_before = 1000 + round * 1000000,
                                               .ticks = 500 + round * 500000,
                                               .host_after = 1100 + round * 1000000};
        const struct td_lane_at at = {.index = round % 20, .gap = round == 7, .missing = 2};
        for (size_t i = 0; i < 64; i++) {
            *seed = *seed * 1664525 + 1013904223;
            words[i] = i & 1 ? round * 500000 + (uint32_t)i : *seed;
        }
        tap->clock(tap->self, 0, &sample);
        tap->words(tap->self, &at, words, 32);
        tap->opens(tap->self, at.index, sample.ticks, sample.ticks + 10, words, 8);
    }
    tap->damaged(tap->self, &(struct td_lane_at){.index = 1, .core = 1}, 0x1000, 2);
    tap->image(tap->self, 4711, words, sizeof words);
    for (uint32_t lane = 0; lane < 20; lane++)
        tap->control(tap->self, lane, true, ctrl);
    tap->finished(tap->self, &stats);
}

/* What the recorder adds at the end. */
static void put_end(struct td_journal *journal)
{
    const struct td_client_journal client = {.journal = journal, .source = 1};
    td_client_journal_put_process(&client, 20, "program: 20 ns");
    for (int i = 0; i < 100; i++) /* each replaces the one before */
        td_journal_put_setting(journal, i & 1 ? "clock_origin" : "when", "%d", i);
    for (uint8_t found = 0; found < 2; found++) {
        td_journal_put(journal, TD_JOURNAL_FILE, 0, &found, 1, "kernel.c", 8);
        td_journal_put_bytes(journal, TD_JOURNAL_FILE_TEXT, 0, "int main;", 9);
    }
}

static void changed_records_of_a_board_are_taken_for_what_they_say(void **state)
{
    char *text = NULL;
    size_t count;
    uint32_t seed = 99;
    struct td_board board;
    struct td_err err = {0};
    struct td_board_journal to;
    assert_int_equal(
        td_board_load(&board, TD_SOURCE_DIR "/boards/tensix_sim/tensix_sim.board", NULL, &text, &err), 0);
    struct td_journal *journal = td_journal_create(output, &err);
    assert_non_null(journal);
    const struct td_board_source_options options = {.policy = TD_POLICY_DROP};
    tap_board(td_board_journal_init(&to, journal, &board, text, &options), &seed);
    put_end(journal);
    free(text);
    uint8_t *bytes = take_journal(journal, &count);
    const struct journal_result whole = journal_check(bytes, count, 4096);
    assert_false(whole.refused);
    assert_string_equal(whole.trouble, "");

    struct list list = {malloc(1 << 20), 0};
    struct td_journal_reader *reader = td_journal_reader_create(list_record, &list);
    assert_int_equal(td_journal_reader_feed(reader, bytes, count, &err), 0);
    td_journal_reader_destroy(reader);
    const size_t first = list.count / 2; /* the first half is the description */
    uint8_t *changed = malloc(list.count);
    for (int round = 0; round < 300; round++) {
        memcpy(changed, list.bytes, list.count);
        for (int i = 0; i < 1 + round % 9; i++) {
            seed = seed * 1664525 + 1013904223;
            const size_t from = round & 3 ? first : 0;
            changed[from + (seed >> 4) % (list.count - from)] = (uint8_t)(seed >> 24);
        }
        journal_check_records(changed, list.count);
    }
    free(changed);
    free(list.bytes);
    free(bytes);
}

/* ---- files ---- */

static void count_path(void *self, const char *path)
{
    ++*(unsigned *)self;
}

/* In another process: locks do not hold in this one. */
static int open_in_child(const char *path)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct td_err err = {0};
        const int fd = td_journal_file_open(path, &err);
        unsigned left = 0;
        td_journal_file_left(output, count_path, &left);
        _exit(fd >= 0 ? 0 : fd == TD_E_EXISTS && left == 0 && strstr(err.text, "in use") ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_journal_in_use_is_told_from_one_that_is_left(void **state)
{
    char path[TD_JOURNAL_PATH_MAX];
    unsigned left = 0;
    struct td_err err = {0};
    struct td_journal *journal = td_journal_create(output, &err);
    assert_non_null(journal);
    snprintf(path, sizeof path, "%s", td_journal_path(journal));
    assert_int_equal(open_in_child(path), 1);
    td_journal_destroy(journal, true);
    assert_int_equal(open_in_child(path), 0);
    assert_int_equal(td_journal_file_left(output, count_path, &left), 1);
    assert_int_equal(left, 1);
    /* A second journal does not overwrite the first. */
    journal = td_journal_create(output, &err);
    assert_non_null(journal);
    assert_string_not_equal(td_journal_path(journal), path);
    td_journal_destroy(journal, false);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(unlink(path), 0);
}

static void a_full_disk_ends_the_journal_and_nothing_else(void **state)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char line[400], again[400];
        static uint8_t bytes[100000];
        const struct rlimit limit = {200000, 200000};
        struct td_err err = {0};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct td_journal *journal = td_journal_create(output, &err);
        for (int i = 0; journal && i < 2000 && !td_journal_has_failed(journal); i++)
            td_journal_put(journal, TD_JOURNAL_RECEIVED, 0, NULL, 0, bytes, sizeof bytes);
        td_journal_flush(journal);
        const bool told = journal && td_journal_trouble(journal, line, sizeof line);
        const bool twice = journal && td_journal_trouble(journal, again, sizeof again);
        td_journal_put(journal, TD_JOURNAL_RECEIVED, 0, NULL, 0, bytes, sizeof bytes);
        td_journal_destroy(journal, false);
        _exit(told && !twice && strstr(line, "File too large") && strstr(line, "continues") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_those_of_xxh64),
        cmocka_unit_test(what_is_put_comes_back_in_pieces_of_any_size),
        cmocka_unit_test(a_journal_cut_off_at_any_byte_keeps_what_is_whole),
        cmocka_unit_test(a_changed_byte_ends_the_records_before_it),
        cmocka_unit_test(a_journal_of_another_version_is_refused),
        cmocka_unit_test(sessions_of_all_releases_give_the_same_events),
        cmocka_unit_test(changed_records_are_refused_or_taken_for_what_they_say),
        cmocka_unit_test(changed_records_of_a_board_are_taken_for_what_they_say),
        cmocka_unit_test(a_journal_in_use_is_told_from_one_that_is_left),
        cmocka_unit_test(a_full_disk_ends_the_journal_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
