/* Messages of browsers with any bytes, and the same bytes as an address, a token and the address of a page: what is taken is
 * within limits, and an error has one reason. */
#include "host/viewer/web/access.h"
#include "host/viewer/web/message.h"
#include "host/base/plain_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int take_event(void *self, const struct td_web_event *event)
{
    int *events = self;
    for (size_t i = 0; i < 3; i++)
        if (!isfinite(event->value[i]))
            abort();
    if ((int)event->kind < 0 || event->kind >= TD_WEB_EVENT_KINDS || ++*events > TD_WEB_EVENTS)
        abort();
    if ((event->kind == TD_WEB_KEY || event->kind == TD_WEB_KEYUP) && event->press.key == TD_KEY_NONE &&
        !strchr("SCAM", event->text[0])) /* Shift, Control, Alt, Meta */
        abort();
    for (const char *text = event->text; text && *text;) {
        const size_t count = td_utf8_bytes(text, strlen(text));
        if (!count)
            abort();
        text += count;
    }
    return *events == 700 ? 1 : 0;
}

static void read_message(const char *text, size_t bytes)
{
    struct td_err err = {0};
    int events = 0;
    const int rc = td_web_message_read(text, bytes, take_event, &events, &err);
    if ((rc < 0) != (err.code != 0) || (rc == 1 && events != 700))
        abort();
}

static void read_address(const char *text)
{
    char address[64];
    int port = -1;
    struct td_err err = {0};
    const int rc = td_web_address_parse(text, address, sizeof address, &port, &err);
    if ((rc < 0) != (err.code != 0) ||
        (rc == 0 && (port < 0 || port > 65535 || !memchr(address, 0, sizeof address))))
        abort();
}

static void check_access(const char *text)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    if (td_web_token_is(token, text) != !strcmp(token, text))
        abort();
    if (td_web_origin_is_own(text, "h:1", false) && strlen(text) != strlen("http://h:1"))
        abort();
    td_web_origin_is_own("http://h:1", text, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = 0;
    read_message(text, bytes);
    read_address(text);
    check_access(text);
    free(text);
    return 0;
}
