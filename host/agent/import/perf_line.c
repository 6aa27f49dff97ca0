#include "host/agent/import/perf_line.h"
#include "host/agent/import/json_text.h"

#define SECONDS_MAX INT64_C(9000000000)

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct td_tt_text part_of(struct td_tt_text text, size_t from, size_t to)
{
    return (struct td_tt_text){text.at + from, to - from};
}

/* The next word from *at on; empty: there is none. */
static struct td_tt_text next_word(struct td_tt_text text, size_t *at)
{
    while (*at < text.bytes && is_space(text.at[*at]))
        ++*at;
    const size_t begin = *at;
    while (*at < text.bytes && !is_space(text.at[*at]))
        ++*at;
    return part_of(text, begin, *at);
}

/* The last word before *end, which becomes its begin. */
static struct td_tt_text word_before(struct td_tt_text text, size_t *end)
{
    size_t last = *end;
    while (last && is_space(text.at[last - 1]))
        last--;
    *end = last;
    while (*end && !is_space(text.at[*end - 1]))
        --*end;
    return part_of(text, *end, last);
}

/* ---- headers */

/* "123.456789:" */
static bool read_time(struct td_tt_text word, int64_t *ns)
{
    struct td_json_number seconds;
    if (word.bytes < 4 || word.at[word.bytes - 1] != ':' || !is_digit(*word.at))
        return false;
    word.bytes--;
    const char *point = memchr(word.at, '.', word.bytes);
    if (!point)
        return false;
    for (size_t i = 0; i < word.bytes; i++)
        if (!is_digit(word.at[i]) && word.at + i != point)
            return false;
    if (!td_json_number_read(word, &seconds) || seconds.whole > SECONDS_MAX)
        return false;
    *ns = seconds.whole * 1000000000 + seconds.parts / 1000;
    return true;
}

static bool read_number(struct td_tt_text word, int64_t *number)
{
    return word.bytes && (is_digit(*word.at) || *word.at == '-') && td_tt_text_i64(word, number);
}

/* "1/2" or "2". */
static bool read_ids(struct td_tt_text word, struct td_script_header *header)
{
    const char *slash = word.bytes ? memchr(word.at, '/', word.bytes) : NULL;
    const size_t first = slash ? (size_t)(slash - word.at) : 0;
    header->pid = TD_SCRIPT_NONE;
    if (!slash)
        return read_number(word, &header->tid);
    return read_number(part_of(word, 0, first), &header->pid) &&
           read_number(part_of(word, first + 1, word.bytes), &header->tid);
}

static bool read_cpu(struct td_tt_text word, uint32_t *cpu)
{
    return word.bytes > 2 && *word.at == '[' && word.at[word.bytes - 1] == ']' &&
           td_tt_text_u32(part_of(word, 1, word.bytes - 1), cpu);
}

/* What is before the time, which begins at `end`: flags of latencies may follow the processor. */
static bool read_thread(struct td_tt_text line, size_t end, struct td_script_header *header)
{
    struct td_tt_text word = word_before(line, &end);
    header->cpu = 0;
    for (int i = 0; i < 2 && !read_ids(word, header); i++) {
        if (!read_cpu(word, &header->cpu) && i)
            return false;
        word = word_before(line, &end);
    }
    if (!read_ids(word, header))
        return false;
    header->comm = td_tt_text_trim(part_of(line, 0, end));
    return true;
}

static void read_event(struct td_tt_text line, size_t at, struct td_script_header *header)
{
    size_t next = at;
    int64_t period;
    struct td_tt_text word = next_word(line, &next);
    if (read_number(word, &period)) {
        const size_t after = next;
        const struct td_tt_text event = next_word(line, &next);
        if (event.bytes > 1 && event.at[event.bytes - 1] == ':') {
            word = event;
            at = after;
        }
    }
    const bool has_colon = word.bytes > 1 && word.at[word.bytes - 1] == ':';
    header->event = td_tt_text_of("");
    if (has_colon || td_tt_text_begins(word, "PERF_RECORD_")) {
        header->event = part_of(word, 0, word.bytes - has_colon);
        at = (size_t)(word.at - line.at) + word.bytes;
    }
    header->rest = td_tt_text_trim(part_of(line, at, line.bytes));
}

