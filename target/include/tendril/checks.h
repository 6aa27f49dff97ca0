/* What the compiler checks of a marker: its name is a string literal, and a format fits its arguments. No code.
 *
 * A format is checked as printf's are. In addition an integer of 32 bits may be printed with any length: uint32_t is
 * a long, so `%u` would be an error for it, and `%lu` for an int. If a format has an `l`, its arguments are checked as
 * they are.
 */
#ifndef TENDRIL_CHECKS_H
#define TENDRIL_CHECKS_H
#include "tendril/site.h"

#ifdef __cplusplus
#define TD_ASSERT_(condition, text) static_assert(condition, text)
#else
#define TD_ASSERT_(condition, text) _Static_assert(condition, text)
#endif

#define TD_IS_LITERAL_(text) (__builtin_strncmp(TD_SPELL(text), "\"", 1) == 0)
#define TD_CHECK_NAME(text)                                                                                  \
    TD_ASSERT_(TD_IS_LITERAL_(text),                                                                         \
               "tendril: the name or format of a marker is not an ordinary string literal")

#ifdef TD_NATIVE /* has other types than a core; the same source is checked when it is compiled for one */
#define TD_CHECK_FORMAT(count, ...) ((void)0)
#else

#ifdef __cplusplus
/* Whether a conversion of this format has an `l`. */
constexpr bool td_has_long(const char *format, bool inside = false)
{
    return *format == 0     ? false
           : !inside        ? td_has_long(format + 1, *format == '%')
           : *format == 'l' ? true
                            : td_has_long(format + 1, (*format >= '0' && *format <= '9') || *format == '.' ||
                                                          *format == '-' || *format == '+' ||
                                                          *format == ' ' || *format == '#' || *format == '*');
}
/* clang-format off */
template <bool has_long, bool is_enum, typename T> struct td_checked_as { typedef T type; };
template <bool has_long, typename T> struct td_checked_as<has_long, true, T> { typedef int type; };
template <> struct td_checked_as<false, false, long> { typedef int type; };
template <> struct td_checked_as<false, false, unsigned long> { typedef unsigned int type; };
/* clang-format on */
template <bool has_long, typename T> typename td_checked_as<has_long, __is_enum(T), T>::type td_checked(T);
#define TD_CHECKED_(format, x) td_checked<(TD_IS_LITERAL_(format) ? td_has_long(format) : false)>(x)
extern "C" {
#else
/* Whether a text is in the format as it is spelled, perhaps as two literals ("%" PRIu32). */
#define TD_HAS_(format, text)                                                                                \
    (__builtin_strlen(__builtin_strstr(TD_SPELL(format) text, text)) > sizeof(text) - 1)
#define TD_HAS_L_(format, c) (TD_HAS_(format, c "l") || TD_HAS_(format, c "\" \"l"))
#define TD_HAS_LONG_(format)                                                                                 \
    (TD_HAS_L_(format, "%") || TD_HAS_L_(format, "0") || TD_HAS_L_(format, "1") || TD_HAS_L_(format, "2") || \
     TD_HAS_L_(format, "3") || TD_HAS_L_(format, "4") || TD_HAS_L_(format, "5") || TD_HAS_L_(format, "6") || \
     TD_HAS_L_(format, "7") || TD_HAS_L_(format, "8") || TD_HAS_L_(format, "9") || TD_HAS_L_(format, "*"))
#define TD_CHECKED_(format, x)                                                                               \
    __builtin_choose_expr(_Generic((x), long : 1, unsigned long : 1, default : 0) && !TD_HAS_LONG_(format),  \
                          0, (x))
#endif
int td_format_check(const char *format, ...) __attribute__((format(printf, 1, 2)));
#ifdef __cplusplus
}
#endif

#define TD_CHECK_CALL_(...)                                                                                  \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wformat\"")                              \
        _Pragma("GCC diagnostic error \"-Wformat-extra-args\"")                                              \
            _Pragma("GCC diagnostic ignored \"-Wformat-zero-length\"") if (0)                                \
    {                                                                                                        \
        td_format_check(__VA_ARGS__);                                                                        \
    }                                                                                                        \
    _Pragma("GCC diagnostic pop")
/* TD_CHECK_FORMAT(count, format, args): `count` is TD_COUNT() of the arguments. */
/* clang-format off */
#define TD_ALL_0(f)
#define TD_ALL_1(f, a) , TD_CHECKED_(f, a)
#define TD_ALL_2(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_1(f, __VA_ARGS__)
#define TD_ALL_3(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_2(f, __VA_ARGS__)
#define TD_ALL_4(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_3(f, __VA_ARGS__)
#define TD_ALL_5(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_4(f, __VA_ARGS__)
#define TD_ALL_6(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_5(f, __VA_ARGS__)
#define TD_ALL_7(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_6(f, __VA_ARGS__)
#define TD_ALL_8(f, a, ...) , TD_CHECKED_(f, a) TD_ALL_7(f, __VA_ARGS__)
#define TD_CHECK_UP_TO_8_(count, format, ...) TD_CHECK_CALL_(format TD_CAT(TD_ALL_, count)(format, ##__VA_ARGS__))
#define TD_CHECK_0 TD_CHECK_UP_TO_8_
#define TD_CHECK_1 TD_CHECK_UP_TO_8_
#define TD_CHECK_2 TD_CHECK_UP_TO_8_
#define TD_CHECK_3 TD_CHECK_UP_TO_8_
#define TD_CHECK_4 TD_CHECK_UP_TO_8_
#define TD_CHECK_5 TD_CHECK_UP_TO_8_
#define TD_CHECK_6 TD_CHECK_UP_TO_8_
#define TD_CHECK_7 TD_CHECK_UP_TO_8_
#define TD_CHECK_8 TD_CHECK_UP_TO_8_
#define TD_CHECK_9(...) TD_ASSERT_(0, "tendril: a message or text has more than 8 arguments")
#define TD_CHECK_FORMAT(count, ...) TD_CAT(TD_CHECK_, count)(count, __VA_ARGS__)
/* clang-format on */
#endif

#endif
