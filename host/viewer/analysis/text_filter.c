#include "host/viewer/analysis/text_filter.h"

#include <stddef.h>
#include <string.h>

#define TERM_BYTES 128 /* the rest of a longer term is not looked at */

/* The next term without blanks around it, and what follows it; NULL: there is none. */
static const char *take_term(const char *at, char term[TERM_BYTES], bool *excludes)
{
    for (;;) {
        at += strspn(at, ", \t");
        if (!*at)
            return NULL;
        *excludes = *at == '-';
        at += *excludes;
        size_t bytes = strcspn(at, ",");
        const char *next = at + bytes;
        while (bytes && (at[bytes - 1] == ' ' || at[bytes - 1] == '\t'))
            bytes--;
        bytes = bytes < TERM_BYTES ? bytes : TERM_BYTES - 1;
        memcpy(term, at, bytes);
        term[bytes] = 0;
        at = next;
        if (bytes)
            return next;
    }
}

bool td_text_passes(const char *filter, const char *text, const char *more)
{
    char term[TERM_BYTES];
    bool excludes, wanted = false, found = false;
    while ((filter = take_term(filter, term, &excludes))) {
        const bool contains = strcasestr(text, term) || (more && strcasestr(more, term));
        if (excludes && contains)
            return false;
        wanted |= !excludes;
        found |= !excludes && contains;
    }
    return found || !wanted;
}
