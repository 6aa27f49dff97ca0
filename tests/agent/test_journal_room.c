/* Journals of a few hundred KB that unpack to much: ELFs and source files take no more than a part of the memory limit, for
 * one and for all; what has room is whole, and the rest is said. */
#include "host/agent/journal/journal_file.h"
#include "host/agent/journal/journal_replay.h"
#include "host/base/run_folder.h"
#include "host/trace/trace.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define MB     (UINT64_C(1) << 20)
#define LIMIT  (64 * MB)
#define ROOM   (LIMIT / 8)
#define PIECE  (1u << 16)
#define PACKED (4 * MB) /* the journals are smaller */

static char folder[] = "/tmp/td_room_XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static void put_many(struct td_journal *journal, enum td_journal_kind kind, uint16_t source, uint64_t bytes,
                     char letter)
{
    static char piece[PIECE];
    memset(piece, letter, sizeof piece);
    for (uint64_t done = 0; done < bytes; done += PIECE)
        td_journal_put(journal, kind, source, NULL, 0, piece,
                       bytes - done < PIECE ? (size_t)(bytes - done) : PIECE);
    td_journal_flush(journal);
}

static void put_elf(struct td_journal *journal, uint16_t source, uint64_t bytes)
{
    const uint64_t build_id = bytes;
    td_journal_put(journal, TD_JOURNAL_IMAGE, source, &build_id, sizeof build_id, NULL, 0);
    put_many(journal, TD_JOURNAL_IMAGE_BYTES, source, bytes, 'e');
}

static void put_source(struct td_journal *journal, enum td_journal_kind name, enum td_journal_kind text,
                       uint64_t name_bytes, uint64_t bytes)
{
    char *words = malloc(name_bytes + 1);
    assert_non_null(words);
    memset(words, 'n', name_bytes + 1);
    words[0] = 1;
    td_journal_put(journal, name, 1, words, name_bytes + 1, NULL, 0);
    put_many(journal, text, 1, bytes, 't');
    free(words);
}

struct result {
    uint64_t files, bytes, largest; /* in the folder for ELFs */
    uint64_t used;
    char elfs[300], sources[300];
};

static void measure(const char *path, struct result *result)
{
    DIR *dir = opendir(path);
    struct stat st;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".elf") && fstatat(dirfd(dir), e->d_name, &st, 0) == 0) {
            result->files++;
            result->bytes += (uint64_t)st.st_size;
            result->largest = (uint64_t)st.st_size > result->largest ? (uint64_t)st.st_size : result->largest;
        }
    closedir(dir);
}

static void read_journal(const char *path, td_journal_visit *visit, struct td_journal_replay *replay)
{
    static uint8_t piece[PIECE];
    struct td_err err = {0};
    struct td_journal_reader *reader = td_journal_reader_create(visit, replay);
    FILE *file = fopen(path, "rb");
    assert_true(file && reader);
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        assert_int_equal(td_journal_reader_feed(reader, piece, n, &err), 0);
    assert_int_equal(td_journal_reader_close(reader, &err), 0);
    fclose(file);
    td_journal_reader_destroy(reader);
}

/* Replays the journal that put() writes. */
static struct result replay(void (*put)(struct td_journal *journal))
{
    char output[80], path[TD_JOURNAL_PATH_MAX];
    struct td_err err = {0};
    struct td_run_folder elfs;
    struct result result = {0};
    struct stat st;
    snprintf(output, sizeof output, "%s/x.tracy", folder);
    struct td_journal *journal = td_journal_create(output, &err);
    assert_non_null(journal);
    put(journal);
    td_journal_flush(journal);
    assert_false(td_journal_has_failed(journal));
    snprintf(path, sizeof path, "%s", td_journal_path(journal));
    assert_true(stat(path, &st) == 0 && (uint64_t)st.st_size < PACKED);

    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    assert_non_null(hub);
    assert_int_equal(td_hub_add_sink(hub, td_trace_sink(trace)), 0);
    assert_int_equal(td_run_folder_make(&elfs, 1 << 20, &err), 0);
    struct td_journal_replay *replay = td_journal_replay_create(hub, elfs.path, LIMIT);
    assert_non_null(replay);
    read_journal(path, td_journal_replay_prepare, replay);
    read_journal(path, td_journal_replay_record, replay);
    assert_int_equal(td_journal_replay_close(replay, &err), 0);
    measure(elfs.path, &result);
    result.used = td_journal_replay_elf_bytes(replay);
    td_journal_replay_tell_left_out(replay, 0, result.elfs, sizeof result.elfs);
    td_journal_replay_tell_left_out(replay, 1, result.sources, sizeof result.sources);
    assert_false(td_journal_replay_tell_left_out(replay, 3, path, sizeof path));
    td_journal_replay_destroy(replay);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    td_run_folder_remove(&elfs);
    td_journal_destroy(journal, false);
    return result;
}

