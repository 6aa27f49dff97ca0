/* Lines of clients with any bytes, and the same bytes as a script, as notes and as a trace's state: an error has one reason, a
 * reply is one line of JSON, and what is read is within limits. */
#include "host/viewer/model/annotations.h"
#include "host/viewer/model/state_check.h"
#include "host/viewer/drive/request.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_words(const struct td_script_words *words)
{
    double from, to;
    if (words->count > TD_REQUEST_WORDS)
        abort();
    for (size_t i = 0; i < words->count; i++)
        if (td_range_parse(words->word[i], &from, &to) == 0 && !(to > from))
            abort();
}

static bool is_utf8(const char *text)
{
    size_t left = strlen(text), n = 1;
    for (; left && n; text += n, left -= n)
        n = td_utf8_bytes(text, left);
    return left == 0;
}

static void read_request(const char *text, size_t bytes)
{
    struct td_request request;
    struct td_err err = {0};
    int rc = td_request_parse(&request, text, bytes, &err);
    if ((rc < 0) != (err.code != 0))
        abort();
    check_words(&request.words);
    char *reply = td_request_reply(&request, NULL, &err);
    cJSON *again = reply ? cJSON_Parse(reply) : NULL;
    if (!again || strchr(reply, '\n') || !is_utf8(reply) ||
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(again, "ok")) != (rc == 0))
        abort();
    cJSON_Delete(again);
    free(reply);
    td_request_free(&request);
}

static void read_script(const char *text)
{
    for (int rc = 0; rc == 0 && *text;) {
        struct td_script_words words;
        struct td_err err = {0};
        rc = td_words_next(&words, &text, &err);
        if ((rc < 0) != (err.code != 0))
            abort();
        check_words(&words);
        td_words_free(&words);
    }
}

static void read_notes(const char *text, size_t bytes)
{
    struct td_annotations notes = {0};
    struct td_err err = {0};
    cJSON *array = cJSON_ParseWithLength(text, bytes);
    int rc = td_annotations_from_json(&notes, array, &err);
    if ((rc < 0) != (err.code != 0) || notes.count > TD_ANNOTATION_MAX || (rc < 0 && notes.count))
        abort();
    for (size_t i = 0; i < notes.count; i++)
        if (notes.list[i].to_ns < notes.list[i].from_ns ||
            (i && notes.list[i].from_ns < notes.list[i - 1].from_ns) ||
            !memchr(notes.list[i].text, 0, sizeof notes.list[i].text))
            abort();
    td_annotations_free(&notes);
    cJSON_Delete(array);
}

static void read_state(const char *text, size_t bytes)
{
    struct td_err err = {0};
    cJSON *state = cJSON_ParseWithLength(text, bytes);
    int rc = td_state_check(state, &err);
    if ((rc < 0) != (err.code != 0) || (rc == 0 && !cJSON_IsObject(state)))
        abort();
    cJSON_Delete(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = 0;
    read_request(text, bytes);
    read_script(text);
    read_notes(text, bytes);
    read_state(text, bytes);
    free(text);
    return 0;
}
