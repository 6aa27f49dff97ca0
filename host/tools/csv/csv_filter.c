#include "host/tools/csv/csv.h"

#include <ctype.h>
#include <string.h>

static bool contains(const struct csv *c, const char *text, const char *part)
{
    size_t bytes = strlen(part);
    for (; strlen(text) >= bytes; text++) {
        size_t i = 0;
        while (i < bytes &&
               (c->case_sensitive ? text[i] == part[i]
                                  : tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])))
            i++;
        if (i == bytes)
            return true;
        if (!*text)
            break;
    }
    return false;
}

bool csv_is_chosen(const struct csv *c, const char *name)
{
    return contains(c, name, c->filter);
}

bool csv_is_text_chosen(const struct csv *c, const char *text)
{
    return contains(c, text, c->text);
}
