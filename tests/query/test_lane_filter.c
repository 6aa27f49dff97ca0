/* The expression that chooses lanes: what it means, where mistakes are, and that no text breaks it. */
#include "host/query/sums/lane_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const struct td_lane_facts core = {.name = "chip 2 tile 3,7 TRISC1",
                                          .kind = "TRISC1",
                                          .kernel = "matmul-KERNEL",
                                          .is_core = true,
                                          .chip = 2,
                                          .x = 3,
                                          .y = 7,
                                          .core = 3,
                                          .busy = .6,
                                          .work = .45,
                                          .wait = .15,
                                          .zones = 1200,
                                          .longest_ns = 2.5e6};
static const struct td_lane_facts thread = {
    .name = "Main thread", .kind = "thread", .kernel = "main", .busy = .5, .work = .5, .zones = 3};

static bool passes(const char *text, const struct td_lane_facts *lane)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    if (!td_lane_filter_parse(&filter, text, &mistake))
        fail_msg("%s: %s at %zu", text, mistake.text, mistake.at);
    return td_lane_filter_passes(&filter, lane);
}

static void terms_mean_what_they_say(void **state)
{
    static const struct {
        const char *text;
        bool core, thread;
    } cases[] = {
        {"", true, true},
        {"   ", true, true},
        {"tile 3,*", true, false},
        {"tile *,*", true, false},
        {"tile 4,*", false, false},
        {"tile 0-3,6-9", true, false},
        {"tile 0-2,7", false, false},
        {"chip 2", true, false},
        {"chip 0-1", false, false},
        {"chip *", true, false},
        {"core 3", true, false},
        {"core 0-2", false, false},
        {"core trisc*", true, false},
        {"TRISC1", true, false},
        {"trisc", true, false},
        {"TRISC?", true, false},
        {"*ISC2", false, false},
        {"main*", false, true},
        {"\"Main thread\"", false, true},
        {"read", false, true},
        {"kernel matmul", true, false},
        {"kernel ma*", true, true},
        {"kernel ma", true, true},
        {"kernel matmul-kerne", true, false},
        {"kernel ma?n", false, true},
        {"busy > 50 %", true, false},
        {"busy>=50%", true, true},
        {"busy < 60.0001", true, true},
        {"work = 50", false, true},
        {"wait > 10 % and wait < 20 %", true, false},
        {"lost > 0", false, false},
        {"lost = 0", true, true},
        {"zones != 3", true, false},
        {"longest >= 2.5 ms", true, false},
        {"longest > 2500 us", false, false},
        {"longest < 1 s", true, true},
        {"tile 3,* TRISC1", true, false},
        {"tile 3,* TRISC0", false, false},
        {"not chip 2", false, true},
        {"!chip 2", false, true},
        {"not not chip 2", true, false},
        {"!!chip 2", true, false},
        {"TRISC0 or main", false, true},
        {"TRISC1 or main", true, true},
        {"TRISC0 | chip 2 & TRISC1", true, false},
        {"(TRISC0 or TRISC1) and not tile 0,0", true, false},
        {"(TRISC0 || TRISC1) && chip 1", false, false},
        {"not (chip 2 or main)", false, false},
        {"zones > 1 and not wait > 10", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (passes(cases[i].text, &core) != cases[i].core ||
            passes(cases[i].text, &thread) != cases[i].thread)
            fail_msg("%s", cases[i].text);
    }
}

static void a_mistake_is_named_at_its_place(void **state)
{
    static const struct {
        const char *text;
        size_t at;
        const char *says;
    } cases[] = {
        {"chip x", 5, "chip 1"},
        {"chip", 0, "chip 1"},
        {"TRISC1 and tile 3", 11, "X,Y"},
        {"tile 3,", 0, "X,Y"},
        {"tile 3;4", 6, "X,Y"},
        {"busy", 0, "busy > 50 %"},
        {"busy is 3", 5, "busy > 50 %"},
        {"busy > much", 7, "number"},
        {"busy > nan", 7, "number"},
        {"longest > 3", 11, "unit"},
        {"zones > 3 %", 10, "without %"},
        {"(chip 1 or chip 2", 0, "not closed"},
        {"chip 1)", 6, "no parenthesis"},
        {"chip 1 or", 9, "expected here"},
        {"and chip 1", 0, "expected here"},
        {"\"open", 0, "quote"},
        {"kernel ", 7, "name"},
        {"> 3", 0, "expected here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_lane_filter filter;
        struct td_lane_mistake mistake;
        assert_false(td_lane_filter_parse(&filter, cases[i].text, &mistake));
        if (mistake.at != cases[i].at || !strstr(mistake.text, cases[i].says))
            fail_msg("%s: \"%s\" at %zu", cases[i].text, mistake.text, mistake.at);
        assert_true(td_lane_filter_passes(&filter, &core)); /* as without a filter */
    }
}

static void a_filter_knows_whether_it_needs_numbers(void **state)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    assert_true(td_lane_filter_parse(&filter, "chip 1 or TRISC*", &mistake) && !filter.needs_sums);
    assert_true(td_lane_filter_parse(&filter, "chip 1 or busy > 1", &mistake) && filter.needs_sums);
    assert_true(td_lane_filter_parse(&filter, "kernel a", &mistake) && filter.needs_sums);
}

/* What parses can be used; what does not has a message at a place in the text. */
static void no_text_breaks_it(void **state)
{
    static const char *const parts[] = {
        "tile", " ",    "3",   ",",       "*",     "-",      "chip",      "(",     ")",  "not",
        "and",  "or",   "!",   "&",       "|",     ">",      "<=",        "=",     "50", "%",
        "busy", "wait", "ms",  "s",       "\"",    "?",      "core",      "TRISC", "\t", "9999999999999",
        "name", ".",    "1e9", "longest", "zones", "kernel", "\xc2\xb5s", "\xff"};
    srand(3);
    int good = 0;
    for (int round = 0; round < 200000; round++) {
        char text[400] = "";
        size_t used = 0;
        for (int n = rand() % 24; n > 0; n--) {
            const char *part = parts[(size_t)rand() % (sizeof parts / sizeof *parts)];
            used += strlen(part);
            strcat(text, part);
            if (rand() % 2)
                strcat(text, " ");
        }
        if (round % 3 == 0 && used)
            text[(size_t)rand() % used] = (char)(1 + rand() % 255);
        struct td_lane_filter filter;
        struct td_lane_mistake mistake;
        if (td_lane_filter_parse(&filter, text, &mistake)) {
            good++;
            td_lane_filter_passes(&filter, &core);
            td_lane_filter_passes(&filter, &thread);
        } else {
            assert_true(*mistake.text && mistake.at <= strlen(text));
        }
    }
    assert_true(good > 100);
}

static void long_and_deep_texts_are_mistakes(void **state)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    char text[TD_LANE_FILTER_BYTES + 1];
    memset(text, 'a', sizeof text);
    text[TD_LANE_FILTER_BYTES] = 0;
    assert_false(td_lane_filter_parse(&filter, text, &mistake));
    memset(text, '(', 150);
    text[150] = 0;
    assert_false(td_lane_filter_parse(&filter, text, &mistake));
    memset(text, '!', 190);
    text[190] = 0;
    assert_false(td_lane_filter_parse(&filter, text, &mistake));
    for (int i = 0; i < 95; i++)
        memcpy(text + 2 * i, "a ", 3);
    assert_false(td_lane_filter_parse(&filter, text, &mistake));
    assert_non_null(strstr(mistake.text, "too many"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_mean_what_they_say),
        cmocka_unit_test(a_mistake_is_named_at_its_place),
        cmocka_unit_test(a_filter_knows_whether_it_needs_numbers),
        cmocka_unit_test(no_text_breaks_it),
        cmocka_unit_test(long_and_deep_texts_are_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
