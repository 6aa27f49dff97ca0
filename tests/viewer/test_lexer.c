/* Colours of source text: the kinds of words, also over several lines and in any bytes. */
#include "host/viewer/panels/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* One letter for each byte: . plain, k keyword, t type, n number, s string, c comment, d directive. */
static td_lex_state check(enum td_language language, td_lex_state state, const char *line,
                          const char *expected)
{
    static const char letters[TD_WORDS] = ".ktnscd";
    uint8_t kinds[200];
    char found[200] = "";
    const size_t n = strlen(line);
    const td_lex_state next = td_lex_line(language, state, line, n, kinds);
    for (size_t i = 0; i < n; i++)
        found[i] = letters[kinds[i]];
    found[n] = 0;
    assert_string_equal(found, expected);
    assert_int_equal(td_lex_line(language, state, line, n, NULL), next);
    return next;
}

static void c_has_its_words(void **state)
{
    (void)state;
    check(TD_LANGUAGE_C, 0, "static int x = 0x1fu; // y", "kkkkkk.ttt.....nnnnn..cccc");
    check(TD_LANGUAGE_C, 0, "#include \"a.h\"", "dddddddd.sssss");
    check(TD_LANGUAGE_C, 0, "uint32_t *p = \"a\\\"b\";", "tttttttt......ssssss.");
    check(TD_LANGUAGE_C, 0, "class = 1.5e-3f + 'c';", "........nnnnnnn...sss.");
    check(TD_LANGUAGE_CXX, 0, "class A : public B {};", "kkkkk.....kkkkkk......");
}

static void comments_and_strings_span_lines(void **state)
{
    (void)state;
    td_lex_state s = check(TD_LANGUAGE_C, 0, "int a; /* one", "ttt....cccccc");
    s = check(TD_LANGUAGE_C, s, "two \" three", "ccccccccccc");
    s = check(TD_LANGUAGE_C, s, "end */ return", "cccccc.kkkkkk");
    assert_int_equal(s, 0);
    s = check(TD_LANGUAGE_PYTHON, 0, "x = \"\"\"a", "....ssss");
    s = check(TD_LANGUAGE_PYTHON, s, "' # \"\"\" # b", "sssssss.ccc");
    assert_int_equal(s, 0);
}

static void python_and_assembly_have_theirs(void **state)
{
    (void)state;
    check(TD_LANGUAGE_PYTHON, 0, "@wraps", "dddddd");
    check(TD_LANGUAGE_PYTHON, 0, "def f(self): return None", "kkk...tttt...kkkkkk.kkkk");
    check(TD_LANGUAGE_ASSEMBLY, 0, "  addi a0, a0, 16 # add", "..kkkk.........nn.ccccc");
    check(TD_LANGUAGE_ASSEMBLY, 0, "  mov %rax, %rbx", "..kkk.tttt..tttt");
    check(TD_LANGUAGE_NONE, 0, "int x;", "......");
    assert_int_equal(td_language_of("a/b.cpp"), TD_LANGUAGE_CXX);
    assert_int_equal(td_language_of("b.py"), TD_LANGUAGE_PYTHON);
    assert_int_equal(td_language_of("b.S"), TD_LANGUAGE_ASSEMBLY);
    assert_int_equal(td_language_of(".c"), TD_LANGUAGE_NONE);
}

static void any_bytes_are_taken(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 20000; round++) {
        const size_t n = (size_t)(round % 41);
        char *line = malloc(n + !n); /* exactly as long as the line: a sanitizer sees what is beyond */
        uint8_t *kinds = malloc(n + !n);
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            static const char often[] = "/*\"'#\\ \tae0.@%";
            line[i] = seed >> 60 & 1 ? (char)(seed >> 40) : often[(seed >> 33) % (sizeof often - 1)];
        }
        const td_lex_state in = (td_lex_state)(round % 4);
        const td_lex_state next = td_lex_line((enum td_language)(round / 4 % 5), in, line, n, kinds);
        assert_true(next < 4);
        for (size_t i = 0; i < n; i++)
            assert_true(kinds[i] < TD_WORDS);
        free(line);
        free(kinds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_has_its_words),
        cmocka_unit_test(comments_and_strings_span_lines),
        cmocka_unit_test(python_and_assembly_have_theirs),
        cmocka_unit_test(any_bytes_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
