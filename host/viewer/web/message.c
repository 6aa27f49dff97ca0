#include "host/viewer/web/message.h"
#include "host/base/plain_text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#define MOST_VALUE 1e12

/* The values of an event: n: number, t: text, k: the name of a key and its modifiers. */
static const struct {
    const char *name, *values;
} kinds[TD_WEB_EVENT_KINDS] = {[TD_WEB_SIZE] = {"size", "nnn"},    [TD_WEB_MOVE] = {"move", "nn"},
                               [TD_WEB_LEAVE] = {"leave", ""},     [TD_WEB_BLUR] = {"blur", ""},
                               [TD_WEB_DOWN] = {"down", "nn"},     [TD_WEB_UP] = {"up", "n"},
                               [TD_WEB_WHEEL] = {"wheel", "nn"},   [TD_WEB_KEY] = {"key", "k"},
                               [TD_WEB_KEYUP] = {"keyup", "k"},    [TD_WEB_TEXT] = {"text", "t"},
                               [TD_WEB_PASTE] = {"paste", "t"},    [TD_WEB_ACK] = {"ack", "n"},
                               [TD_WEB_WHOLE] = {"whole", ""},     [TD_WEB_RUN] = {"run", "nt"},
                               [TD_WEB_UPLOAD] = {"upload", "nt"}, [TD_WEB_DOWNLOAD] = {"download", ""},
                               [TD_WEB_DRAWING] = {"drawing", "t"}};

static int find_key(const char *name)
{
    static const struct {
        const char *name;
        int key;
    } keys[] = {{"ArrowLeft", TD_KEY_LEFT}, {"ArrowRight", TD_KEY_RIGHT},
                {"ArrowUp", TD_KEY_UP},     {"ArrowDown", TD_KEY_DOWN},
                {"PageUp", TD_KEY_PAGE_UP}, {"PageDown", TD_KEY_PAGE_DOWN},
                {"Home", TD_KEY_HOME},      {"End", TD_KEY_END},
                {"Escape", TD_KEY_ESCAPE},  {"Enter", TD_KEY_ENTER},
                {"F1", TD_KEY_F1},          {"F3", TD_KEY_F3},
                {"F4", TD_KEY_F4},          {"F9", TD_KEY_F9},
                {"F10", TD_KEY_F10},        {"F11", TD_KEY_F11},
                {"Tab", TD_KEY_TAB},        {"Backspace", TD_KEY_BACKSPACE},
                {"Delete", TD_KEY_DELETE},  {"ContextMenu", TD_KEY_MENU}};
    const unsigned char first = (unsigned char)name[0];
    if (first >= 0x20 && first < 0x7f && !name[1])
        return tolower(first);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].name, name))
            return keys[i].key;
    return TD_KEY_NONE;
}

static bool is_text(const cJSON *value)
{
    if (!cJSON_IsString(value))
        return false;
    const char *text = value->valuestring;
    for (size_t left = strlen(text), n; left; text += n, left -= n)
        if (!(n = td_utf8_bytes(text, left)))
            return false;
    return true;
}

/* Keys that only change what others, and clicks, do. */
static bool is_modifier(const char *name)
{
    return !strcmp(name, "Shift") || !strcmp(name, "Control") || !strcmp(name, "Alt") ||
           !strcmp(name, "Meta");
}

/* Takes the values after the name. False: they are not those of the kind. */
static bool read_values(struct td_web_event *event, const cJSON *value)
{
    size_t numbers = 0;
    for (const char *wanted = kinds[event->kind].values; *wanted; wanted++, value = value->next) {
        if (!value)
            return false;
        if (*wanted == 'n') {
            if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) ||
                fabs(value->valuedouble) > MOST_VALUE)
                return false;
            event->value[numbers++] = value->valuedouble;
            continue;
        }
        if (!is_text(value))
            return false;
        event->text = value->valuestring;
        if (*wanted != 'k')
            continue;
        value = value->next;
        if (!value || !is_text(value))
            return false;
        event->press = (struct td_key_press){.key = find_key(event->text),
                                             .shift = strchr(value->valuestring, 's') != NULL,
                                             .ctrl = strchr(value->valuestring, 'c') != NULL,
                                             .alt = strchr(value->valuestring, 'a') != NULL};
    }
    return !value;
}

static bool read_event(struct td_web_event *event, const cJSON *array)
{
    const cJSON *name = cJSON_IsArray(array) ? array->child : NULL;
    if (!cJSON_IsString(name))
        return false;
    for (int i = 0; i < TD_WEB_EVENT_KINDS; i++)
        if (!strcmp(kinds[i].name, name->valuestring)) {
            event->kind = (enum td_web_event_kind)i;
            return read_values(event, name->next);
        }
    return false;
}

int td_web_message_read(const char *text, size_t bytes,
                        int (*take)(void *self, const struct td_web_event *event), void *self,
                        struct td_err *err)
{
    cJSON *all = bytes <= TD_WEB_MESSAGE_BYTES ? cJSON_ParseWithLength(text, bytes) : NULL;
    int rc = cJSON_IsArray(all) ? 0 : TD_E_FORMAT, count = 0;
    for (const cJSON *array = rc == 0 ? all->child : NULL; array; array = array->next) {
        struct td_web_event event = {0};
        if (++count > TD_WEB_EVENTS || !read_event(&event, array)) {
            rc = TD_E_FORMAT;
            break;
        }
        const bool is_key = event.kind == TD_WEB_KEY || event.kind == TD_WEB_KEYUP;
        if (is_key && event.press.key == TD_KEY_NONE && !is_modifier(event.text))
            continue; /* the viewer does not use it */
        rc = take(self, &event);
        if (rc)
            break;
    }
    cJSON_Delete(all);
    return rc == TD_E_FORMAT ? td_fail(err, rc, "a browser's message is not as it should be") : rc;
}
