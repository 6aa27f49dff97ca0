/* DPRINT << "tile " << i << ENDL(); by tt-metal's names: a line becomes a message on the core's track.
 *
 * A line ends with ENDL() or "\n". Without markers it prints nothing, and its arguments are not evaluated.
 * HEX(), DEC(), OCT(), SETW(n), SETPRECISION(n), FIXED(), DEFAULTFLOAT(), F32(x), BF16(x), U32(x) ... are as
 * in tt-metal. DPRINT_UNPACK, DPRINT_MATH and DPRINT_PACK print on TRISC0, TRISC1 and TRISC2, DPRINT_DATA0
 * and DPRINT_DATA1 on BRISC and NCRISC. */
#ifndef TENDRIL_API_DEBUG_DPRINT_STREAM_H
#define TENDRIL_API_DEBUG_DPRINT_STREAM_H
#include <stdint.h>

#ifdef TD_PROFILE
extern "C" void td_text_write(const char *bytes, uint32_t count);
#endif

struct td_print_endl {
};
enum class td_print_base : uint8_t { octal = 8, decimal = 10, hexadecimal = 16 };
struct td_print_width {
    uint8_t width;
};
struct td_print_precision {
    uint8_t digits;
};
struct td_print_f32 {
    float value;
};

static inline td_print_endl ENDL()
{
    return {};
}
static inline td_print_base HEX()
{
    return td_print_base::hexadecimal;
}
static inline td_print_base DEC()
{
    return td_print_base::decimal;
}
static inline td_print_base OCT()
{
    return td_print_base::octal;
}
static inline td_print_width SETW(uint8_t width, bool = true)
{
    return {width};
}
static inline td_print_precision SETPRECISION(uint8_t digits)
{
    return {digits};
}
static inline td_print_precision FIXED()
{
    return {4};
}
static inline td_print_precision DEFAULTFLOAT()
{
    return {4};
}
static inline td_print_f32 F32(float value)
{
    return {value};
}
static inline td_print_f32 BF16(uint16_t bits)
{
    union {
        uint32_t word;
        float value;
    } both = {static_cast<uint32_t>(bits) << 16};
    return {both.value};
}
static inline uint32_t U32(uint32_t value)
{
    return value;
}
static inline uint16_t U16(uint16_t value)
{
    return value;
}
static inline uint32_t U8(uint8_t value)
{
    return value;
}
static inline int32_t I32(int32_t value)
{
    return value;
}

/* Passes text on as it comes; the runtime puts lines together. */
struct td_print {
    uint8_t base, width, digits;

    template <typename... Args> void operator()(const char *format, const Args &...args); /* format.h */

    void text(const char *from, uint32_t bytes) const
    {
#ifdef TD_PROFILE
        td_text_write(from, bytes);
#else
        (void)from, (void)bytes;
#endif
    }

    void number(uint64_t value, bool negative)
    {
        char digits_of[24];
        uint32_t at = sizeof digits_of;
        do {
            digits_of[--at] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value);
        if (negative)
            digits_of[--at] = '-';
        for (uint32_t i = sizeof digits_of - at; i < width; i++)
            text(" ", 1);
        text(digits_of + at, sizeof digits_of - at);
    }

    /* With a fixed number of decimals, rounded. */
    void real(float value)
    {
        uint64_t scale = 1;
        if (value != value || value - value != 0) {
            text(value != value ? "nan" : value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
            return;
        }
        for (uint8_t i = 0; i < digits; i++)
            scale *= 10;
        const bool negative = value < 0;
        const double scaled =
            (negative ? -static_cast<double>(value) : value) * static_cast<double>(scale) + 0.5;
        if (scaled >= 1.8e19) {
            text(negative ? "-inf" : "huge", 4);
            return;
        }
        const uint64_t whole = static_cast<uint64_t>(scaled);
        const uint8_t base_before = base;
        base = 10;
        number(whole / scale, negative);
        if (digits) {
            char decimals[20];
            uint64_t rest = whole % scale;
            for (uint8_t i = digits; i > 0; i--, rest /= 10)
                decimals[i] = static_cast<char>('0' + rest % 10);
            decimals[0] = '.';
            text(decimals, digits + 1u);
        }
        base = base_before;
    }
};

static inline td_print &operator<<(td_print &to, const char *string)
{
    uint32_t bytes = 0;
    while (string[bytes])
        bytes++;
    to.text(string, bytes);
    return to;
}
static inline td_print &operator<<(td_print &to, char c)
{
    to.text(&c, 1);
    return to;
}
static inline td_print &operator<<(td_print &to, bool value)
{
    to.number(value, false);
    return to;
}
#define TD_PRINT_UNSIGNED(type)                                                                              \
    static inline td_print &operator<<(td_print &to, type value)                                             \
    {                                                                                                        \
        to.number(value, false);                                                                             \
        return to;                                                                                           \
    }
#define TD_PRINT_SIGNED(type)                                                                                \
    static inline td_print &operator<<(td_print &to, type value)                                             \
    {                                                                                                        \
        to.number(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value), value < 0);   \
        return to;                                                                                           \
    }
TD_PRINT_UNSIGNED(unsigned char)
TD_PRINT_UNSIGNED(unsigned short)
TD_PRINT_UNSIGNED(unsigned int)
TD_PRINT_UNSIGNED(unsigned long)
TD_PRINT_UNSIGNED(unsigned long long)
TD_PRINT_SIGNED(signed char)
TD_PRINT_SIGNED(short)
TD_PRINT_SIGNED(int)
TD_PRINT_SIGNED(long)
TD_PRINT_SIGNED(long long)
static inline td_print &operator<<(td_print &to, float value)
{
    to.real(value);
    return to;
}
static inline td_print &operator<<(td_print &to, td_print_f32 value)
{
    to.real(value.value);
    return to;
}
static inline td_print &operator<<(td_print &to, td_print_endl)
{
    to.text("\n", 1);
    return to;
}
static inline td_print &operator<<(td_print &to, td_print_base base)
{
    to.base = static_cast<uint8_t>(base);
    return to;
}
static inline td_print &operator<<(td_print &to, td_print_width width)
{
    to.width = width.width;
    return to;
}
static inline td_print &operator<<(td_print &to, td_print_precision precision)
{
    to.digits = precision.digits > 18 ? 18 : precision.digits;
    return to;
}

static td_print td_print_state __attribute__((unused)) = {10, 0, 4};

#ifdef TD_PROFILE
#define DPRINT td_print_state
#else
#define DPRINT                                                                                               \
    if (true) {                                                                                              \
    } else                                                                                                   \
        td_print_state
#endif
#if defined(COMPILE_FOR_BRISC)
#define DPRINT_DATA0(x) x
#else
#define DPRINT_DATA0(x)
#endif
#if defined(COMPILE_FOR_NCRISC)
#define DPRINT_DATA1(x) x
#else
#define DPRINT_DATA1(x)
#endif
#if defined(COMPILE_FOR_TRISC) && COMPILE_FOR_TRISC == 0
#define DPRINT_UNPACK(x) x
#else
#define DPRINT_UNPACK(x)
#endif
#if defined(COMPILE_FOR_TRISC) && COMPILE_FOR_TRISC == 1
#define DPRINT_MATH(x) x
#else
#define DPRINT_MATH(x)
#endif
#if defined(COMPILE_FOR_TRISC) && COMPILE_FOR_TRISC == 2
#define DPRINT_PACK(x) x
#else
#define DPRINT_PACK(x)
#endif

#endif
