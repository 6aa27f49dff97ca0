/* docs/notes.md has each note as the list in note_kinds.h says it. `test_notes_page --update` writes its table. */
#include "host/trace/note_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE TD_SOURCE_DIR "/docs/notes.md"
#define HEAD "| note | written by | in a merged trace | `info --json` | meaning |\n|---|---|---|---|---|\n"

static bool updates;

static const char *const merges[] = {"all lines", "the sum", "the greatest", "not copied"};

static int compare_keys(const void *a, const void *b)
{
    const struct td_note *const *m = a, *const *n = b;
    return strcmp((*m)->key, (*n)->key);
}

static void put_writer(FILE *to, const char *word)
{
    static const char *const words[][2] = {{"RECORDER", "the recorder"},
                                           {"CLIENT", "Tendril's client"},
                                           {"MERGE", "`tendril merge`"},
                                           {"CUT", "the writer of a cut"},
                                           {"FILE", "the writer of a file"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], word))
            fputs(words[i][1], to);
}

static void put_table(FILE *to)
{
    const struct td_note *sorted[TD_NOTE_KIND_COUNT];
    for (size_t i = 0; i < TD_NOTE_KIND_COUNT; i++)
        sorted[i] = &td_notes[i];
    qsort(sorted, TD_NOTE_KIND_COUNT, sizeof *sorted, compare_keys);
    fputs(HEAD, to);
    for (size_t i = 0; i < TD_NOTE_KIND_COUNT; i++) {
        const struct td_note *note = sorted[i];
        fprintf(to, "| `%s` | ", note->key);
        put_writer(to, note->writer);
        fprintf(to, " | %s | %s%s%s | %s |\n", merges[note->merge], note->field ? "`" : "",
                note->field ? note->field : "", note->field ? "`" : "", note->meaning);
    }
}

static char *read_page(void)
{
    FILE *f = fopen(PAGE, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static void the_page_has_each_note_as_the_list_says_it(void **state)
{
    char *page = read_page(), *table = NULL, *at = strstr(page, HEAD);
    size_t bytes = 0;
    FILE *to = open_memstream(&table, &bytes);
    assert_non_null(to);
    assert_non_null(at);
    put_table(to);
    fclose(to);
    size_t old = 0; /* the lines of the page's table */
    while (at[old] == '|')
        old += strcspn(at + old, "\n") + 1;
    if (updates) {
        FILE *f = fopen(PAGE, "w");
        assert_non_null(f);
        fprintf(f, "%.*s%s%s", (int)(at - page), page, table, at + old);
        fclose(f);
    } else if (old != bytes || memcmp(at, table, bytes) != 0) {
        fail_msg("docs/notes.md does not have the table of note_kinds.h:\n%s", table);
    }
    free(table);
    free(page);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_has_each_note_as_the_list_says_it)};
    updates = argc > 1 && !strcmp(argv[1], "--update");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
