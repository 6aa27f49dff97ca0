#include "host/base/nearest.h"

#include <stdbool.h>
#include <string.h>

/* Longer words are nobody's slip. */
#define LETTERS_MOST 40

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Changed, missing, added and swapped letters between two words (optimal string alignment, as git counts). */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LETTERS_MOST + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    size_t m = strlen(a), n = strlen(b);
    for (unsigned j = 0; j <= n; j++)
        last[j] = j;
    for (unsigned i = 1; i <= m; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[n];
}

void td_nearest_offer(struct td_nearest *nearest, const char *name)
{
    size_t letters = strlen(nearest->word), length = strlen(name);
    if (letters < 2 || letters > LETTERS_MOST || length > LETTERS_MOST)
        return;
    bool begins = !strncmp(name, nearest->word, letters);
    unsigned d = begins ? 1 : distance(nearest->word, name);
    if (d > 1 + letters / 6 || d >= length || (nearest->name && d >= nearest->distance))
        return;
    nearest->name = name;
    nearest->distance = d;
}
