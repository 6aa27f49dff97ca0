#include "host/viewer/drive/request.h"
#include "host/base/plain_text.h"
#include "host/viewer/model/json_print.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static bool ends_command(char c)
{
    return !c || c == ';' || c == '\n';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies a word without its quotes; *at then points after it. */
static int copy_word(char **to, const char **at, struct td_err *err)
{
    bool quoted = false;
    for (; **at && (quoted || !(is_blank(**at) || ends_command(**at))); (*at)++) {
        if (**at == '"') {
            quoted = !quoted;
            continue;
        }
        if (quoted && **at == '\\' && ((*at)[1] == '"' || (*at)[1] == '\\'))
            (*at)++;
        *(*to)++ = **at;
    }
    *(*to)++ = 0;
    return quoted ? td_fail(err, TD_E_USAGE, "a \" is not closed") : 0;
}

int td_words_next(struct td_script_words *words, const char **at, struct td_err *err)
{
    *words = (struct td_script_words){0};
    /* No word is longer than its text, and between two words there is at least one character. */
    char *to = words->text = malloc(strlen(*at) + 2);
    int rc = to ? 0 : td_fail_no_memory(err, NULL);
    while (rc == 0) {
        while (is_blank(**at))
            (*at)++;
        if (ends_command(**at))
            break;
        if (words->count == TD_REQUEST_WORDS) {
            rc = td_fail(err, TD_E_USAGE, "a command has at most %d words", TD_REQUEST_WORDS);
            break;
        }
        words->word[words->count++] = to;
        rc = copy_word(&to, at, err);
    }
    if (rc == 0 && **at)
        (*at)++;
    if (rc < 0)
        td_words_free(words);
    return rc;
}

void td_words_free(struct td_script_words *words)
{
    free(words->text);
    *words = (struct td_script_words){0};
}

/* ---- requests ---- */

static bool is_scalar(const cJSON *value)
{
    return cJSON_IsString(value) || cJSON_IsNumber(value);
}

static size_t scalar_bytes(const cJSON *value)
{
    return cJSON_IsString(value) ? strlen(value->valuestring) + 1 : 40;
}

static void add_word(struct td_script_words *words, char **to, const cJSON *value)
{
    words->word[words->count++] = *to;
    if (cJSON_IsString(value))
        *to = stpcpy(*to, value->valuestring) + 1;
    else
        *to += snprintf(*to, 40, "%.17g", value->valuedouble) + 1;
}

/* The command is one word, and each argument another one, whatever characters are in them. */
static int take_arguments(struct td_script_words *words, const cJSON *command, const cJSON *arguments,
                          struct td_err *err)
{
    size_t bytes = scalar_bytes(command), count = 1;
    for (const cJSON *argument = arguments->child; argument; argument = argument->next) {
        if (!is_scalar(argument))
            return td_fail(err, TD_E_FORMAT, "each of \"arguments\" must be a text or a number");
        bytes += scalar_bytes(argument);
        count++;
    }
    if (count > TD_REQUEST_WORDS)
        return td_fail(err, TD_E_USAGE, "a command has at most %d words", TD_REQUEST_WORDS);
    char *to = words->text = malloc(bytes);
    if (!to)
        return td_fail_no_memory(err, NULL);
    add_word(words, &to, command);
    for (const cJSON *argument = arguments->child; argument; argument = argument->next)
        add_word(words, &to, argument);
    return 0;
}

static int take_fields(struct td_request *request, const cJSON *object, struct td_err *err)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, "id"),
                *command = cJSON_GetObjectItemCaseSensitive(object, "command"),
                *arguments = cJSON_GetObjectItemCaseSensitive(object, "arguments");
    if (!cJSON_IsObject(object))
        return td_fail(err, TD_E_FORMAT, "a request is a JSON object: {\"command\": \"fit\"}");
    if (id && !is_scalar(id))
        return td_fail(err, TD_E_FORMAT, "\"id\" must be a number or a text");
    if (id && !(request->id = cJSON_Duplicate(id, 0)))
        return td_fail_no_memory(err, NULL);
    if (!cJSON_IsString(command))
        return td_fail(err, TD_E_FORMAT, "the request has no \"command\"");
    if (arguments && !cJSON_IsArray(arguments))
        return td_fail(err, TD_E_FORMAT, "\"arguments\" must be an array");
    if (arguments)
        return take_arguments(&request->words, command, arguments, err);
    const char *at = command->valuestring;
    int rc = td_words_next(&request->words, &at, err);
    if (rc == 0 && *at)
        rc = td_fail(err, TD_E_USAGE, "one command a request");
    return rc;
}

int td_request_parse(struct td_request *request, const char *line, size_t bytes, struct td_err *err)
{
    *request = (struct td_request){0};
    if (bytes > TD_REQUEST_BYTES)
        return td_fail(err, TD_E_LIMIT, "a line has at most %d bytes", TD_REQUEST_BYTES);
    /* A copy with a NUL: then the parser can check that nothing follows the object. */
    char *text = malloc(bytes + 1);
    if (!text)
        return td_fail_no_memory(err, NULL);
    memcpy(text, line, bytes);
    text[bytes] = 0;
    cJSON *object = strlen(text) == bytes ? cJSON_ParseWithLengthOpts(text, bytes + 1, NULL, 1) : NULL;
    int rc = object ? take_fields(request, object, err) : td_fail(err, TD_E_FORMAT, "the line is not JSON");
    cJSON_Delete(object);
    free(text);
    return rc;
}

void td_request_free(struct td_request *request)
{
    cJSON_Delete(request->id);
    td_words_free(&request->words);
    *request = (struct td_request){0};
}

/* Names in traces are any bytes. A copied text has lines. */
static void clean_texts(cJSON *value)
{
    if (cJSON_IsString(value) && (!value->string || strcmp(value->string, TD_REPLY_TEXT) != 0))
        td_plain(value->valuestring);
    for (cJSON *child = value ? value->child : NULL; child; child = child->next)
        clean_texts(child);
}

char *td_request_reply(const struct td_request *request, const cJSON *result, const struct td_err *err)
{
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddBoolToObject(reply, "ok", !err->code);
    if (err->code)
        cJSON_AddStringToObject(reply, "error", err->text);
    for (const cJSON *field = result && !err->code ? result->child : NULL; field; field = field->next)
        cJSON_AddItemToObject(reply, field->string, cJSON_Duplicate(field, 1));
    clean_texts(reply);
    if (request->id)
        cJSON_AddItemToObject(reply, "id", cJSON_Duplicate(request->id, 0));
    char *text = td_json_print(reply, true);
    cJSON_Delete(reply);
    return text;
}
