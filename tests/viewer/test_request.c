/* Commands as text and as lines of JSON, and times in them. */
#include "host/viewer/model/annotations.h"
#include "host/viewer/drive/request.h"
#include "host/base/time_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void times_have_units_and_ranges_an_order(void **state)
{
    static const struct {
        const char *text;
        double ns;
    } good[] = {{"12", 12}, {"1.5us", 1500}, {"-2ms", -2e6}, {"0.25s", 2.5e8}, {"3\xc2\xb5s", 3000}};
    static const char *const bad[] = {"", "ms", "1.2 m", "1h", "inf", "nan", "1e300s", "1msms"};
    double a, b;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(td_time_parse(good[i].text, strlen(good[i].text), &a), 0);
        assert_true(a == good[i].ns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(td_time_parse(bad[i], strlen(bad[i]), &a) < 0);
    assert_int_equal(td_range_parse("1ms..2000us", &a, &b), 0);
    assert_true(a == 1e6 && b == 2e6);
    assert_true(td_range_parse("2ms..1ms", &a, &b) < 0);
    assert_true(td_range_parse("1ms-2ms", &a, &b) < 0);
    assert_true(td_range_parse("1ms..", &a, &b) < 0);
}

static void words_are_separated_and_quoted(void **state)
{
    const char *at = " find  \"a; \\\"name\\\"\" b;; zoom 1..2\nquit";
    struct td_script_words w;
    struct td_err err = {0};
    assert_int_equal(td_words_next(&w, &at, &err), 0);
    assert_int_equal(w.count, 3);
    assert_string_equal(w.word[0], "find");
    assert_string_equal(w.word[1], "a; \"name\"");
    assert_string_equal(w.word[2], "b");
    td_words_free(&w);
    assert_int_equal(td_words_next(&w, &at, &err), 0);
    assert_int_equal(w.count, 0);
    td_words_free(&w);
    assert_int_equal(td_words_next(&w, &at, &err), 0);
    assert_int_equal(w.count, 2);
    td_words_free(&w);
    assert_int_equal(td_words_next(&w, &at, &err), 0);
    assert_string_equal(w.word[0], "quit");
    assert_true(!*at);
    td_words_free(&w);
    at = "find \"open";
    assert_true(td_words_next(&w, &at, &err) < 0);
    assert_string_equal(err.text, "a \" is not closed");
    err = (struct td_err){0};
    at = "a b c d e f g h i j k l m n o p q";
    assert_true(td_words_next(&w, &at, &err) < 0);
}

static void check_reply(const char *line, size_t words, const char *reply)
{
    struct td_request request;
    struct td_err err = {0};
    int rc = td_request_parse(&request, line, strlen(line), &err);
    assert_int_equal(rc == 0 ? request.words.count : 0, words);
    char *text = td_request_reply(&request, NULL, &err);
    assert_string_equal(text, reply);
    free(text);
    td_request_free(&request);
}

static void requests_are_objects_with_a_command(void **state)
{
    check_reply("{\"command\":\"zoom 1..2\",\"id\":5}", 2, "{\"ok\":true,\"id\":5}");
    check_reply("{\"command\":\"find\",\"arguments\":[\"a b\",3]}", 3, "{\"ok\":true}");
    check_reply("{\"id\":\"x\"}", 0,
                "{\"ok\":false,\"error\":\"the request has no \\\"command\\\"\",\"id\":\"x\"}");
    check_reply("zoom", 0, "{\"ok\":false,\"error\":\"the line is not JSON\"}");
    check_reply("{\"command\":\"fit\"} x", 0, "{\"ok\":false,\"error\":\"the line is not JSON\"}");
    check_reply("[1]", 0,
                "{\"ok\":false,\"error\":\"a request is a JSON object: {\\\"command\\\": \\\"fit\\\"}\"}");
    check_reply("{\"command\":\"fit;fit\"}", 0, "{\"ok\":false,\"error\":\"one command a request\"}");
    check_reply("{\"command\":\"find\",\"arguments\":[null]}", 0,
                "{\"ok\":false,\"error\":\"each of \\\"arguments\\\" must be a text or a number\"}");
}

static void a_reply_is_utf8_whatever_the_id_is(void **state)
{
    check_reply("{\"command\":\"fit\",\"id\":\"\xff\"}", 1, "{\"ok\":true,\"id\":\"\xef\xbf\xbd\"}");
    check_reply("{\"command\":\"fit\",\"id\":\"a\xc3(\xed\xa0\x80\"}", 1,
                "{\"ok\":true,\"id\":\"a\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}");
    check_reply("{\"command\":\"fit\",\"id\":\"\xc3\xa4\\n\"}", 1, "{\"ok\":true,\"id\":\"\xc3\xa4\\n\"}");
    check_reply("{\"id\":\"\xc2\"}", 0,
                "{\"ok\":false,\"error\":\"the request has no \\\"command\\\"\",\"id\":\"\xef\xbf\xbd\"}");
}

static void notes_survive_json_in_the_order_of_time(void **state)
{
    struct td_annotations notes = {0}, again = {0};
    struct td_err err = {0};
    assert_int_equal(td_annotations_add(&notes, &(struct td_annotation){500, 900, 0xff123456, "later"}), 0);
    assert_int_equal(td_annotations_add(&notes, &(struct td_annotation){100, 200, 0xffabcdef, "\"first\""}),
                     0);
    cJSON *json = td_annotations_to_json(&notes);
    assert_int_equal(td_annotations_from_json(&again, json, &err), 0);
    assert_int_equal(again.count, 2);
    for (int i = 0; i < 2; i++) {
        const struct td_annotation *a = &notes.list[i], *b = &again.list[i];
        assert_true(a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->color == b->color);
        assert_string_equal(a->text, b->text);
    }
    assert_string_equal(again.list[0].text, "\"first\"");
    td_annotations_remove(&again, 0);
    assert_int_equal(again.count, 1);
    assert_string_equal(again.list[0].text, "later");
    cJSON_Delete(json);
    json = cJSON_Parse("[{\"from_ns\":5,\"to_ns\":3,\"text\":\"\"}]");
    assert_true(td_annotations_from_json(&again, json, &err) < 0);
    assert_string_equal(err.text, "note 1 is not a range with a text");
    assert_int_equal(again.count, 0);
    cJSON_Delete(json);
    td_annotations_free(&notes);
    td_annotations_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_units_and_ranges_an_order),
        cmocka_unit_test(words_are_separated_and_quoted),
        cmocka_unit_test(requests_are_objects_with_a_command),
        cmocka_unit_test(a_reply_is_utf8_whatever_the_id_is),
        cmocka_unit_test(notes_survive_json_in_the_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
