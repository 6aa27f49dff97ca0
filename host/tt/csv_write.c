#include "host/tt/csv_write.h"

void td_csv_write_value(FILE *to, struct td_tt_text value)
{
    const bool quoted = value.bytes && memchr(value.at, '"', value.bytes);
    if (quoted)
        putc('"', to);
    for (size_t i = 0; i < value.bytes; i++) {
        const char c = value.at[i];
        if (c == '"')
            putc('"', to);
        if (c != '\r')
            putc(c == ',' ? ';' : c == '\n' ? ' ' : c, to);
    }
    if (quoted)
        putc('"', to);
}
