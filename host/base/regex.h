/* Regular expressions as ECMAScript has them, which is what Tracy's tools take: . [] ^ $ \b \B \d \w \s,
 * groups,
 * (?:), (?=), (?!), |, * + ? {n,m} and the same with ? behind them, \1. Bytes, not characters. */
#ifndef TD_HOST_BASE_REGEX_H
#define TD_HOST_BASE_REGEX_H
#include "host/base/err.h"

#include <stddef.h>

#define TD_REGEX_GROUPS 32 /* at most, with the whole as number 0 */

struct td_regex;
struct td_regex_match {
    size_t begin[TD_REGEX_GROUPS], end[TD_REGEX_GROUPS]; /* begin > end: took no part */
};

/* 0, or TD_E_USAGE (what is wrong with the pattern), TD_E_NOMEM. */
int td_regex_compile(const char *pattern, struct td_regex **regex, struct td_err *err);
void td_regex_free(struct td_regex *regex); /* NULL is allowed */
/* The first match that begins at `from` or later: 1, or 0: there is none. TD_E_LIMIT: it would take too long.
 */
int td_regex_search(const struct td_regex *regex, const char *text, size_t bytes, size_t from,
                    struct td_regex_match *match);
/* The text with every match replaced; $1 .. $99, $&, $`, $' and $$ in the replacement stand for groups, the
 * match, what is before it (behind the match before) and behind it, and a dollar. *result is malloc'ed. 1:
 * there was a match; 0: none, *result is NULL; TD_E_LIMIT, TD_E_NOMEM. */
int td_regex_replace(const struct td_regex *regex, const char *text, const char *replacement, char **result);
#endif
