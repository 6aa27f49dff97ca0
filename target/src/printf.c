/* printf() and its family for cores, in place of newlib's, whose small version knows no 64-bit integers and whose large
 * one needs a heap. All conversions of C11 but %n, %ls and %lc; long double is taken as double. */
#include "target/src/decimal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int _write(int file, const void *bytes, size_t count);

/* Where the text goes: a buffer with a limit, or a file. */
struct printf_output {
    char *to;
    size_t room;
    int file; /* < 0: none */
    char line[64];
    size_t pending;
    int length;
};

struct printf_conversion {
    bool left, plus, space, alternate, zero;
    int width, precision; /* precision < 0: none */
    char length;          /* H: hh, h, l, q: 64 bits, j, z, t, L; 0: none */
    char type;
};

static void flush_line(struct printf_output *o)
{
    if (o->pending)
        _write(o->file, o->line, o->pending);
    o->pending = 0;
}

static void put_char(struct printf_output *o, char c)
{
    if (o->file >= 0) {
        o->line[o->pending++] = c;
        if (o->pending == sizeof o->line)
            flush_line(o);
    } else if ((size_t)o->length < o->room) {
        o->to[o->length] = c;
    }
    o->length++;
}

static void put_many(struct printf_output *o, char c, int count)
{
    while (count-- > 0)
        put_char(o, c);
}

static void put_bytes(struct printf_output *o, const char *bytes, size_t count)
{
    while (count-- > 0)
        put_char(o, *bytes++);
}

/* By bytes: words of bytes that were just stored could be loaded before them (riscv/fence.h). */
static int length_of(const char *text)
{
    int length = 0;
    while (text[length])
        length++;
    return length;
}

/* The sign or 0x, filled up to the width around a body of this length. Returns what is to follow the body. */
static int begin_field(struct printf_output *o, const struct printf_conversion *c, const char *prefix,
                       int body, bool zeros)
{
    const int length = length_of(prefix), fill = c->width - body - length;
    if (!c->left && !zeros)
        put_many(o, ' ', fill);
    put_bytes(o, prefix, (size_t)length);
    if (!c->left && zeros)
        put_many(o, '0', fill);
    return c->left ? fill : 0;
}

static const char *sign_of(const struct printf_conversion *c, bool negative)
{
    return negative ? "-" : c->plus ? "+" : c->space ? " " : "";
}

static void put_integer(struct printf_output *o, const struct printf_conversion *c, uint64_t value,
                        const char *sign)
{
    const char *digits = c->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const unsigned base = c->type == 'o' ? 8 : c->type == 'x' || c->type == 'X' || c->type == 'p' ? 16 : 10;
    const char *prefix = sign;
    char body[24];
    int count = 0;
    if ((c->type == 'p' || c->alternate) && base == 16 && (value || c->type == 'p'))
        prefix = c->type == 'X' ? "0X" : "0x";
    for (; value; value /= base)
        body[count++] = digits[value % base];
    int zeros = (c->precision < 0 ? 1 : c->precision) - count;
    if (base == 8 && c->alternate && zeros < 1)
        zeros = 1;
    const int all = count + (zeros > 0 ? zeros : 0),
              after = begin_field(o, c, prefix, all, c->zero && c->precision < 0);
    put_many(o, '0', zeros);
    while (count > 0)
        put_char(o, body[--count]);
    put_many(o, ' ', after);
}

/* Digit number i from the first one, 0 where there is none. */
static char digit_at(const struct td_decimal *d, int i)
{
    return (char)('0' + (i >= 0 && i < d->count ? d->digits[i] : 0));
}

static void put_fixed(struct printf_output *o, const struct printf_conversion *c, const struct td_decimal *d,
                      const char *sign, int places)
{
    const int whole = d->count && d->point > 0 ? d->point : 1, point = places > 0 || c->alternate;
    const int first = d->count ? d->point : 1; /* digits before the point, may be negative */
    const int after = begin_field(o, c, sign, whole + point + places, c->zero);
    for (int i = 0; i < whole; i++)
        put_char(o, first > 0 ? digit_at(d, i) : '0');
    if (point)
        put_char(o, '.');
    for (int i = 0; i < places; i++)
        put_char(o, digit_at(d, first + i));
    put_many(o, ' ', after);
}

static void put_scientific(struct printf_output *o, const struct printf_conversion *c,
                           const struct td_decimal *d, const char *sign, int places)
{
    const int exponent = d->count ? d->point - 1 : 0, point = places > 0 || c->alternate;
    const unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    const bool is_upper = c->type == 'E' || c->type == 'G';
    const int after = begin_field(o, c, sign, 1 + point + places + (size > 99 ? 5 : 4), c->zero);
    put_char(o, digit_at(d, 0));
    if (point)
        put_char(o, '.');
    for (int i = 1; i <= places; i++)
        put_char(o, digit_at(d, i));
    put_char(o, is_upper ? 'E' : 'e');
    put_char(o, exponent < 0 ? '-' : '+');
    if (size > 99)
        put_char(o, (char)('0' + size / 100));
    put_char(o, (char)('0' + size / 10 % 10));
    put_char(o, (char)('0' + size % 10));
    put_many(o, ' ', after);
}

