#include "host/base/err.h"
#include "host/device/image/image.h"

#include <stdio.h>
#include <string.h>

/* Wider fields than this are a damaged format, not a wish. */
#define MAX_FIELD 500

struct format_output {
    char *to;
    size_t room, length; /* room without the final NUL */
};

struct format_arguments {
    const uint32_t *at;
    size_t left;
};

/* One conversion: %[flags][width][.precision][length]type */
struct conversion {
    char flags[8];
    int width, precision; /* precision < 0: none */
    int half;             /* number of 'h' */
    char type;
};

static void put_text(struct format_output *o, const char *text, size_t length)
{
    if (length > o->room - o->length)
        length = o->room - o->length;
    memcpy(o->to + o->length, text, length);
    o->length += length;
}

static int take_argument(struct format_arguments *a, uint32_t *value)
{
    if (!a->left)
        return TD_E_FORMAT;
    a->left--;
    *value = *a->at++;
    return 0;
}

/* A decimal number or '*' at *format; clamped. */
static int number(const char **format, struct format_arguments *args)
{
    int value = 0;
    uint32_t word = 0;
    if (**format == '*') {
        ++*format;
        take_argument(args, &word);
        value = (int32_t)word < -MAX_FIELD ? -MAX_FIELD : (int32_t)word;
    }
    for (; **format >= '0' && **format <= '9'; ++*format)
        value = value > MAX_FIELD ? value : value * 10 + (**format - '0');
    return value > MAX_FIELD ? MAX_FIELD : value;
}

/* Parses the conversion after a '%'; returns the text after it. */
static const char *parse_conversion(const char *format, struct conversion *c, struct format_arguments *args)
{
    size_t flags = 0;
    *c = (struct conversion){.precision = -1};
    for (; *format && strchr("-+ #0", *format); format++)
        if (flags < sizeof c->flags - 1 && !strchr(c->flags, *format))
            c->flags[flags++] = *format;
    c->width = number(&format, args);
    if (c->width < 0) {
        c->width = -c->width;
        if (!strchr(c->flags, '-'))
            c->flags[flags] = '-';
    }
    if (*format == '.') {
        format++;
        c->precision = number(&format, args);
    }
    for (; *format && strchr("hlLqjzt", *format); format++)
        c->half += *format == 'h';
    c->type = *format;
    return *format ? format + 1 : format;
}

static void put_string(struct format_output *o, const struct conversion *c, const char *text)
{
    size_t length = c->precision >= 0 ? strnlen(text, (size_t)c->precision) : strlen(text);
    size_t pad = (size_t)c->width > length ? (size_t)c->width - length : 0;
    int left = strchr(c->flags, '-') != NULL;
    for (size_t i = 0; !left && i < pad; i++)
        put_text(o, " ", 1);
    put_text(o, text, length);
    for (size_t i = 0; left && i < pad; i++)
        put_text(o, " ", 1);
}

/* Has the C library format one number: its text is never longer than MAX_FIELD twice, and a float's digits.
 */
static void put_number(struct format_output *o, const struct conversion *c, uint32_t word)
{
    char format[32], text[2 * MAX_FIELD + 64], precision[16] = "";
    int n;
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(format, sizeof format, "%%%s%d%s%c", c->flags, c->width, precision, c->type);
    if (c->width == 0)
        snprintf(format, sizeof format, "%%%s%s%c", c->flags, precision, c->type);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr("feEgGaAF", c->type)) {
        float value;
        memcpy(&value, &word, sizeof value);
        n = snprintf(text, sizeof text, format, (double)value);
    } else if (c->type == 'd' || c->type == 'i') {
        int value = c->half >= 2 ? (int8_t)word : c->half ? (int16_t)word : (int32_t)word;
        n = snprintf(text, sizeof text, format, value);
    } else {
        unsigned value = c->half >= 2 ? (uint8_t)word : c->half ? (uint16_t)word : word;
        n = snprintf(text, sizeof text, format, value);
    }
#pragma GCC diagnostic pop
    if (n > 0)
        put_text(o, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void convert(const struct td_image *image, struct format_output *o, const struct conversion *c,
                    struct format_arguments *args)
{
    uint32_t word;
    char text[16];
    if (take_argument(args, &word)) {
        put_text(o, "<?>", 3);
        return;
    }
    switch (c->type) {
    case 'c':
        text[0] = (char)word;
        text[1] = 0;
        put_string(o, c, text);
        break;
    case 's': {
        const char *constant = image ? td_image_string(image, word) : NULL;
        snprintf(text, sizeof text, "<0x%x>", word);
        put_string(o, c, constant ? constant : text);
        break;
    }
    case 'p':
        snprintf(text, sizeof text, "0x%x", word);
        put_string(o, c, text);
        break;
    default:
        put_number(o, c, word);
    }
}

size_t td_image_format(const struct td_image *image, const char *format, const uint32_t *args, size_t count,
                       char *out, size_t out_bytes)
{
    if (out_bytes == 0)
        return 0;
    struct format_output o = {out, out_bytes - 1, 0};
    struct format_arguments a = {args, count};
    while (*format && o.length < o.room) {
        size_t plain = strcspn(format, "%");
        put_text(&o, format, plain);
        format += plain;
        if (!*format)
            break;
        struct conversion c;
        const char *start = format;
        format = parse_conversion(format + 1, &c, &a);
        if (c.type == '%')
            put_text(&o, "%", 1);
        else if (c.type && strchr("diuxXocpsfFeEgGaA", c.type))
            convert(image, &o, &c, &a);
        else
            put_text(&o, start, (size_t)(format - start));
    }
    out[o.length] = 0;
    return o.length;
}
