#include "host/agent/import/import_lines.h"

#include <stdarg.h>
#include <stdio.h>

void td_import_line(const struct td_import_lines *to, bool is_odd, const char *format, ...)
{
    char line[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    to->add(to->self, is_odd, line);
}
