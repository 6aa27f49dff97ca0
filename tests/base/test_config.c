/* The text of tendril.conf: entries with their lines; what is no entry is refused with file and line. */
#include "host/base/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char seen[2000];

static int note_entry(void *self, const struct td_config_entry *entry, struct td_err *err)
{
    size_t n = strlen(seen);
    snprintf(seen + n, sizeof seen - n, "%s.%s=%s@%d;", entry->section, entry->name, entry->value,
             entry->line);
    return 0;
}

static int parse(const char *text, size_t bytes, struct td_err *err)
{
    const struct td_config_entry origin = {.file = "some.conf"};
    seen[0] = 0;
    *err = (struct td_err){0};
    return td_config_parse(text, bytes, &origin, note_entry, NULL, err);
}

static void entries_have_their_section_and_line(void **state)
{
    static const char text[] =
        "# mine\n[capture]\n  port = 8090 ; the other one\n\nset=a = b\n[all]\nquiet: yes";
    struct td_err err;
    assert_int_equal(parse(text, strlen(text), &err), 0);
    assert_string_equal(seen, "capture.port=8090@3;capture.set=a = b@5;all.quiet=yes@7;");
}

static void what_is_no_entry_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"port = 1\n", "some.conf:1: port is not in a section; a line such as [all] begins one"},
        {"[all]\n\nquiet\n", "some.conf:3: neither [section] nor name = value nor comment"},
        {"[all\n", "some.conf:1: neither [section] nor name = value nor comment"},
    };
    struct td_err err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &err), TD_E_USAGE);
        assert_string_equal(err.text, cases[i].says);
    }
    char longer[400];
    memset(longer, 'x', sizeof longer);
    memcpy(longer, "[all]\nx=", 8);
    assert_int_equal(parse(longer, sizeof longer, &err), TD_E_USAGE);
    assert_non_null(strstr(err.text, "some.conf:2: the line is longer than "));
    assert_int_equal(parse("[all]\nq=\0\n", 10, &err), TD_E_USAGE);
    assert_string_equal(err.text, "some.conf:2: the line has a NUL character");
}

/* Each byte of a good text is replaced by each of some others, and the text is cut at each place. */
static void damaged_texts_are_taken_or_refused(void **state)
{
    static const char text[] = "\xef\xbb\xbf[capture]\nport = 8090 ; x\n; y\n[all]\n quiet: yes\n";
    static const char others[] = "[]=:;\n\r #\0\xff";
    struct td_err err;
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (size_t i = 0; i < sizeof others - 1; i++) {
            char *damaged = malloc(sizeof text - 1);
            assert_non_null(damaged);
            memcpy(damaged, text, sizeof text - 1);
            damaged[at] = others[i];
            int rc = parse(damaged, sizeof text - 1, &err);
            assert_true(rc == 0 ? err.code == 0 : strstr(err.text, "some.conf:") == err.text);
            rc = parse(damaged, at, &err);
            assert_true(rc == 0 ? err.code == 0 : strstr(err.text, "some.conf:") == err.text);
            free(damaged);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_their_section_and_line),
        cmocka_unit_test(what_is_no_entry_is_refused_with_its_line),
        cmocka_unit_test(damaged_texts_are_taken_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
