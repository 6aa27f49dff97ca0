/* Matching by trying: bounded in steps and in depth. */
#include "host/base/grow.h"
#include "host/base/regex_nodes.h"

#include <ctype.h>
#include <string.h>

#define STEPS_MAX 10000000u
#define DEPTH_MAX 4000u

struct loop {
    uint32_t count;
    size_t began; /* the turn that runs */
};
struct matcher {
    const struct td_regex *regex;
    const char *text;
    size_t bytes, end;
    uint32_t steps, depth;
    int given_up;
    struct td_regex_match *match;
    struct loop loops[TD_REGEX_LOOPS];
};

static int matches(struct matcher *m, uint32_t node, size_t at);

static int is_word_at(const struct matcher *m, size_t at)
{
    unsigned char byte = at < m->bytes ? (unsigned char)m->text[at] : 0;
    return isalnum(byte) || byte == '_';
}

static int has(const struct matcher *m, const struct td_regex_node *node, size_t at)
{
    return at < m->bytes && td_regex_set_has(&m->regex->sets[node->set], (unsigned char)m->text[at]);
}

static int matches_many(struct matcher *m, const struct td_regex_node *node, size_t at)
{
    uint32_t count = 0, most = node->lazy ? node->least : node->most;
    while (count < most && has(m, node, at + count))
        count++;
    if (count < node->least)
        return 0;
    if (!node->lazy) {
        for (;; count--) {
            if (matches(m, node->next, at + count))
                return 1;
            if (count == node->least)
                return 0;
        }
    }
    while (!matches(m, node->next, at + count)) {
        if (count == node->most || !has(m, node, at + count))
            return 0;
        count++;
    }
    return 1;
}

static int matches_body(struct matcher *m, const struct td_regex_node *node, size_t at)
{
    struct loop *loop = &m->loops[node->number], before = *loop;
    if (loop->count >= node->most || (loop->count > node->least && loop->began == at))
        return 0; /* often enough; or the turn before took nothing, and so would this one */
    *loop = (struct loop){before.count + 1, at};
    if (matches(m, node->body, at))
        return 1;
    *loop = before;
    return 0;
}

/* Behind the loop it may be entered anew, from one around it; it goes on here if that fails. */
static int matches_rest(struct matcher *m, const struct td_regex_node *node, size_t at)
{
    struct loop before = m->loops[node->number];
    if (before.count < node->least)
        return 0;
    int found = matches(m, node->next, at);
    m->loops[node->number] = before;
    return found;
}

static int matches_again(struct matcher *m, const struct td_regex_node *node, size_t at)
{
    if (node->lazy)
        return matches_rest(m, node, at) || matches_body(m, node, at);
    return matches_body(m, node, at) || matches_rest(m, node, at);
}

static int matches_group_edge(struct matcher *m, const struct td_regex_node *node, size_t at)
{
    size_t *place = node->kind == TD_REGEX_OPEN ? m->match->begin : m->match->end;
    size_t before = place[node->number];
    place[node->number] = at;
    if (matches(m, node->next, at))
        return 1;
    place[node->number] = before;
    return 0;
}

static int looks(struct matcher *m, const struct td_regex_node *node, size_t at)
{
    struct td_regex_match before = *m->match;
    size_t end = m->end;
    int found = matches(m, node->body, at);
    m->end = end;
    if (!found || node->number)
        *m->match = before;
    return found != (int)node->number;
}

/* How many bytes the group has, if they stand here; -1: they do not. */
static ptrdiff_t back_bytes(const struct matcher *m, const struct td_regex_node *node, size_t at)
{
    size_t begin = m->match->begin[node->number], end = m->match->end[node->number];
    if (begin >= end)
        return 0;
    size_t bytes = end - begin;
    return bytes <= m->bytes - at && !memcmp(m->text + begin, m->text + at, bytes) ? (ptrdiff_t)bytes : -1;
}

/* A node that takes nothing apart: 1: *at is behind it. 0: no match. -1: it is of another kind. */
static int simple(struct matcher *m, const struct td_regex_node *node, size_t *at)
{
    ptrdiff_t back;
    switch (node->kind) {
    case TD_REGEX_NOTHING:
        return 1;
    case TD_REGEX_SET:
        return has(m, node, (*at)++);
    case TD_REGEX_BEGIN:
        return *at == 0;
    case TD_REGEX_END:
        return *at == m->bytes;
    case TD_REGEX_WORD:
        return ((*at > 0 && is_word_at(m, *at - 1)) != is_word_at(m, *at)) != (int)node->number;
    case TD_REGEX_LOOK:
        return looks(m, node, *at);
    case TD_REGEX_BACK:
        back = back_bytes(m, node, *at);
        *at += back < 0 ? 0 : (size_t)back;
        return back >= 0;
    case TD_REGEX_LOOP:
        m->loops[node->number] = (struct loop){0};
        return 1;
    default:
        return -1;
    }
}

