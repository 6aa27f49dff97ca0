#include "host/base/plain_text.h"
#include "host/tools/info/info.h"

#include <stdio.h>
#include <string.h>

/* Prints the first line of a text, shortened or padded to `width`. */
void info_print_cell(const char *text, int width)
{
    int bytes = (int)strcspn(text, "\n");
    if (bytes > width) {
        for (width -= 3; width > 0 && (text[width] & 0xc0) == 0x80; width--) /* whole characters */
            ;
        td_plain_print(stdout, text, (size_t)width);
        fputs("...", stdout);
    } else {
        td_plain_print(stdout, text, (size_t)bytes);
        printf("%*s", width - bytes, "");
    }
}

void info_print_more(size_t hidden)
{
    if (hidden)
        printf("  ... %zu more (--all)\n", hidden);
}
