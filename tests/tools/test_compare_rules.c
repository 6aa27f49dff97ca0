/* Rules of tendril compare: which texts are rules, and when they fire. */
#include "host/query/diff/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char name[] = "ns::matmul(int)", file[] = "kernel.c";

static struct td_compare_entry entry_of(uint64_t count_a, double mean_a, uint64_t count_b, double mean_b)
{
    struct td_compare_entry e = {.name = name, .file = file};
    const uint64_t counts[] = {count_a, count_b};
    const double means[] = {mean_a, mean_b};
    for (int s = 0; s < 2; s++)
        e.side[s] = (struct td_compare_side){.count = counts[s],
                                             .timed = counts[s],
                                             .total_ns = (int64_t)(means[s] * (double)counts[s]),
                                             .self_ns = (int64_t)(means[s] * (double)counts[s] / 2),
                                             .min_ns = (int64_t)means[s] / 2,
                                             .max_ns = (int64_t)means[s] * 2,
                                             .mean_ns = means[s],
                                             .median_ns = means[s],
                                             .p99_ns = means[s] * 1.5};
    return e;
}

static int fires(const char *text, struct td_compare_entry e, uint64_t min_count)
{
    struct td_compare_rule rule;
    struct td_err err = {0};
    if (td_compare_rule_parse(&rule, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    rule.min_count = min_count;
    int result = td_compare_rule_judge(&rule, &e, true) == TD_COMPARE_FIRES;
    td_compare_rule_free(&rule);
    return result;
}

static void limits_of_all_kinds_fire_just_beyond_them(void **state)
{
    const struct td_compare_entry e = entry_of(100, 1000, 100, 1050);
    assert_true(fires("matmul:+4.9%", e, 1));
    assert_false(fires("matmul:+5%", e, 1));
    assert_true(fires("matmul:mean+49ns", e, 1));
    assert_false(fires("matmul:mean+50ns", e, 1));
    assert_true(fires("matmul:total+4us", e, 1));
    assert_false(fires("matmul:total+0.005ms", e, 1));
    assert_true(fires("matmul:self+2us", e, 1));
    assert_true(fires("matmul:p99+4.9%", e, 1));
    assert_true(fires("matmul:median+4.9%", e, 1));
    assert_true(fires("matmul:max+99ns", e, 1));
    assert_false(fires("matmul:min+1s", e, 1));
    assert_false(fires("matmul:count+0", e, 1));
    assert_false(fires("matmul:-5%", e, 1));
}

static void absolute_limits_judge_the_second_trace_only(void **state)
{
    const struct td_compare_entry e = entry_of(100, 9000, 100, 1000), came = entry_of(0, 0, 5, 1000),
                                  gone = entry_of(5, 1000, 0, 0);
    assert_true(fires("matmul:>999ns", e, 1));
    assert_false(fires("matmul:>1us", e, 1));
    assert_true(fires("matmul:max>1.9us", e, 1));
    assert_true(fires("matmul:<1001ns", e, 1));
    assert_false(fires("matmul:mean<1us", e, 1));
    assert_true(fires("matmul:count<101", e, 1));
    assert_false(fires("matmul:count<100", e, 1));
    assert_true(fires("matmul:>999ns", came, 1));
    assert_false(fires("matmul:>0ns", gone, 1));
    assert_false(fires("matmul:>999ns", e, 101));
}

static void a_limit_of_changes_is_not_judged_without_a_first_trace(void **state)
{
    static const char *const changes[] = {"matmul:+0%", "matmul:total-1ns", "matmul:gone", "matmul:new"};
    const struct td_compare_entry e = entry_of(0, 0, 100, 1000);
    struct td_compare_rule rule;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_int_equal(td_compare_rule_parse(&rule, changes[i], NULL), 0);
        assert_int_equal(td_compare_rule_judge(&rule, &e, false), TD_COMPARE_NO_BASE);
        td_compare_rule_free(&rule);
    }
    assert_int_equal(td_compare_rule_parse(&rule, "matmul:mean>999ns", NULL), 0);
    assert_int_equal(td_compare_rule_judge(&rule, &e, false), TD_COMPARE_FIRES);
    td_compare_rule_free(&rule);
}

static void falls_fire_rules_with_a_minus(void **state)
{
    const struct td_compare_entry e = entry_of(100, 1000, 90, 900);
    assert_true(fires("matmul:-9%", e, 1));
    assert_false(fires("matmul:-10%", e, 1));
    assert_true(fires("matmul:count-9", e, 1));
    assert_false(fires("matmul:count-10", e, 1));
    assert_true(fires("matmul:count-9.9%", e, 1));
    assert_true(fires("matmul:count-0", e, 1));
}

static void names_match_as_extended_expressions_up_to_the_last_colon(void **state)
{
    const struct td_compare_entry e = entry_of(1, 1000, 1, 2000);
    assert_true(fires("^ns::(mat|vec)mul:+5%", e, 1));
    assert_false(fires("^matmul:+5%", e, 1));
    assert_true(fires(".:+5%", e, 1));
}

static void few_zones_are_not_judged(void **state)
{
    const struct td_compare_entry e = entry_of(9, 1000, 100, 2000);
    assert_true(fires("matmul:+5%", e, 9));
    assert_false(fires("matmul:+5%", e, 10));
}

static void names_of_one_trace_are_new_or_gone_and_nothing_else(void **state)
{
    const struct td_compare_entry gone = entry_of(5, 1000, 0, 0), came = entry_of(0, 0, 5, 1000);
    assert_true(fires("matmul:gone", gone, 1));
    assert_false(fires("matmul:new", gone, 1));
    assert_true(fires("matmul:new", came, 1));
    assert_false(fires("matmul:gone", came, 1));
    assert_false(fires("matmul:total+1%", came, 1));
    assert_false(fires("matmul:-1%", gone, 1));
    assert_false(fires("matmul:gone", gone, 6));
}

static void what_is_no_rule_is_refused(void **state)
{
    static const char *const cases[] = {"",
                                        "matmul",
                                        ":+5%",
                                        "matmul:",
                                        "matmul:5%",
                                        "matmul:+",
                                        "matmul:+%",
                                        "matmul:+5",
                                        "matmul:+5x",
                                        "matmul:+5%%",
                                        "matmul:foo+5%",
                                        "matmul:count+5ms",
                                        "(:+5%",
                                        "matmul:gone+5%",
                                        "matmul:+-5%",
                                        "matmul:+inf%",
                                        "matmul:+nan%",
                                        "matmul: +5%",
                                        "matmul:+5 %",
                                        "matmul:mean",
                                        "matmul:>5%",
                                        "matmul:>5",
                                        "matmul:count<5ns",
                                        "matmul:>-5ns",
                                        "matmul:=5ns",
                                        "matmul:>=5ns"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_compare_rule rule;
        struct td_err err = {0};
        if (td_compare_rule_parse(&rule, cases[i], &err) == 0)
            fail_msg("'%s' is no rule", cases[i]);
        assert_int_equal(err.code, TD_E_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_all_kinds_fire_just_beyond_them),
        cmocka_unit_test(absolute_limits_judge_the_second_trace_only),
        cmocka_unit_test(a_limit_of_changes_is_not_judged_without_a_first_trace),
        cmocka_unit_test(falls_fire_rules_with_a_minus),
        cmocka_unit_test(names_match_as_extended_expressions_up_to_the_last_colon),
        cmocka_unit_test(few_zones_are_not_judged),
        cmocka_unit_test(names_of_one_trace_are_new_or_gone_and_nothing_else),
        cmocka_unit_test(what_is_no_rule_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
