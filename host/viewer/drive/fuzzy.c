#include "host/viewer/drive/fuzzy.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#define MOST_TEXT   160 /* characters of the text that are looked at */
#define WORD_START  10
#define CAPITAL     8
#define CONSECUTIVE 12
#define NONE        (INT_MIN / 2)

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* Most names lack a character that was typed. */
static int has_all(const char *text, const char *typed)
{
    for (; *typed; typed++) {
        if (*typed == ' ')
            continue;
        while (*text && lower(*text) != lower(*typed))
            text++;
        if (!*text++)
            return 0;
    }
    return 1;
}

static int bonus_of(const char *text, int at)
{
    if (!at || !isalnum((unsigned char)text[at - 1]))
        return isalnum((unsigned char)text[at]) ? WORD_START : 0;
    return isupper((unsigned char)text[at]) && islower((unsigned char)text[at - 1]) ? CAPITAL : 0;
}

int td_fuzzy_score(const char *text, const char *typed)
{
    /* score[j]: the best one in which the last typed character is at j. */
    int score[MOST_TEXT] = {0}, before[MOST_TEXT];
    const int length = (int)strnlen(text, MOST_TEXT);
    int any = 0, best = 0;
    if (!has_all(text, typed))
        return 0;
    for (; *typed; typed++) {
        if (*typed == ' ')
            continue;
        int earlier = any ? NONE : 0; /* the best that ends before j - 1 */
        memcpy(before, score, sizeof before);
        best = NONE;
        for (int j = 0; j < length; j++) {
            const int next = any && j ? before[j - 1] : NONE;
            score[j] = NONE;
            if (lower(text[j]) == lower(*typed)) {
                const int gap = earlier, joined = next > NONE ? next + CONSECUTIVE : NONE;
                if (gap > NONE || joined > NONE)
                    score[j] = 1 + bonus_of(text, j) + (gap > joined ? gap : joined);
            }
            if (next > earlier)
                earlier = next;
            best = score[j] > best ? score[j] : best;
        }
        any = 1;
    }
    if (!any)
        return 1;
    best = best * 8 - length; /* of equal fits, the shorter name */
    return best > 1 ? best : 1;
}
