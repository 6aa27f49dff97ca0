/* DPRINT("pages {} at {:#x}\n", pages, address), by tt-metal's form of 2026: text with {} for each argument. C++.
 *
 * {} or {n}, and after a colon: fill and < > ^, # (0x, 0b), 0 and width, .digits, and d x X b o c s f e g. {{ and }}
 * are braces. Text without an end of the line waits for more. CTSTR("text") is a text. */
#ifndef TENDRIL_API_DEBUG_FORMAT_H
#define TENDRIL_API_DEBUG_FORMAT_H
#include "api/debug/dprint_stream.h"

#include <type_traits>

#define CTSTR(literal) (literal)

/* Formats of small floats, by tt-metal's names. An element of a block has the block's exponent, and a sign and bits
 * of its own. */
struct bf16_t {
    uint16_t val;
    bf16_t() = default;
    bf16_t(uint16_t bits) : val(bits)
    {
    }
};
template <int BITS> struct td_block_float {
    union {
        struct {
            uint8_t exponent, mantissa;
        };
        uint16_t val;
    };
    td_block_float(uint16_t both) : val(both)
    {
    }
    td_block_float(uint8_t exponent_of_block, uint8_t own) : exponent(exponent_of_block), mantissa(own)
    {
    }
    float value() const
    {
        float result = static_cast<float>(mantissa & ((1 << (BITS - 1)) - 1)) / (1 << (BITS - 2));
        for (int power = exponent; power > 127; power--)
            result *= 2;
        for (int power = exponent; power < 127; power++)
            result /= 2;
        return mantissa >> (BITS - 1) & 1 ? -result : result;
    }
};
using bf4_t = td_block_float<4>;
using bf8_t = td_block_float<8>;

struct td_format_item {
    enum { number, real, text, object } kind;
    uint64_t bits; /* of a number */
    bool is_negative, is_bool, is_char;
    float value;
    const char *string;
    const void *of; /* what DPRINT << prints */
    void (*print)(td_print &, const void *);
};

template <typename T> static inline void td_format_object_(td_print &to, const void *of)
{
    to << *static_cast<const T *>(of);
}

template <typename T> static inline td_format_item td_format_value_of_(const T &from)
{
    using V = std::decay_t<T>;
    td_format_item value = {};
    if constexpr (std::is_same_v<V, const char *> || std::is_same_v<V, char *>) {
        value.kind = td_format_item::text;
        value.string = from;
    } else if constexpr (std::is_floating_point_v<V>) {
        value.kind = td_format_item::real;
        value.value = static_cast<float>(from);
    } else if constexpr (std::is_same_v<V, td_print_f32>) {
        value.kind = td_format_item::real;
        value.value = from.value;
    } else if constexpr (std::is_same_v<V, bf4_t> || std::is_same_v<V, bf8_t>) {
        value.kind = td_format_item::real;
        value.value = from.value();
    } else if constexpr (std::is_same_v<V, bf16_t>) {
        value.kind = td_format_item::real;
        value.value = BF16(from.val).value;
    } else if constexpr (std::is_pointer_v<V>) {
        value.bits = reinterpret_cast<uintptr_t>(from);
    } else if constexpr (std::is_enum_v<V>) {
        value.bits = static_cast<uint64_t>(static_cast<std::underlying_type_t<V>>(from));
    } else if constexpr (std::is_integral_v<V>) {
        const V number = from; /* also of a volatile, or of a packed field */
        value.is_bool = std::is_same_v<std::remove_cv_t<V>, bool>;
        value.is_char = std::is_same_v<std::remove_cv_t<V>, char>;
        if constexpr (std::is_signed_v<V>)
            value.is_negative = number < 0;
        value.bits = value.is_negative ? 0 - static_cast<uint64_t>(static_cast<int64_t>(number))
                                       : static_cast<uint64_t>(number);
    } else {
        value.kind = td_format_item::object;
        value.of = &from;
        value.print = td_format_object_<T>;
    }
    return value;
}

struct td_format_spec {
    char fill = ' ', align = 0, type = 0;
    bool is_alternate = false;
    uint32_t width = 0;
    int32_t digits = -1;

    /* What comes after the colon, up to the brace. */
    const char *read(const char *at)
    {
        const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^'; };
        if (*at && is_align(at[1])) {
            fill = *at;
            align = at[1];
            at += 2;
        } else if (is_align(*at)) {
            align = *at++;
        }
        if (*at == '#') {
            is_alternate = true;
            at++;
        }
        if (*at == '0' && !align) {
            fill = '0';
            align = '=';
            at++;
        }
        for (; *at >= '0' && *at <= '9'; at++)
            width = width * 10 + static_cast<uint32_t>(*at - '0');
        width = width > 64 ? 64 : width;
        if (*at == '.') {
            digits = 0;
            for (at++; *at >= '0' && *at <= '9'; at++)
                digits = digits * 10 + (*at - '0');
        }
        if (*at && *at != '}')
            type = *at++;
        while (*at && *at != '}')
            at++;
        return at;
    }
};

