/* Command lines: what is understood, and what is refused with one line. */
#include "host/base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct {
    int self, unwrap, policy;
    const char *filter;
    long level, percent;
    double scale;
    struct td_words rules;
} got;

static const struct td_option options[] = {
    {'e', "self", TD_OPT_FLAG, &got.self, NULL, "a flag", NULL, 0, 0},
    {'u', "unwrap", TD_OPT_FLAG, &got.unwrap, NULL, "a flag", NULL, 0, 0},
    {'f', "filter", TD_OPT_STRING, &got.filter, "TEXT", "a text", NULL, 0, 0},
    {'z', "level", TD_OPT_INT, &got.level, "N", "a number", NULL, 1, 22},
    {0, "scale", TD_OPT_DOUBLE, &got.scale, "X", "a number", NULL, 0, 0},
    {0, "policy", TD_OPT_CHOICE, &got.policy, "P", "one of", "block|drop|overwrite", 0, 0},
    {0, "percent", TD_OPT_MAYBE, &got.percent, "N", "perhaps a number", NULL, 1, 99},
    {0, "rule", TD_OPT_WORDS, &got.rules, "R", "many", NULL, 0, 0},
    {0},
};

static char words[32][64], *argv_of_words[33];
static struct td_err err;

/* Splits at blanks and parses; operands are then in argv_of_words[1..]. Returns the number of operands, or an
 * error. */
static int parse(const char *text, int stop_at_operand)
{
    struct td_command_line line = {.name = "tendril test",
                                   .usage = "[options] FILE",
                                   .summary = "Tests.",
                                   .options = options,
                                   .max_args = 3,
                                   .stop_at_operand = stop_at_operand};
    int n = 1;
    memset(&got, 0, sizeof got);
    err = (struct td_err){0};
    strcpy(words[0], "test");
    argv_of_words[0] = words[0];
    while (*text) {
        size_t bytes = strcspn(text, " ");
        snprintf(words[n], sizeof words[n], "%.*s", (int)bytes, text);
        argv_of_words[n] = words[n];
        n++;
        text += bytes + (text[bytes] == ' ');
    }
    struct td_command_args args;
    return td_command_parse(&line, n, argv_of_words, &args, &err) ? args.count : args.rc;
}

static void long_and_short_forms_mean_the_same(void **state)
{
    assert_int_equal(parse("--filter abc -z 7 --policy drop --scale 1.5 in", 0), 1);
    assert_string_equal(got.filter, "abc");
    assert_int_equal(got.level, 7);
    assert_int_equal(got.policy, 1);
    assert_true(got.scale == 1.5);
    assert_string_equal(argv_of_words[1], "in");
    assert_int_equal(parse("in -fabc --level=7 --policy=overwrite out", 0), 2);
    assert_string_equal(got.filter, "abc");
    assert_int_equal(got.level, 7);
    assert_int_equal(got.policy, 2);
    assert_string_equal(argv_of_words[2], "out");
}

static void flags_stand_together_and_the_last_may_have_a_value(void **state)
{
    assert_int_equal(parse("-ue in", 0), 1);
    assert_true(got.self && got.unwrap);
    assert_int_equal(parse("-uef abc in", 0), 1);
    assert_string_equal(got.filter, "abc");
    assert_int_equal(parse("-uefabc in", 0), 1);
    assert_string_equal(got.filter, "abc");
    assert_int_equal(parse("-uex in", 0), TD_E_USAGE);
    assert_non_null(strstr(err.text, "-uex"));
}

static void a_value_may_be_left_out_where_the_table_says_so(void **state)
{
    assert_int_equal(parse("--percent in", 0), 1);
    assert_int_equal(got.percent, -1);
    assert_int_equal(parse("--percent=75 in", 0), 1);
    assert_int_equal(got.percent, 75);
    assert_int_equal(parse("--percent=100 in", 0), TD_E_USAGE);
}

static void words_add_up_to_a_limit(void **state)
{
    assert_int_equal(parse("--rule a --rule=b in", 0), 1);
    assert_int_equal(got.rules.count, 2);
    assert_string_equal(got.rules.words[1], "b");
    char *many[2 * TD_WORDS_MAX + 3] = {words[0]};
    static char option[] = "--rule", value[] = "x";
    for (int i = 0; i <= TD_WORDS_MAX; i++) {
        many[1 + 2 * i] = option;
        many[2 + 2 * i] = value;
    }
    struct td_command_line line = {
        .name = "t", .usage = "", .summary = "", .options = options, .max_args = 1};
    memset(&got, 0, sizeof got);
    struct td_command_args args;
    assert_false(td_command_parse(&line, 2 * TD_WORDS_MAX + 3, many, &args, &err));
    assert_int_equal(args.rc, TD_E_USAGE);
}

static void two_dashes_and_first_operands_end_the_options(void **state)
{
    assert_int_equal(parse("-u -- -e", 0), 1);
    assert_false(got.self);
    assert_string_equal(argv_of_words[1], "-e");
    assert_int_equal(parse("-u program -e", 1), 2);
    assert_false(got.self);
    assert_string_equal(argv_of_words[2], "-e");
    assert_int_equal(parse("-", 0), 1);
    assert_string_equal(argv_of_words[1], "-");
}

static void mistakes_name_the_option(void **state)
{
    static const char *const cases[][2] = {
        {"--nothing", "--nothing"},
        {"-q", "-q"},
        {"--filter", "--filter"},
        {"--level 23", "1 to 22"},
        {"--level x", "--level"},
        {"-z", "--level"},
        {"--policy=no", "block|drop|overwrite"},
        {"--self=1", "--self"},
        {"--scale 1x", "--scale"},
        {"a b c d", "usage: tendril test"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i][0], 0), TD_E_USAGE);
        assert_int_equal(err.code, TD_E_USAGE);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_and_short_forms_mean_the_same),
        cmocka_unit_test(flags_stand_together_and_the_last_may_have_a_value),
        cmocka_unit_test(a_value_may_be_left_out_where_the_table_says_so),
        cmocka_unit_test(words_add_up_to_a_limit),
        cmocka_unit_test(two_dashes_and_first_operands_end_the_options),
        cmocka_unit_test(mistakes_name_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
