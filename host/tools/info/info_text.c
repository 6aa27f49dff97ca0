#include "host/base/plain_text.h"
#include "host/tools/info/info.h"

#include <stdio.h>
#include <string.h>

const char *info_duration(char *to, size_t bytes, double ns)
{
    if (ns < 1e3)
        snprintf(to, bytes, "%.0f ns", ns);
    else if (ns < 1e6)
        snprintf(to, bytes, "%.2f us", ns / 1e3);
    else if (ns < 1e9)
        snprintf(to, bytes, "%.2f ms", ns / 1e6);
    else
        snprintf(to, bytes, "%.3f s", ns / 1e9);
    return to;
}

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