/* %g: the shorter of both forms, without zeros at its end. */
static void put_general(struct printf_output *o, const struct printf_conversion *c, struct td_decimal *d,
                        const char *sign, int precision)
{
    const int wanted = precision > 0 ? precision : 1;
    td_decimal_round(d, wanted);
    const int exponent = d->count ? d->point - 1 : 0;
    const int kept = c->alternate ? wanted : d->count > 0 ? d->count : 1;
    if (exponent < -4 || exponent >= wanted)
        put_scientific(o, c, d, sign, kept - 1);
    else
        put_fixed(o, c, d, sign, kept - 1 - exponent > 0 ? kept - 1 - exponent : 0);
}

/* %a: the mantissa in hexadecimal. */
static void put_hexadecimal(struct printf_output *o, const struct printf_conversion *c, uint64_t mantissa,
                            int exponent, const char *sign)
{
    const char *digits = c->type == 'A' ? "0123456789ABCDEF" : "0123456789abcdef";
    char prefix[4], power[8];
    int places = 13, length = 0;
    uint64_t fraction = mantissa << 12, lead = mantissa >> 52;
    snprintf(prefix, sizeof prefix, "%s%s", sign, c->type == 'A' ? "0X" : "0x");
    if (c->precision >= 0 && c->precision < 13) {
        const unsigned drop = 52 - 4 * (unsigned)c->precision;
        const uint64_t kept = mantissa >> drop, rest = mantissa & ((UINT64_C(1) << drop) - 1);
        const uint64_t half = UINT64_C(1) << (drop - 1);
        const uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1)));
        lead = rounded << drop >> 52;
        fraction = rounded << drop << 12;
        places = c->precision;
    } else if (c->precision < 0) {
        while (places > 0 && (fraction << 4 * (places - 1)) >> 60 == 0)
            places--;
    } else {
        places = c->precision;
    }
    length = snprintf(power, sizeof power, "%c%+d", c->type == 'A' ? 'P' : 'p', mantissa ? exponent + 52 : 0);
    const int point = places > 0 || c->alternate;
    const int after = begin_field(o, c, prefix, 1 + point + places + length, c->zero);
    put_char(o, (char)('0' + lead));
    if (point)
        put_char(o, '.');
    for (int i = 0; i < places; i++, fraction <<= 4)
        put_char(o, digits[fraction >> 60]);
    put_bytes(o, power, (size_t)length);
    put_many(o, ' ', after);
}

static void put_double(struct printf_output *o, const struct printf_conversion *c, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int raw = (int)(bits >> 52 & 0x7ff), precision = c->precision < 0 ? 6 : c->precision;
    const bool is_upper = c->type >= 'A' && c->type <= 'Z';
    const char *sign = sign_of(c, bits >> 63);
    uint64_t mantissa = bits << 12 >> 12;
    if (raw == 0x7ff) {
        const char *text = mantissa ? (is_upper ? "NAN" : "nan") : is_upper ? "INF" : "inf";
        const int after = begin_field(o, c, sign, 3, false);
        put_bytes(o, text, 3);
        put_many(o, ' ', after);
        return;
    }
    const int exponent = (raw ? raw : 1) - 1075;
    mantissa |= (uint64_t)(raw != 0) << 52;
    if (c->type == 'a' || c->type == 'A') {
        put_hexadecimal(o, c, mantissa, exponent, sign);
        return;
    }
    struct td_decimal *d = td_decimal_make(mantissa, exponent);
    if (c->type == 'f' || c->type == 'F') {
        td_decimal_round(d, d->point + precision);
        put_fixed(o, c, d, sign, precision);
    } else if (c->type == 'e' || c->type == 'E') {
        td_decimal_round(d, precision + 1);
        put_scientific(o, c, d, sign, precision);
    } else {
        put_general(o, c, d, sign, precision);
    }
}

static void put_string(struct printf_output *o, const struct printf_conversion *c, const char *text)
{
    const char *from = text ? text : "(null)";
    size_t count = 0;
    while ((c->precision < 0 || count < (size_t)c->precision) && from[count])
        count++;
    const int after = begin_field(o, c, "", (int)count, false);
    put_bytes(o, from, count);
    put_many(o, ' ', after);
}

struct printf_arguments {
    va_list list;
};

static int64_t next_signed(const struct printf_conversion *c, struct printf_arguments *args)
{
    switch (c->length) {
    case 'q':
    case 'j':
        return va_arg(args->list, int64_t);
    case 'H':
        return (signed char)va_arg(args->list, int);
    case 'h':
        return (short)va_arg(args->list, int);
    default:
        return va_arg(args->list, long);
    }
}

