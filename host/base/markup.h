/* Writes text from outside into XML and HTML. What it writes is one piece of text there: in content, and in
 * attribute values in double or single quotes. Bytes that are not UTF-8, and characters that XML does not allow
 * (control characters, U+FFFE, U+FFFF), become U+FFFD, as do those that change how a line reads (plain_text.h). Newlines and tabs are written as references, so that an
 * attribute keeps them. Thread-safe on distinct streams. The functions report no errors: the caller checks the
 * stream at the end. */
#pragma once
#include <stddef.h>
#include <stdio.h>

void td_markup_text(FILE *to, const char *text);
/* At most `max_bytes` of the text, whole characters; after a cut, an ellipsis. */
void td_markup_cut(FILE *to, const char *text, size_t max_bytes);