bool td_script_read_header(struct td_tt_text line, struct td_script_header *header)
{
    for (size_t at = 0; at < line.bytes;) {
        const struct td_tt_text word = next_word(line, &at);
        if (read_time(word, &header->time_ns) && read_thread(line, (size_t)(word.at - line.at), header)) {
            read_event(line, at, header);
            return true;
        }
    }
    return false;
}

bool td_script_is_tracepoint(struct td_tt_text event)
{
    const char *colon = event.bytes ? memchr(event.at, ':', event.bytes) : NULL;
    for (const char *at = colon ? colon + 1 : NULL; at && at < event.at + event.bytes; at++)
        if (!strchr("ukhpPGHISDWeb", *at) || !*at)
            return true;
    return false;
}

/* ---- frames */

static bool read_hex(struct td_tt_text word, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < word.bytes; i++) {
        const char c = word.at[i], low = (char)(c | 32);
        if (!is_digit(c) && !(low >= 'a' && low <= 'f'))
            return false;
        *value = *value << 4 | (uint64_t)(is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    return word.bytes > 0 && word.bytes <= 16;
}

/* Where the last pair of parentheses of the line begins; its length: there is none. */
static size_t find_image(struct td_tt_text line)
{
    size_t depth = 0;
    for (size_t i = line.bytes; i-- > 0;) {
        depth += line.at[i] == ')';
        if (!depth)
            break;
        depth -= line.at[i] == '(';
        if (!depth)
            return !i || is_space(line.at[i - 1]) ? i : line.bytes;
    }
    return line.bytes;
}

/* Splits "+0x12" off. */
static bool read_offset(struct td_tt_text *function, uint64_t *offset)
{
    size_t at = function->bytes;
    while (at && function->at[at - 1] != '+')
        at--;
    if (at < 2 || function->bytes < at + 3 || function->at[at] != '0' || function->at[at + 1] != 'x' ||
        !read_hex(part_of(*function, at + 2, function->bytes), offset))
        return false;
    function->bytes = at - 1;
    return true;
}

bool td_script_read_frame(struct td_tt_text line, struct td_script_frame *frame)
{
    uint64_t offset;
    size_t at = 0;
    line = td_tt_text_trim(line);
    const size_t image = find_image(line);
    const struct td_tt_text first = next_word(line, &at);
    *frame = (struct td_script_frame){.function = td_tt_text_of(""), .image = td_tt_text_of("")};
    const bool has_address = read_hex(first, &frame->address);
    if (!has_address && image == line.bytes)
        return false; /* neither an address nor an image */
    frame->function = td_tt_text_trim(part_of(line, has_address ? (at < image ? at : image) : 0, image));
    if (image + 2 <= line.bytes)
        frame->image = part_of(line, image + 1, line.bytes - 1);
    frame->inlined = td_tt_text_is(frame->image, "inlined");
    if (read_offset(&frame->function, &offset) && frame->address > offset)
        frame->symbol = frame->address - offset;
    return true;
}

bool td_script_split_frame(struct td_tt_text *fields, struct td_script_frame *frame)
{
    size_t at = find_image(*fields);
    if (at == fields->bytes)
        return false;
    const struct td_tt_text symbol = word_before(*fields, &at), address = word_before(*fields, &at);
    uint64_t value;
    const bool is_known = symbol.bytes && memmem(symbol.at, symbol.bytes, "+0x", 3);
    if ((!is_known && !td_tt_text_is(symbol, "[unknown]")) || !read_hex(address, &value) ||
        !td_script_read_frame(part_of(*fields, at, fields->bytes), frame))
        return false;
    *fields = td_tt_text_trim(part_of(*fields, 0, at));
    return true;
}

/* ---- fields of scheduler events */

/* The value of "NAME=VALUE", up to " NEXT=". */
static bool find_field(struct td_tt_text fields, const char *name, const char *next, struct td_tt_text *value)
{
    const char *at = fields.bytes ? memmem(fields.at, fields.bytes, name, strlen(name)) : NULL;
    if (!at)
        return false;
    at += strlen(name);
    const size_t left = (size_t)(fields.at + fields.bytes - at);
    const char *end = memmem(at, left, next, strlen(next));
    *value = (struct td_tt_text){at, end ? (size_t)(end - at) : left};
    return end || !strcmp(next, " ");
}

/* "COMM:PID [PRIORITY] ...", as the plugins of libtraceevent print it. *rest: after the priority. */
static bool read_short(struct td_tt_text text, struct td_tt_text *comm, int64_t *pid, struct td_tt_text *rest)
{
    const char *bracket = text.bytes ? memmem(text.at, text.bytes, " [", 2) : NULL;
    const size_t bytes = bracket ? (size_t)(bracket - text.at) : 0;
    const char *colon = bytes ? memrchr(text.at, ':', bytes) : NULL;
    const char *end = bracket ? memchr(bracket, ']', text.bytes - bytes) : NULL;
    if (!colon || !end)
        return false;
    const size_t name = (size_t)(colon - text.at);
    *comm = part_of(text, 0, name);
    *rest = td_tt_text_trim(part_of(text, (size_t)(end - text.at) + 1, text.bytes));
    return read_number(part_of(text, name + 1, bytes), pid);
}

bool td_script_read_switch(struct td_tt_text fields, struct td_script_change *change)
{
    struct td_tt_text value, comm, rest;
    if (find_field(fields, "prev_pid=", " ", &value)) {
        if (!read_number(value, &change->from) || !find_field(fields, "prev_state=", " ", &value))
            return false;
        change->state = value.bytes ? *value.at : 0;
        return find_field(fields, "next_comm=", " next_pid=", &change->comm) &&
               find_field(fields, " next_pid=", " ", &value) && read_number(value, &change->to);
    }
    const char *arrow = fields.bytes ? memmem(fields.at, fields.bytes, " ==> ", 5) : NULL;
    const size_t before = arrow ? (size_t)(arrow - fields.at) : 0;
    if (!arrow || !read_short(part_of(fields, 0, before), &comm, &change->from, &rest))
        return false;
    change->state = rest.bytes ? *rest.at : 0;
    return read_short(part_of(fields, before + 5, fields.bytes), &change->comm, &change->to, &rest);
}

bool td_script_read_wakeup(struct td_tt_text fields, struct td_script_change *change)
{
    struct td_tt_text value, rest;
    change->from = TD_SCRIPT_NONE;
    if (find_field(fields, "comm=", " pid=", &change->comm))
        return find_field(fields, " pid=", " ", &value) && read_number(value, &change->to);
    return read_short(fields, &change->comm, &change->to, &rest);
}

bool td_script_read_record(struct td_tt_text rest, bool *is_out, bool *preempted, int64_t *other)
{
    static const char ids_follow[] = "pid/tid:";
    const char *found = rest.bytes ? memmem(rest.at, rest.bytes, ids_follow, sizeof ids_follow - 1) : NULL;
    size_t at = found ? (size_t)(found - rest.at) + sizeof ids_follow - 1 : rest.bytes;
    struct td_script_header ids;
    *is_out = td_tt_text_begins(rest, "OUT");
    *preempted = td_tt_text_begins(rest, "OUT preempt");
    *other = read_ids(next_word(rest, &at), &ids) ? ids.tid : TD_SCRIPT_NONE;
    return *is_out || td_tt_text_begins(rest, "IN");
}