static inline void td_format_padded_(const td_print &to, const td_format_spec &spec, const char *sign,
                                     uint32_t sign_bytes, const char *text, uint32_t bytes, char usual)
{
    const uint32_t all = sign_bytes + bytes, pad = spec.width > all ? spec.width - all : 0;
    const char align = spec.align ? spec.align : usual;
    const uint32_t before = align == '<' || align == '=' ? 0 : align == '^' ? pad / 2 : pad;
    for (uint32_t i = 0; i < before; i++)
        to.text(&spec.fill, 1);
    to.text(sign, sign_bytes);
    for (uint32_t i = 0; align == '=' && i < pad; i++)
        to.text("0", 1);
    to.text(text, bytes);
    for (uint32_t i = 0; align != '=' && i < pad - before; i++)
        to.text(&spec.fill, 1);
}

static inline void td_format_number_(const td_print &to, const td_format_spec &spec,
                                     const td_format_item &value)
{
    if (value.is_bool && !spec.type)
        return td_format_padded_(to, spec, "", 0, value.bits ? "true" : "false", value.bits ? 4 : 5, '<');
    if (value.is_char && (!spec.type || spec.type == 'c')) {
        const char c = static_cast<char>(value.bits);
        return td_format_padded_(to, spec, "", 0, &c, 1, '<');
    }
    const uint32_t base = spec.type == 'x' || spec.type == 'X' ? 16
                          : spec.type == 'b'                   ? 2
                          : spec.type == 'o'                   ? 8
                                                               : 10;
    char digits[64], sign[3] = {};
    uint32_t at = sizeof digits, sign_bytes = 0;
    uint64_t rest = value.bits;
    do {
        digits[--at] = (spec.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[rest % base];
        rest /= base;
    } while (rest);
    if (value.is_negative)
        sign[sign_bytes++] = '-';
    if (spec.is_alternate && base != 10) {
        sign[sign_bytes++] = '0';
        if (base != 8)
            sign[sign_bytes++] = spec.type;
    }
    td_format_padded_(to, spec, sign, sign_bytes, digits + at, sizeof digits - at, '>');
}

static inline void td_format_one_(td_print &to, const td_format_spec &spec, const td_format_item &value)
{
    uint32_t bytes = 0;
    switch (value.kind) {
    case td_format_item::number:
        td_format_number_(to, spec, value);
        break;
    case td_format_item::real: {
        const uint8_t digits = to.digits, width = to.width;
        to.digits = spec.digits >= 0 ? static_cast<uint8_t>(spec.digits > 18 ? 18 : spec.digits) : digits;
        to.width = 0;
        to.real(value.value);
        to.digits = digits;
        to.width = width;
        break;
    }
    case td_format_item::text:
        while (value.string[bytes])
            bytes++;
        td_format_padded_(to, spec, "", 0, value.string, bytes, '<');
        break;
    default:
        value.print(to, value.of);
    }
}

static inline void td_format_(td_print &to, const char *format, const td_format_item *values, uint32_t count)
{
    uint32_t next = 0;
    for (const char *at = format; *at;) {
        if ((*at == '{' || *at == '}') && at[1] == *at) {
            to.text(at, 1);
            at += 2;
        } else if (*at == '{') {
            td_format_spec spec;
            uint32_t number = 0;
            bool has_number = false;
            for (at++; *at >= '0' && *at <= '9'; at++, has_number = true)
                number = number * 10 + static_cast<uint32_t>(*at - '0');
            at = spec.read(*at == ':' ? at + 1 : at);
            if (*at)
                at++;
            number = has_number ? number : next++;
            if (number < count)
                td_format_one_(to, spec, values[number]);
            else
                to.text("{?}", 3); /* there is no such argument */
        } else {
            const char *begin = at;
            while (*at && *at != '{' && *at != '}')
                at++;
            if (at == begin)
                at++;
            to.text(begin, static_cast<uint32_t>(at - begin));
        }
    }
}

template <typename... Args> void td_print::operator()(const char *format, const Args &...args)
{
    const td_format_item values[sizeof...(Args) + 1] = {td_format_value_of_(args)..., {}};
    td_format_(*this, format, values, sizeof...(Args));
}

#ifdef TD_PROFILE
#define DEVICE_PRINT(format, ...) td_print_state(format, ##__VA_ARGS__)
#else
#define DEVICE_PRINT(format, ...) ((void)0)
#endif
#define DEVICE_PRINT_DATA0(format, ...)  DPRINT_DATA0(DEVICE_PRINT(format, ##__VA_ARGS__))
#define DEVICE_PRINT_DATA1(format, ...)  DPRINT_DATA1(DEVICE_PRINT(format, ##__VA_ARGS__))
#define DEVICE_PRINT_UNPACK(format, ...) DPRINT_UNPACK(DEVICE_PRINT(format, ##__VA_ARGS__))
#define DEVICE_PRINT_MATH(format, ...)   DPRINT_MATH(DEVICE_PRINT(format, ##__VA_ARGS__))
#define DEVICE_PRINT_PACK(format, ...)   DPRINT_PACK(DEVICE_PRINT(format, ##__VA_ARGS__))

#endif
