/* Regular expressions: PCRE2's, with the options that make them those of ECMAScript, which Tracy's tools
 * take. Bytes, not characters. */
#pragma once
#include "host/base/err.h"

struct td_regex;

/* 0, or TD_E_USAGE (what is wrong with the pattern), TD_E_NOMEM. */
int td_regex_compile(const char *pattern, struct td_regex **regex, struct td_err *err);
void td_regex_free(struct td_regex *regex); /* NULL is allowed */
/* Replaces every match in the text. In the replacement $1 .. $99 are the groups, $& is the match, $` is the
 * text between the match before and this one, $' is the text after it, and $$ is a dollar. *result is
 * malloc'ed. Returns 1: there was a match; 0: none, *result is NULL; TD_E_LIMIT: it would take too long;
 * TD_E_NOMEM. Several threads may use one regex at a time. */
int td_regex_replace(const struct td_regex *regex, const char *text, const char *replacement, char **result);
