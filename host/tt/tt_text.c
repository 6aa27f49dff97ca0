#include "host/tt/tt_text.h"

#include <math.h>

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct td_tt_text td_tt_text_trim(struct td_tt_text text)
{
    while (text.bytes && is_white(text.at[text.bytes - 1]))
        text.bytes--;
    while (text.bytes && is_white(*text.at)) {
        text.at++;
        text.bytes--;
    }
    return text;
}

bool td_tt_text_is_name(struct td_tt_text text, const char *string)
{
    size_t i = 0;
    while (i < text.bytes && string[i] && lower_case(text.at[i]) == lower_case(string[i]))
        i++;
    return i == text.bytes && !string[i];
}

/* Without ".0" or ".000" at the end. */
static struct td_tt_text whole_part(struct td_tt_text text)
{
    size_t bytes = text.bytes;
    while (bytes && text.at[bytes - 1] == '0')
        bytes--;
    if (bytes > 1 && bytes < text.bytes && text.at[bytes - 1] == '.')
        text.bytes = bytes - 1;
    return text;
}

bool td_tt_text_u64(struct td_tt_text text, uint64_t *value)
{
    uint64_t sum = 0;
    size_t i = 0;
    for (; i < text.bytes && i < 19 && is_digit(text.at[i]); i++)
        sum = sum * 10 + (uint64_t)(text.at[i] - '0');
    if (i == text.bytes && i) {
        *value = sum;
        return true;
    }
    const struct td_tt_text whole = whole_part(text);
    for (i = 0, sum = 0; i < whole.bytes && is_digit(whole.at[i]); i++) {
        const uint64_t digit = (uint64_t)(whole.at[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return i && i == whole.bytes;
}

bool td_tt_text_u32(struct td_tt_text text, uint32_t *value)
{
    uint64_t wide;
    if (!td_tt_text_u64(text, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool td_tt_text_i64(struct td_tt_text text, int64_t *value)
{
    uint64_t size;
    const bool negative = text.bytes && *text.at == '-';
    if (negative) {
        text.at++;
        text.bytes--;
    }
    if (!td_tt_text_u64(text, &size) || size > INT64_MAX)
        return false;
    *value = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* strtod() would read the decimal point of the locale. A result is off by at most a few units of the last
 * place, which no figure of these files shows. */
bool td_tt_text_double(struct td_tt_text text, double *value)
{
    size_t i = 0, digits = 0;
    double sum = 0;
    int scale = 0, exponent = 0;
    const bool negative = text.bytes && *text.at == '-';
    if (text.bytes && (*text.at == '-' || *text.at == '+'))
        i++;
    for (bool point = false; i < text.bytes && (is_digit(text.at[i]) || (text.at[i] == '.' && !point)); i++) {
        if (text.at[i] == '.') {
            point = true;
            continue;
        }
        sum = sum * 10 + (text.at[i] - '0');
        scale -= point;
        digits++;
    }
    if (digits && i + 1 < text.bytes && (text.at[i] == 'e' || text.at[i] == 'E')) {
        const bool minus = text.at[++i] == '-';
        i += minus || text.at[i] == '+';
        const size_t from = i;
        for (; i < text.bytes && is_digit(text.at[i]) && exponent < 10000; i++)
            exponent = exponent * 10 + (text.at[i] - '0');
        if (i == from)
            return false;
        exponent = minus ? -exponent : exponent;
    }
    const int power = scale + exponent;
    sum = power < 0 ? sum / pow(10, -power) : sum * pow(10, power);
    *value = negative ? -sum : sum;
    return digits && i == text.bytes && isfinite(sum);
}
