#include "host/tools/csv/csv.h"

#include <ctype.h>
#include <string.h>

bool csv_is_chosen(const struct csv *c, const char *name)
{
    size_t bytes = strlen(c->filter);
    for (; strlen(name) >= bytes; name++) {
        size_t i = 0;
        while (i < bytes &&
               (c->case_sensitive ? name[i] == c->filter[i]
                                  : tolower((unsigned char)name[i]) == tolower((unsigned char)c->filter[i])))
            i++;
        if (i == bytes)
            return true;
        if (!*name)
            break;
    }
    return false;
}
