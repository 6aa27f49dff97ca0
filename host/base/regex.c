#include "host/base/regex.h"
#include "host/base/stream.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 1000000 /* of one match; some patterns would never end */

struct td_regex {
    pcre2_code *code;
    pcre2_match_context *limits;
};

int td_regex_compile(const char *pattern, struct td_regex **regex, struct td_err *err)
{
    const uint32_t as_ecmascript = PCRE2_ALLOW_EMPTY_CLASS | PCRE2_ALT_BSUX | PCRE2_DOLLAR_ENDONLY |
                                   PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C;
    int number;
    size_t at;
    *regex = NULL;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, as_ecmascript, &number, &at, NULL);
    if (!code) {
        char why[128];
        pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof why);
        return td_fail(err, TD_E_USAGE, "'%s' is no regular expression: %s at %zu", pattern, why, at);
    }
    struct td_regex *made = calloc(1, sizeof *made);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (made)
        *made = (struct td_regex){code, limits};
    if (!made || !limits) {
        pcre2_code_free(made ? NULL : code);
        td_regex_free(made);
        return td_fail_no_memory(err, "for a regular expression");
    }
    pcre2_set_match_limit(limits, STEPS_MAX);
    *regex = made;
    return 0;
}

void td_regex_free(struct td_regex *regex)
{
    if (!regex)
        return;
    pcre2_match_context_free(regex->limits);
    pcre2_code_free(regex->code);
    free(regex);
}

/* A match within a text. */
struct match {
    const char *text;
    const size_t *places; /* begin and end of the whole and of each group */
    unsigned count;       /* of them */
    size_t before;        /* the end of the previous match */
};

static void put_group(FILE *out, const struct match *found, unsigned group)
{
    const size_t *place = &found->places[2 * group];
    if (group < found->count && place[0] != PCRE2_UNSET && place[0] < place[1])
        fwrite(found->text + place[0], 1, place[1] - place[0], out);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Writes what the characters after a dollar mean. Returns how many these are; 0: it is only a dollar. */
static size_t put_special(FILE *out, const struct match *found, const char *what)
{
    if (is_digit(what[0])) {
        size_t digits = is_digit(what[1]) ? 2 : 1;
        put_group(out, found, (unsigned)(digits == 2 ? 10 * (what[0] - '0') + what[1] - '0' : what[0] - '0'));
        return digits;
    }
    switch (what[0]) {
    case '&':
        put_group(out, found, 0);
        return 1;
    case '`':
        fwrite(found->text + found->before, 1, found->places[0] - found->before, out);
        return 1;
    case '\'':
        fputs(found->text + found->places[1], out);
        return 1;
    case '$':
        fputc('$', out);
        return 1;
    default:
        fputc('$', out);
        return 0;
    }
}

static void put_replacement(FILE *out, const struct match *found, const char *replacement)
{
    for (; *replacement; replacement++)
        if (*replacement == '$')
            replacement += put_special(out, found, replacement + 1);
        else
            fputc(*replacement, out);
}

/* Replaces all matches and returns their number. After an empty match it looks for one at the same place
 * that is not empty; without one it moves on by a character. */
static int replace_all(const struct td_regex *regex, pcre2_match_data *match, const char *text,
                       const char *replacement, FILE *out)
{
    const uint32_t not_again = PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED;
    struct match found = {.text = text, .places = pcre2_get_ovector_pointer(match)};
    size_t bytes = strlen(text), at = 0;
    uint32_t how = 0;
    int matches = 0;
    while (at <= bytes) {
        int count = pcre2_match(regex->code, (PCRE2_SPTR)text, bytes, at, how, match, regex->limits);
        if (count == PCRE2_ERROR_NOMATCH) {
            if (!how)
                break;
            at++;
            how = 0;
            continue;
        }
        if (count < 0)
            return count == PCRE2_ERROR_NOMEMORY ? TD_E_NOMEM : TD_E_LIMIT;
        found.count = (unsigned)count;
        fwrite(text + found.before, 1, found.places[0] - found.before, out);
        put_replacement(out, &found, replacement);
        how = found.places[0] == found.places[1] ? not_again : 0;
        at = found.before = found.places[1];
        matches++;
    }
    fputs(text + found.before, out);
    return matches;
}

int td_regex_replace(const struct td_regex *regex, const char *text, const char *replacement, char **result)
{
    size_t bytes;
    char *made = NULL;
    FILE *out = open_memstream(&made, &bytes);
    *result = NULL;
    if (!out)
        return TD_E_NOMEM;
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(regex->code, NULL);
    int rc = match ? replace_all(regex, match, text, replacement, out) : TD_E_NOMEM;
    pcre2_match_data_free(match);
    if (!td_text_close(out, &made) && rc > 0)
        rc = TD_E_NOMEM;
    if (rc > 0)
        *result = made;
    else
        free(made);
    return rc > 0 ? 1 : rc;
}
