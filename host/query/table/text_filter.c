#include "host/query/table/text_filter.h"

#include <stdio.h>
#include <string.h>

#define TERM_BYTES 128 /* the rest of a longer term is not looked at */

/* The next term without blanks around it, and what follows it; NULL: there is none. A term in quotes may have commas,
 * and a minus at its start. */
static const char *take_term(const char *at, char term[TERM_BYTES], bool *excludes)
{
    for (;;) {
        at += strspn(at, ", \t");
        if (!*at)
            return NULL;
        *excludes = *at == '-';
        at += *excludes;
        const char *quoted = *at == '"' ? strchr(at + 1, '"') : NULL;
        at += quoted != NULL;
        size_t bytes = quoted ? (size_t)(quoted - at) : strcspn(at, ",");
        const char *next = quoted ? quoted + 1 : at + bytes;
        while (!quoted && bytes && (at[bytes - 1] == ' ' || at[bytes - 1] == '\t'))
            bytes--;
        bytes = bytes < TERM_BYTES ? bytes : TERM_BYTES - 1;
        memcpy(term, at, bytes);
        term[bytes] = 0;
        at = next;
        if (bytes)
            return next;
    }
}

static bool is_in_one(const char *const *texts, size_t count, const char *term)
{
    for (size_t i = 0; i < count; i++)
        if (texts[i] && strcasestr(texts[i], term))
            return true;
    return false;
}

bool td_texts_pass(const char *filter, const char *const *texts, size_t count)
{
    char term[TERM_BYTES];
    bool excludes, wanted = false, found = false;
    while ((filter = take_term(filter, term, &excludes))) {
        const bool contains = is_in_one(texts, count, term);
        if (excludes && contains)
            return false;
        wanted |= !excludes;
        found |= !excludes && contains;
    }
    return found || !wanted;
}

bool td_text_passes(const char *filter, const char *text, const char *more)
{
    return td_texts_pass(filter, (const char *const[]){text, more}, 2);
}

bool td_text_is_name(const char *filter, const char *name)
{
    char term[TERM_BYTES];
    bool excludes;
    filter = take_term(filter, term, &excludes);
    return filter && !excludes && !strcmp(term, name) && !take_term(filter, term, &excludes);
}

void td_text_of_name(const char *name, char *filter, size_t bytes)
{
    const size_t length = strlen(name);
    const bool quote =
        strchr(name, ',') || *name == '-' || *name == ' ' || (length && name[length - 1] == ' ');
    if (quote && length + 2 < bytes)
        snprintf(filter, bytes, "\"%s\"", name);
    else
        snprintf(filter, bytes, "%s", name);
}
