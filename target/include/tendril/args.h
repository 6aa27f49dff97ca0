/* Arguments of messages and zone texts: each becomes one 32-bit word, formatted on the host. Integers up to
 * 32 bits, pointers (%s of a string constant is looked up in the ELF), float and double (as float). A 64-bit
 * integer does not compile: pass its halves.
 */
#ifndef TENDRIL_ARGS_H
#define TENDRIL_ARGS_H
#include <stdint.h>

static __inline__ uint32_t td_arg_bits(float value)
{
    union {
        float f;
        uint32_t word;
    } u;
    u.f = value;
    return u.word;
}

#define TD_TOO_WIDE "tendril: an argument is 32 bits wide; give a 64-bit integer as two halves"

#ifdef __cplusplus
/* clang-format off */
template <typename T> struct td_arg_of { static uint32_t word(T value) { return (uint32_t)value; } };
template <typename T> struct td_arg_of<T *> { static uint32_t word(T *value) { return (uint32_t)(uintptr_t)value; } };
template <> struct td_arg_of<float> { static uint32_t word(float value) { return td_arg_bits(value); } };
template <> struct td_arg_of<double> { static uint32_t word(double value) { return td_arg_bits((float)value); } };
#define TD_X(type) template <> struct td_arg_of<type> { static uint32_t word(type) __attribute__((error(TD_TOO_WIDE))); };
TD_X(long long)
TD_X(unsigned long long)
#undef TD_X
/* clang-format on */
template <typename T> static inline __attribute__((always_inline)) uint32_t td_arg_word(T value)
{
    return td_arg_of<T>::word(value);
}
#define TD_WORD(x) td_arg_word(x)
#else
static __inline__ uint32_t td_arg_word(uint32_t value)
{
    return value;
}
static __inline__ uint32_t td_arg_double(double value)
{
    return td_arg_bits((float)value);
}
uint32_t td_arg_wide(unsigned long long value) __attribute__((error(TD_TOO_WIDE)));
/* By default a pointer, or an integer of any width: each bit-field has a type of its own. */
/* clang-format off */
#define TD_WORD(x)                                                                                                    \
    _Generic((x), float: td_arg_bits, double: td_arg_double, long long: td_arg_wide, unsigned long long: td_arg_wide, \
             default: td_arg_word)                                                                                    \
    (_Generic((x), float: (x), double: (x), long long: (x), unsigned long long: (x),                                  \
              default: (uint32_t)(uintptr_t)(x)))
/* clang-format on */
#endif

/* Numbers of argument words, and for each its parameters and their names, for functions of the runtime. */
/* clang-format off */
#define TD_ARGUMENT_COUNTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define TD_PARAMETERS_0
#define TD_PARAMETERS_1 , uint32_t a
#define TD_PARAMETERS_2 TD_PARAMETERS_1, uint32_t b
#define TD_PARAMETERS_3 TD_PARAMETERS_2, uint32_t c
#define TD_PARAMETERS_4 TD_PARAMETERS_3, uint32_t d
#define TD_PARAMETERS_5 TD_PARAMETERS_4, uint32_t e
#define TD_PARAMETERS_6 TD_PARAMETERS_5, uint32_t f
#define TD_PARAMETERS_7 TD_PARAMETERS_6, uint32_t g
#define TD_PARAMETERS_8 TD_PARAMETERS_7, uint32_t h
#define TD_PARAMETERS_9
#define TD_NAMES_0
#define TD_NAMES_1 a,
#define TD_NAMES_2 TD_NAMES_1 b,
#define TD_NAMES_3 TD_NAMES_2 c,
#define TD_NAMES_4 TD_NAMES_3 d,
#define TD_NAMES_5 TD_NAMES_4 e,
#define TD_NAMES_6 TD_NAMES_5 f,
#define TD_NAMES_7 TD_NAMES_6 g,
#define TD_NAMES_8 TD_NAMES_7 h,
/* clang-format on */

/* TD_COUNT(0, args): number of arguments, 0 to 8, as one digit, and 9 for 9 to 32. TD_WORDS(count, args): their words,
 * each after a comma. */
/* clang-format off */
#define TD_COUNT_(z, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,     \
                  a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) n
#define TD_COUNT(...) TD_COUNT_(__VA_ARGS__, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,      \
                                8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define TD_WORDS_0(...)
#define TD_WORDS_1(a) , TD_WORD(a)
#define TD_WORDS_2(a, ...) , TD_WORD(a) TD_WORDS_1(__VA_ARGS__)
#define TD_WORDS_3(a, ...) , TD_WORD(a) TD_WORDS_2(__VA_ARGS__)
#define TD_WORDS_4(a, ...) , TD_WORD(a) TD_WORDS_3(__VA_ARGS__)
#define TD_WORDS_5(a, ...) , TD_WORD(a) TD_WORDS_4(__VA_ARGS__)
#define TD_WORDS_6(a, ...) , TD_WORD(a) TD_WORDS_5(__VA_ARGS__)
#define TD_WORDS_7(a, ...) , TD_WORD(a) TD_WORDS_6(__VA_ARGS__)
#define TD_WORDS_8(a, ...) , TD_WORD(a) TD_WORDS_7(__VA_ARGS__)
#define TD_WORDS_9(...) /* refused: tendril/checks.h */
#define TD_WORDS(count, ...) TD_CAT(TD_WORDS_, count)(__VA_ARGS__)
/* clang-format on */

#endif