static int goes_on(struct matcher *m, uint32_t index, size_t at)
{
    for (;;) {
        const struct td_regex_node *node = &m->regex->nodes[index];
        if (m->given_up || ++m->steps > STEPS_MAX) {
            m->given_up = 1;
            return 0;
        }
        int rc = simple(m, node, &at);
        if (rc == 0)
            return 0;
        if (rc > 0) {
            index = node->next;
            continue;
        }
        switch (node->kind) {
        case TD_REGEX_DONE:
            m->end = at;
            return 1;
        case TD_REGEX_MANY:
            return matches_many(m, node, at);
        case TD_REGEX_AGAIN:
            return matches_again(m, node, at);
        case TD_REGEX_BRANCH:
            if (matches(m, node->body, at))
                return 1;
            index = node->other;
            break;
        default:
            return matches_group_edge(m, node, at);
        }
    }
}

static int matches(struct matcher *m, uint32_t index, size_t at)
{
    if (m->depth == DEPTH_MAX)
        m->given_up = 1;
    m->depth++;
    int found = goes_on(m, index, at);
    m->depth--;
    return found;
}

int td_regex_search(const struct td_regex *regex, const char *text, size_t bytes, size_t from,
                    struct td_regex_match *match)
{
    struct matcher m = {.regex = regex, .text = text, .bytes = bytes, .match = match};
    for (size_t at = from; at <= bytes; at++) {
        for (size_t i = 0; i < TD_REGEX_GROUPS; i++) {
            match->begin[i] = 1;
            match->end[i] = 0;
        }
        if (matches(&m, regex->first, at)) {
            match->begin[0] = at;
            match->end[0] = m.end;
            return 1;
        }
        if (m.given_up)
            return TD_E_LIMIT;
    }
    return 0;
}

/* ---- replacing ---- */

struct text {
    char *at;
    size_t bytes, room;
    int failed;
};

static void put(struct text *to, const char *from, size_t bytes)
{
    if (to->failed || td_grow(&to->at, &to->room, to->bytes + bytes + 1, 1) < 0) {
        to->failed = 1;
        return;
    }
    memcpy(to->at + to->bytes, from, bytes);
    to->bytes += bytes;
    to->at[to->bytes] = 0;
}

static void put_group(struct text *to, const char *text, const struct td_regex_match *match, unsigned group)
{
    if (group < TD_REGEX_GROUPS && match->begin[group] <= match->end[group])
        put(to, text + match->begin[group], match->end[group] - match->begin[group]);
}

/* What `$` and what is behind it stand for; returns where it goes on. */
static const char *put_dollar(struct text *to, const char *at, const char *text, size_t done, size_t bytes,
                              const struct td_regex_match *match)
{
    unsigned group = 0, digits = 0;
    switch (at[1]) {
    case '$':
        put(to, "$", 1);
        return at + 2;
    case '&':
        put_group(to, text, match, 0);
        return at + 2;
    case '`':
        put(to, text + done, match->begin[0] - done);
        return at + 2;
    case '\'':
        put(to, text + match->end[0], bytes - match->end[0]);
        return at + 2;
    default:
        while (digits < 2 && isdigit((unsigned char)at[1 + digits]))
            group = group * 10 + (unsigned)(at[1 + digits++] - '0');
        if (digits)
            put_group(to, text, match, group);
        else
            put(to, "$", 1);
        return at + 1 + digits;
    }
}

static void put_replacement(struct text *to, const char *replacement, const char *text, size_t done,
                            size_t bytes, const struct td_regex_match *match)
{
    for (const char *at = replacement; *at;) {
        size_t plain = strcspn(at, "$");
        put(to, at, plain);
        at += plain;
        if (*at)
            at = put_dollar(to, at, text, done, bytes, match);
    }
}

int td_regex_replace(const struct td_regex *regex, const char *text, const char *replacement, char **result)
{
    struct text to = {0};
    struct td_regex_match match;
    size_t bytes = strlen(text), done = 0, from = 0;
    int rc = 0, found = 0;
    while (from <= bytes && (rc = td_regex_search(regex, text, bytes, from, &match)) > 0) {
        found = 1;
        put(&to, text + done, match.begin[0] - done);
        put_replacement(&to, replacement, text, done, bytes, &match);
        done = match.end[0];
        from = done + (match.begin[0] == match.end[0]);
    }
    if (found && rc >= 0)
        put(&to, text + done, bytes - done);
    *result = NULL;
    if (rc < 0 || to.failed || !found) {
        free(to.at);
        return to.failed ? TD_E_NOMEM : rc;
    }
    *result = to.at;
    return 1;
}
