#include "host/agent/import/text_lines.h"
#include "host/base/grow.h"

static int pass_line(struct td_text_lines *lines, const char *at, size_t bytes, struct td_err *err)
{
    if (lines->skips || bytes > TD_TEXT_LINE_MAX) {
        lines->too_long++;
        lines->skips = false;
        return 0;
    }
    bytes -= bytes && at[bytes - 1] == '\r';
    return lines->line(lines->self, (struct td_tt_text){bytes ? at : "", bytes}, err);
}

/* Keeps the begin of a line that ends later. */
static int keep_part(struct td_text_lines *lines, const char *at, size_t bytes, struct td_err *err)
{
    if (lines->skips || lines->carried + bytes > TD_TEXT_LINE_MAX) {
        lines->skips = true;
        lines->carried = 0;
        return 0;
    }
    if (td_grow(&lines->carry, &lines->room, lines->carried + bytes, 1) < 0)
        return td_fail_no_memory(err, "for a line of a text");
    memcpy(lines->carry + lines->carried, at, bytes);
    lines->carried += bytes;
    return 0;
}

int td_text_lines_feed(struct td_text_lines *lines, const char *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    for (size_t at = 0, end; at < count && !bad; at = end + 1) {
        const char *newline = memchr(bytes + at, '\n', count - at);
        end = newline ? (size_t)(newline - bytes) : count;
        if (!newline || lines->carried)
            bad = keep_part(lines, bytes + at, end - at, err);
        if (bad || !newline)
            break;
        bad = lines->carried ? pass_line(lines, lines->carry, lines->carried, err)
                             : pass_line(lines, bytes + at, end - at, err);
        lines->carried = 0;
    }
    return bad;
}

int td_text_lines_end_stream(struct td_text_lines *lines, struct td_err *err)
{
    const size_t bytes = lines->carried;
    lines->carried = 0;
    return bytes || lines->skips ? pass_line(lines, lines->carry, bytes, err) : 0;
}

void td_text_lines_free(struct td_text_lines *lines)
{
    free(lines->carry);
    lines->carry = NULL;
    lines->carried = lines->room = 0;
}

bool td_text_next_line(struct td_tt_text text, bool whole, size_t *at, struct td_tt_text *line)
{
    const char *begin = text.at + *at, *newline = memchr(begin, '\n', text.bytes - *at);
    if (*at == text.bytes || (!newline && !whole))
        return false;
    const size_t bytes = newline ? (size_t)(newline - begin) : text.bytes - *at;
    *at += bytes + (newline != NULL);
    *line = (struct td_tt_text){begin, bytes - (bytes && begin[bytes - 1] == '\r')};
    return true;
}
