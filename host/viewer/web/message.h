/* What the page sends: a text of JSON, an array of events, each an array of a name and values:
 *
 *   ["size", width, height, scale]   ["move", x, y]   ["leave"]   ["blur"]   ["down", button, clicks]   ["up", button]
 *   ["wheel", x, y]   ["key", name, "sca"]   ["keyup", name, "sca"]   ["text", typed]   ["paste", text]
 *   ["ack", picture]   ["whole"]   ["run", id, request]   ["upload", bytes, name]   ["download"]
 *   ["drawing", "svg" or "pdf"]
 *
 * A key's name is a character or that of KeyboardEvent.key; s, c and a: with Shift, Ctrl or Alt. A request is that of
 * drive/request.h. Parses untrusted bytes; knows nothing of the viewer. */
#pragma once
#include "host/base/err.h"
#include "host/viewer/ui/imgui_shim.h"

#define TD_WEB_MESSAGE_BYTES (1 << 20) /* longest text */
#define TD_WEB_EVENTS        1024      /* of a message */

enum td_web_event_kind {
    TD_WEB_SIZE,
    TD_WEB_MOVE,
    TD_WEB_LEAVE,
    TD_WEB_BLUR,
    TD_WEB_DOWN,
    TD_WEB_UP,
    TD_WEB_WHEEL,
    TD_WEB_KEY,
    TD_WEB_KEYUP,
    TD_WEB_TEXT,
    TD_WEB_PASTE,
    TD_WEB_ACK,
    TD_WEB_WHOLE,
    TD_WEB_RUN,
    TD_WEB_UPLOAD,
    TD_WEB_DOWNLOAD,
    TD_WEB_DRAWING,
    TD_WEB_EVENT_KINDS
};

struct td_web_event {
    enum td_web_event_kind kind;
    double value[3];           /* finite */
    struct td_key_press press; /* of keys; TD_KEY_NONE: of Shift, Ctrl or Alt alone */
    const char *text;          /* UTF-8; NULL: the event has none */
};

/* Calls `take` for each event, in their order, up to the first that is wrong. What `take` returns other than 0 ends the
 * call and is its result. 0, or TD_E_FORMAT. */
int td_web_message_read(const char *text, size_t bytes,
                        int (*take)(void *self, const struct td_web_event *event), void *self,
                        struct td_err *err);
