/* Values of a board description, from their texts. */
#include "host/device/board/board_parse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int td_value_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*text) || strlen(text) > 20)
        return TD_E_FORMAT;
    *value = strtoull(text, &end, 0);
    return *end || *value < min || *value > max ? TD_E_FORMAT : 0;
}

int td_value_name(char *to, size_t bytes, const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= bytes)
        return TD_E_FORMAT;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return TD_E_FORMAT;
    memset(to, 0, bytes);
    memcpy(to, text, length);
    return 0;
}

/* Parses a number below TD_MAX_GRID at *text and moves *text past it. */
static int small(const char **text, uint16_t *value)
{
    const char *p = *text;
    unsigned v = 0;
    if (!isdigit((unsigned char)*p))
        return TD_E_FORMAT;
    for (; isdigit((unsigned char)*p); p++)
        if ((v = v * 10 + (unsigned)(*p - '0')) >= TD_MAX_GRID)
            return TD_E_FORMAT;
    *value = (uint16_t)v;
    *text = p;
    return 0;
}

bool td_number_list_has(const struct td_number_list *list, uint16_t item)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i] == item)
            return true;
    return false;
}

int td_value_number_list(struct td_number_list *list, const char *p)
{
    while (*p) {
        uint16_t first, last;
        if (small(&p, &first))
            return TD_E_FORMAT;
        last = first;
        if (*p == '-' && (p++, small(&p, &last)))
            return TD_E_FORMAT;
        if (last < first)
            return TD_E_FORMAT;
        for (uint16_t i = first; i <= last; i++) {
            if (td_number_list_has(list, i))
                return TD_E_FORMAT;
            list->item[list->count++] = i;
        }
        p += strspn(p, " \t");
        if (*p == ',') {
            p++;
            p += strspn(p, " \t");
            if (!*p)
                return TD_E_FORMAT;
        } else if (*p) {
            return TD_E_FORMAT;
        }
    }
    return 0;
}

int td_value_places(struct td_places *places, const char *p)
{
    for (p += strspn(p, " \t"); *p; p += strspn(p, " \t")) {
        uint16_t x, y;
        if (places->count == TD_MAX_PLACES || small(&p, &x) || *p++ != ',' || small(&p, &y))
            return TD_E_FORMAT;
        if (*p && *p != ' ' && *p != '\t')
            return TD_E_FORMAT;
        places->x[places->count] = x;
        places->y[places->count++] = y;
    }
    return 0;
}

int td_value_choice(const char *choices, const char *text, uint32_t *value)
{
    size_t length = strlen(text);
    for (uint32_t i = 0; *choices; i++) {
        size_t choice = strcspn(choices, "|");
        if (choice == length && memcmp(choices, text, length) == 0) {
            *value = i;
            return 0;
        }
        choices += choice + (choices[choice] == '|');
    }
    return TD_E_FORMAT;
}

int td_value_double(double *to, const char *text, double min, double max)
{
    char *end;
    *to = strtod(text, &end);
    return *end || !(*to >= min && *to <= max) ? TD_E_FORMAT : 0;
}

int td_grid_parse(struct td_grid_size *size, const char *text)
{
    uint16_t width, height;
    if (small(&text, &width) || *text++ != 'x' || small(&text, &height) || *text)
        return TD_E_FORMAT;
    size->width = width;
    size->height = height;
    return width && height ? 0 : TD_E_FORMAT;
}