static uint64_t next_unsigned(const struct printf_conversion *c, struct printf_arguments *args)
{
    switch (c->length) {
    case 'q':
    case 'j':
        return va_arg(args->list, uint64_t);
    case 'H':
        return (unsigned char)va_arg(args->list, unsigned);
    case 'h':
        return (unsigned short)va_arg(args->list, unsigned);
    default:
        return va_arg(args->list, unsigned long);
    }
}

static int parse_number(const char **at, struct printf_arguments *args)
{
    int value = 0;
    if (**at == '*') {
        ++*at;
        return va_arg(args->list, int);
    }
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value < INT_MAX / 10 - 1 ? 10 * value + (**at - '0') : value;
    return value;
}

/* What follows a '%'. Returns the text after it. */
static const char *parse_conversion(const char *at, struct printf_conversion *c,
                                    struct printf_arguments *args)
{
    *c = (struct printf_conversion){.precision = -1};
    for (; *at && strchr("-+ #0", *at); at++) {
        c->left |= *at == '-';
        c->plus |= *at == '+';
        c->space |= *at == ' ';
        c->alternate |= *at == '#';
        c->zero |= *at == '0';
    }
    c->width = parse_number(&at, args);
    if (c->width < 0) {
        c->left = true;
        c->width = -c->width;
    }
    if (*at == '.') {
        at++;
        c->precision = parse_number(&at, args);
    }
    if (*at && strchr("hljztL", *at)) {
        c->length = *at++;
        if (c->length == 'h' && *at == 'h')
            c->length = 'H', at++;
        else if (c->length == 'l' && *at == 'l')
            c->length = 'q', at++;
    }
    c->type = *at;
    return *at ? at + 1 : at;
}

static void put_conversion(struct printf_output *o, const struct printf_conversion *c,
                           struct printf_arguments *args)
{
    int64_t value;
    char one;
    switch (c->type) {
    case 'd':
    case 'i':
        value = next_signed(c, args);
        put_integer(o, c, value < 0 ? -(uint64_t)value : (uint64_t)value, sign_of(c, value < 0));
        break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        put_integer(o, c, next_unsigned(c, args), "");
        break;
    case 'p':
        put_integer(o, c, (uintptr_t)va_arg(args->list, void *), "");
        break;
    case 'c':
        one = (char)va_arg(args->list, int);
        value = begin_field(o, c, "", 1, false);
        put_char(o, one);
        put_many(o, ' ', (int)value);
        break;
    case 's':
        put_string(o, c, va_arg(args->list, const char *));
        break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_double(o, c,
                   c->length == 'L' ? (double)va_arg(args->list, long double) : va_arg(args->list, double));
        break;
    case 0:
        break;
    default:
        put_char(o, c->type); /* %% */
    }
}

static int format_all(struct printf_output *o, const char *format, va_list list)
{
    struct printf_arguments args;
    struct printf_conversion c;
    va_copy(args.list, list);
    while (*format) {
        if (*format != '%') {
            put_char(o, *format++);
            continue;
        }
        format = parse_conversion(format + 1, &c, &args);
        put_conversion(o, &c, &args);
    }
    va_end(args.list);
    if (o->file >= 0)
        flush_line(o);
    return o->length;
}

int vsnprintf(char *to, size_t bytes, const char *format, va_list list)
{
    struct printf_output o = {.to = to, .room = bytes ? bytes - 1 : 0, .file = -1};
    const int length = format_all(&o, format, list);
    if (bytes)
        to[(size_t)length < bytes ? (size_t)length : bytes - 1] = 0;
    return length;
}

int vsprintf(char *to, const char *format, va_list list)
{
    return vsnprintf(to, INT_MAX, format, list);
}

int vfprintf(FILE *file, const char *format, va_list list)
{
    struct printf_output o = {.file = file == stderr ? STDERR_FILENO : STDOUT_FILENO};
    return format_all(&o, format, list);
}

int vprintf(const char *format, va_list list)
{
    return vfprintf(stdout, format, list);
}

#define DEFINE(name, ...)                                                                                    \
    {                                                                                                        \
        va_list list;                                                                                        \
        va_start(list, format);                                                                              \
        const int length = name(__VA_ARGS__, format, list);                                                  \
        va_end(list);                                                                                        \
        return length;                                                                                       \
    }

int snprintf(char *to, size_t bytes, const char *format, ...)
    DEFINE(vsnprintf, to, bytes) int sprintf(char *to, const char *format, ...)
        DEFINE(vsprintf, to) int fprintf(FILE *file, const char *format, ...)
            DEFINE(vfprintf, file) int printf(const char *format, ...) DEFINE(vfprintf, stdout)
