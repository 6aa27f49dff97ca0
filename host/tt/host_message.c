#include "host/tt/host_message.h"

#include <inttypes.h>

enum form { FORM_NONE, FORM_OP, FORM_TRACE, FORM_PROGRAM, FORM_SIGNPOST };

static const struct {
    const char *word;
    enum form form;
} kinds[] = {[TD_TT_MESSAGE_NONE] = {"", FORM_NONE},
#define TD_X(name, word, form) [TD_TT_MESSAGE_##name] = {word, FORM_##form},
             TD_TT_MESSAGES(TD_X)
#undef TD_X
};

static struct td_tt_text cut_front(struct td_tt_text text, size_t bytes)
{
    return (struct td_tt_text){text.at + bytes, text.bytes - bytes};
}

/* Splits off what is before the separator; all of the text, if there is none. */
static struct td_tt_text take_until(struct td_tt_text *text, char separator)
{
    const char *end = memchr(text->at, separator, text->bytes);
    const struct td_tt_text part = {text->at, end ? (size_t)(end - text->at) : text->bytes};
    *text = end ? cut_front(*text, part.bytes + 1) : cut_front(*text, text->bytes);
    return td_tt_text_trim(part);
}

/* ---- operations: "name", hash, device, [cache hit,] id */

/* The name may have any characters, quotes with a backslash before them too. */
static struct td_tt_text take_name(struct td_tt_text *text)
{
    if (!text->bytes || *text->at != '"')
        return take_until(text, ',');
    size_t end = 1;
    while (end < text->bytes && text->at[end] != '"')
        end += text->at[end] == '\\' && end + 1 < text->bytes ? 2 : 1;
    const struct td_tt_text name = {text->at + 1, end - 1};
    *text = cut_front(*text, end < text->bytes ? end + 1 : end);
    take_until(text, ',');
    return name;
}

static bool read_op(struct td_tt_text text, struct td_tt_message *message)
{
    uint64_t numbers[4];
    size_t count = 0;
    const char *arrow = memmem(text.at, text.bytes, TD_TT_MESSAGE_ARROW, strlen(TD_TT_MESSAGE_ARROW));
    if (arrow) {
        const size_t before = (size_t)(arrow - text.at);
        message->json = td_tt_text_trim(cut_front(text, before + strlen(TD_TT_MESSAGE_ARROW)));
        text.bytes = before;
    }
    text = td_tt_text_trim(text);
    message->name = take_name(&text);
    while (text.bytes) {
        const struct td_tt_text field = take_until(&text, ',');
        if (td_tt_text_is_name(field, "true") || td_tt_text_is_name(field, "false"))
            message->cache_hit = td_tt_text_is_name(field, "true") ? TD_TT_CACHE_HIT : TD_TT_CACHE_MISS;
        else if (count == 4 || !td_tt_text_u64(field, &numbers[count++]))
            return false;
    }
    if (count == 4) { /* cache hit as a number */
        message->cache_hit = numbers[2] ? TD_TT_CACHE_HIT : TD_TT_CACHE_MISS;
        numbers[2] = numbers[3];
        count = 3;
    }
    if (message->kind == TD_TT_MESSAGE_FALL_BACK_OP) { /* has an id at most: all else is in its JSON */
        message->id = count ? numbers[count - 1] : 0;
        return message->name.bytes;
    }
    if (count != 3 || numbers[1] > UINT32_MAX)
        return false;
    message->hash = numbers[0];
    message->device = (uint32_t)numbers[1];
    message->id = numbers[2];
    return true;
}

static bool read_trace(struct td_tt_text text, enum form form, struct td_tt_message *message)
{
    return td_tt_text_u32(take_until(&text, ','), &message->device) &&
           td_tt_text_u32(take_until(&text, ','), &message->trace) &&
           (form == FORM_TRACE || td_tt_text_u64(take_until(&text, ','), &message->id)) && !text.bytes;
}

bool td_tt_message_read(struct td_tt_text text, struct td_tt_message *message)
{
    *message =
        (struct td_tt_message){.name = TD_TT_TEXT_NONE, .json = TD_TT_TEXT_NONE, .text = TD_TT_TEXT_NONE};
    text = td_tt_text_trim(text);
    if (td_tt_text_begins(text, TD_TT_MESSAGE_QUOTE)) {
        text = cut_front(text, 1);
        message->cut = !text.bytes || text.at[text.bytes - 1] != *TD_TT_MESSAGE_QUOTE;
        text.bytes -= !message->cut;
    }
    enum td_tt_message_kind kind = TD_TT_MESSAGE_NONE + 1;
    while (kind < TD_TT_MESSAGE_COUNT && !td_tt_text_begins(text, kinds[kind].word))
        kind++;
    if (kind == TD_TT_MESSAGE_COUNT)
        return false;
    message->kind = kind;
    text = td_tt_text_trim(cut_front(text, strlen(kinds[kind].word)));
    if (kinds[kind].form == FORM_OP)
        return read_op(text, message);
    if (kinds[kind].form != FORM_SIGNPOST)
        return read_trace(text, kinds[kind].form, message);
    message->name = take_until(&text, '\n');
    message->text = td_tt_text_trim(text);
    return true;
}

bool td_tt_message_write(FILE *to, const struct td_tt_message *message)
{
    const char *hit = message->cache_hit == TD_TT_CACHE_HIT    ? "true, "
                      : message->cache_hit == TD_TT_CACHE_MISS ? "false, "
                                                               : "";
    if (message->kind == TD_TT_MESSAGE_NONE || message->kind >= TD_TT_MESSAGE_COUNT)
        return false;
    fprintf(to, TD_TT_MESSAGE_QUOTE "%s ", kinds[message->kind].word);
    const int name_bytes = (int)message->name.bytes, text_bytes = (int)message->text.bytes;
    switch (kinds[message->kind].form) {
    case FORM_OP:
        fprintf(to, "\"%.*s\"", name_bytes, message->name.at);
        if (message->kind == TD_TT_MESSAGE_DEVICE_OP)
            fprintf(to, ", %" PRIu64 ", %" PRIu32 ", %s%" PRIu64, message->hash, message->device, hit,
                    message->id);
        if (message->json.bytes)
            fprintf(to, TD_TT_MESSAGE_ARROW "%.*s", (int)message->json.bytes, message->json.at);
        break;
    case FORM_TRACE:
        fprintf(to, "%" PRIu32 ", %" PRIu32, message->device, message->trace);
        break;
    case FORM_PROGRAM:
        fprintf(to, "%" PRIu32 ", %" PRIu32 ", %" PRIu64, message->device, message->trace, message->id);
        break;
    default:
        fprintf(to, "%.*s", name_bytes, message->name.at);
        if (text_bytes)
            fprintf(to, "\n%.*s", text_bytes, message->text.at);
        break;
    }
    fputs(TD_TT_MESSAGE_QUOTE, to);
    return !ferror(to);
}
