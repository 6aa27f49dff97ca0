/* The table of the format describes files to their last byte, and docs/file-format.md is made from it.
 * --write-docs writes the page. */
#include "host/file/in.h"
#include "host/file/schema.h"
#include "tests/file/describe.h"
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGE TD_SOURCE_DIR "/docs/file-format.md"

/* ---- a walker that uses only the table ---- */

static const unsigned bytes_of[] = {
#define TD_X(name, bytes, class, text) bytes,
    TD_FIELD_KINDS(TD_X)
#undef TD_X
};

static void walk_list(struct td_in *in, const struct td_schema_list *list, uint64_t before);

static uint64_t number(struct td_in *in, unsigned bytes)
{
    uint8_t raw[8] = {0};
    uint64_t value = 0;
    td_in_bytes(in, raw, bytes);
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)raw[i] << 8 * i;
    return value;
}

/* A frame set's frames have two forms; `continuous` says which one the file has. */
static int other_form(const struct td_schema_list *list, unsigned field, uint64_t continuous)
{
    const struct td_schema_list *frames = list->fields[field].list;
    return frames == (continuous ? &td_list_frames_with_ends : &td_list_frames);
}

static void walk_fields(struct td_in *in, const struct td_schema_list *list)
{
    uint64_t last = 0, count = 0;
    int passed = list->form == TD_LIST_GROUP && in->version < list->since;
    for (unsigned i = 0; i < list->field_count && !in->failed; i++) {
        const struct td_field *field = &list->fields[i];
        if (!td_field_is_in(field, in->version) || (passed && field->kind != TD_FIELD_LIST) ||
            other_form(list, i, last))
            continue;
        if (field->kind == TD_FIELD_LIST) {
            walk_list(in, field->list, count);
            continue;
        }
        unsigned bytes = field->fixed ? field->fixed : bytes_of[field->kind];
        uint64_t value = bytes <= 8 ? number(in, bytes) : 0;
        last = value;
        if (field->kind == TD_FIELD_COUNT)
            count = value;
        if (bytes > 8)
            td_in_skip(in, bytes);
        if (field->kind == TD_FIELD_TEXT || field->kind == TD_FIELD_TEXT32 || field->kind == TD_FIELD_BYTES32)
            td_in_skip(in, value);
    }
}

static void walk_images(struct td_in *in)
{
    uint64_t count = number(in, 8);
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        uint64_t width = number(in, 2), height = number(in, 2);
        td_in_skip(in, 1 + width * height / 2);
    }
}

static uint64_t count_of(struct td_in *in, const struct td_schema_list *list, uint64_t before)
{
    static const unsigned bytes[] = {8, 4, 2};
    if (list->count <= TD_COUNT_U16)
        return number(in, bytes[list->count]);
    return list->count == TD_COUNT_BEFORE ? before : list->count == TD_COUNT_256 ? 256 : 1;
}

static void walk_list(struct td_in *in, const struct td_schema_list *list, uint64_t before)
{
    if (list->table == TD_TABLE_IMAGE) {
        walk_images(in);
        return;
    }
    int passed = list->form == TD_LIST_GROUP && in->version < list->since;
    uint64_t count = passed ? 1 : count_of(in, list, before);
    for (uint64_t i = 0; i < count && !in->failed; i++)
        walk_fields(in, list);
}

static void walk(const char *path)
{
    struct td_err err = {0};
    struct td_in in;
    if (td_in_open(&in, path, NULL, &err) < 0)
        fail_msg("%s", err.text);
    in.section = "a section";
    for (unsigned i = 0; i < TD_SECTION_COUNT && !in.failed; i++) {
        if (i == TD_P0) {
            uint64_t header = number(&in, 8);
            in.version = (uint32_t)(header >> 40 & 0xff) << 16 | (uint32_t)(header >> 48 & 0xff) << 8 |
                         (uint32_t)(header >> 56);
        } else if (in.version >= td_sections[i].since) {
            in.section = td_sections[i].id;
            walk_fields(&in, &td_sections[i].body);
        }
    }
    if (in.failed)
        fail_msg("%s", err.text);
    if (in.at != in.bytes || td_in_next_block_(&in) == 0)
        fail_msg("%s goes on behind its last section", path);
    td_in_close(&in);
}

static unsigned each_file(const char *folder, void (*visit)(const char *path))
{
    unsigned files = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[1024];
        size_t n = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && e->d_type == DT_DIR)
            files += each_file(path, visit);
        if (n > 6 && !strcmp(e->d_name + n - 6, ".tracy")) {
            visit(path);
            files++;
        }
    }
    if (dir)
        closedir(dir);
    return files;
}

static void the_table_describes_files_of_every_version_to_their_end(void **state)
{
    assert_true(each_file(TD_SOURCE_DIR "/tests/data/trace", walk) >= 14);
    const char *corpus = getenv("TD_CORPUS");
    if (!each_file(corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus", walk))
        print_message("skipped: no corpus\n");
}

static void the_table_describes_what_is_written_here(void **state)
{
    struct td_trace *trace = rich_trace(600);
    char *path = temporary("own.tracy");
    for (uint32_t minor = 9; minor <= 14; minor++) {
        for (uint32_t patch = 0; patch < (minor < 14 ? 7 : 1); patch++) {
            struct td_file_options options = {.version = TD_FILE_VERSION(0, minor, patch)};
            assert_int_equal(td_file_write(trace, path, &options, NULL), 0);
            walk(path);
        }
    }
    td_trace_destroy(trace);
    free(path);
}

/* ---- the table itself ---- */

static void check_list(const struct td_schema_list *list)
{
    for (unsigned i = 0; i < list->field_count; i++) {
        const struct td_field *field = &list->fields[i];
        assert_true(field->name || (field->has_column && list->table < TD_TABLE_COUNT));
        if (field->has_column && list->table < TD_TABLE_COUNT)
            assert_true(field->column < td_table_get_shape((enum td_table)list->table)->columns);
        assert_true(!field->before || field->since < field->before);
        if (field->kind == TD_FIELD_LIST && field->list != list)
            check_list(field->list);
    }
}

static void every_field_has_a_name_and_a_place(void **state)
{
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++) {
        assert_non_null(td_sections[i].id);
        check_list(&td_sections[i].body);
    }
}

static void the_page_about_the_format_is_up_to_date(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    describe_format(to);
    fclose(to);
    struct bytes page = read_bytes(PAGE);
    if (!page.data || page.count != bytes || memcmp(page.data, text, bytes))
        fail_msg("docs/file-format.md: make it anew with test_schema --write-docs");
    free(page.data);
    free(text);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--write-docs")) {
        FILE *to = fopen(PAGE, "w");
        if (!to)
            return 1;
        describe_format(to);
        return fclose(to) != 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_a_name_and_a_place),
        cmocka_unit_test(the_table_describes_files_of_every_version_to_their_end),
        cmocka_unit_test(the_table_describes_what_is_written_here),
        cmocka_unit_test(the_page_about_the_format_is_up_to_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
