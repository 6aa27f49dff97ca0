/* Regular expressions: PCRE2's, with the options that make them those of ECMAScript, which is what Tracy's
 * tools take. Bytes, not characters. */
#ifndef TD_HOST_BASE_REGEX_H
#define TD_HOST_BASE_REGEX_H
#include "host/base/err.h"

struct td_regex;

/* 0, or TD_E_USAGE (what is wrong with the pattern), TD_E_NOMEM. */
int td_regex_compile(const char *pattern, struct td_regex **regex, struct td_err *err);
void td_regex_free(struct td_regex *regex); /* NULL is allowed */
/* The text with every match replaced; $1 .. $99, $&, $`, $' and $$ in the replacement stand for groups, the
 * match, what is before it (behind the match before) and behind it, and a dollar. *result is malloc'ed. 1:
 * there was a match; 0: none, *result is NULL; TD_E_LIMIT: it would take too long; TD_E_NOMEM. */
int td_regex_replace(const struct td_regex *regex, const char *text, const char *replacement, char **result);
#endif
