#include "host/agent/import/importer.h"

#include <stdarg.h>
#include <stdio.h>

static const struct td_importer *const importers[] = {
#define TD_X(name) &td_import_##name,
    TD_IMPORTERS(TD_X)
#undef TD_X
};

const struct td_importer *td_importer_at(size_t number)
{
    return number < sizeof importers / sizeof *importers ? importers[number] : NULL;
}

const struct td_importer *td_importer_of(const uint8_t *bytes, size_t count)
{
    const struct td_importer *importer;
    for (size_t i = 0; (importer = td_importer_at(i)) != NULL; i++)
        if (importer->begins(bytes, count))
            return importer;
    return NULL;
}

void td_import_line(const struct td_import_lines *to, bool is_odd, const char *format, ...)
{
    char line[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    to->add(to->self, is_odd, line);
}