static void put_what_fits(struct td_journal *journal)
{
    for (uint16_t source = 0; source < 3; source++)
        put_elf(journal, source, 2 * MB + source);
    put_source(journal, TD_JOURNAL_FILE, TD_JOURNAL_FILE_TEXT, 10, 3 * MB);
    put_source(journal, TD_JOURNAL_SOURCE_FILE, TD_JOURNAL_SOURCE_TEXT, 10, 3 * MB);
}

static void what_has_room_is_whole(void **state)
{
    const struct result result = replay(put_what_fits);
    assert_int_equal(result.files, 3);
    assert_int_equal(result.bytes, 6 * MB + 3);
    assert_string_equal(result.elfs, "");
    assert_string_equal(result.sources, "");
}

static void put_one_elf(struct td_journal *journal)
{
    put_elf(journal, 0, 200 * MB);
    put_elf(journal, 0, MB); /* has room again */
}

static void put_many_elfs(struct td_journal *journal)
{
    for (uint16_t i = 0; i < 40; i++)
        put_elf(journal, i % 4, 3 * MB);
}

/* A file takes memory without a byte in it. */
static void put_tiny_elfs(struct td_journal *journal)
{
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t build_id = i;
        td_journal_put(journal, TD_JOURNAL_IMAGE, (uint16_t)(i % 4), &build_id, sizeof build_id, NULL, 0);
    }
}

static void elfs_take_a_part_of_the_memory_limit(void **state)
{
    struct result result = replay(put_one_elf);
    assert_int_equal(result.files, 1);
    assert_int_equal(result.bytes, MB);
    assert_string_equal(result.elfs,
                        "1 ELFs of kernels, whose zones then have no names, are left out: one has at most "
                        "64 MB, and all together 8 MB, a part of the memory limit (-m)");
    result = replay(put_many_elfs);
    assert_int_equal(result.files, 2);
    assert_true(result.bytes == 6 * MB && result.used <= ROOM && result.used >= result.bytes);
    assert_non_null(strstr(result.elfs, "38 ELFs of kernels"));
    result = replay(put_tiny_elfs);
    assert_true(result.files <= ROOM / 4096 && result.used <= ROOM);
    assert_non_null(strstr(result.elfs, " are left out: "));
}

static void put_long_source(struct td_journal *journal)
{
    put_source(journal, TD_JOURNAL_FILE, TD_JOURNAL_FILE_TEXT, 10, 200 * MB);
    put_source(journal, TD_JOURNAL_SOURCE_FILE, TD_JOURNAL_SOURCE_TEXT, 10, MB);
}

static void put_many_sources(struct td_journal *journal)
{
    for (int i = 0; i < 60; i++)
        put_source(journal, i & 1 ? TD_JOURNAL_FILE : TD_JOURNAL_SOURCE_FILE,
                   i & 1 ? TD_JOURNAL_FILE_TEXT : TD_JOURNAL_SOURCE_TEXT, 10, 3 * MB);
}

static void put_names(struct td_journal *journal)
{
    for (int i = 0; i < 1000; i++)
        put_source(journal, TD_JOURNAL_SOURCE_FILE, TD_JOURNAL_SOURCE_TEXT, 100000, 10);
}

static void source_files_take_a_part_of_the_memory_limit(void **state)
{
    struct result result = replay(put_long_source);
    assert_non_null(strstr(result.sources, "1 source files are left out: one has at most 64 MB, and all "
                                           "together 8 MB"));
    result = replay(put_many_sources);
    assert_non_null(strstr(result.sources, "58 source files are left out"));
    result = replay(put_names);
    assert_non_null(strstr(result.sources, " source files are left out"));
    assert_string_equal(result.elfs, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_room_is_whole),
        cmocka_unit_test(elfs_take_a_part_of_the_memory_limit),
        cmocka_unit_test(source_files_take_a_part_of_the_memory_limit),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
