/* Commands for the viewer as text (words, quotes, semicolons) and as the JSON lines of `tendril view --listen`.
 * Parses untrusted bytes; knows nothing of the viewer. */
#pragma once
#include "host/base/err.h"

#include <cjson/cJSON.h>
#include <stddef.h>

#define TD_REQUEST_WORDS 16
#define TD_REQUEST_BYTES 65536 /* longest line */

/* The command and its arguments. All zero: none. */
struct td_script_words {
    size_t count;
    const char *word[TD_REQUEST_WORDS];
    char *text; /* what they point into */
};

/* The words of the next command of *at, which then points after it. Words are separated by spaces, commands by
 * semicolons and line ends; "double quotes" hold both, and \" and \\ in them are the characters themselves.
 * No words: the command is empty. After 0 the words must be freed. 0, TD_E_USAGE or TD_E_NOMEM. */
int td_words_next(struct td_script_words *words, const char **at, struct td_err *err);
void td_words_free(struct td_script_words *words);

/* A line of a client: {"command": "zoom 1ms..2ms"} or {"command": "find", "arguments": ["a name"]}, and
 * optionally an "id", a number or text that the reply repeats. */
struct td_request {
    cJSON *id; /* NULL: none */
    struct td_script_words words;
};

/* After an error, too, the request must be freed: its id is for the reply. */
int td_request_parse(struct td_request *request, const char *line, size_t bytes, struct td_err *err);
void td_request_free(struct td_request *request);
#define TD_REPLY_TEXT "text" /* a field whose tabs and line ends stay */
/* The line for the client, without its end: {"ok": true, ..., "id": ..} with the fields of `result` (NULL:
 * none), which stays the caller's; or {"ok": false, "error": "..", "id": ..} if err->code is set. NULL: no
 * memory. The caller frees it. */
char *td_request_reply(const struct td_request *request, const cJSON *result, const struct td_err *err);

/* Where requests come from. */
struct td_requests {
    /* A line that waits for its reply, without its end; NULL: none. It is valid until the reply. A line that is too long
     * is given as its first TD_REQUEST_BYTES + 1 bytes. */
    const char *(*take)(void *self, size_t *bytes);
    /* The reply to the line that was taken; takes the text, which free() frees; NULL: there is none. */
    void (*reply)(void *self, char *text);
    void *self;
};
