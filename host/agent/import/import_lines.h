/* The lines that an importer reports. */
#pragma once
#include <stdbool.h>

/* Takes the lines of a summary, and those about what was odd in the file. */
struct td_import_lines {
    void (*add)(void *self, bool is_odd, const char *line);
    void *self;
};
__attribute__((format(printf, 3, 4))) void td_import_line(const struct td_import_lines *to, bool is_odd,
                                                          const char *format, ...);
