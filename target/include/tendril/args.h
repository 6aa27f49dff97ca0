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

#ifdef __cplusplus
/* clang-format off */
template <typename T> struct td_arg_of { static uint32_t word(T value) { return (uint32_t)value; } };
template <typename T> struct td_arg_of<T *> { static uint32_t word(T *value) { return (uint32_t)(uintptr_t)value; } };
template <> struct td_arg_of<float> { static uint32_t word(float value) { return td_arg_bits(value); } };
template <> struct td_arg_of<double> { static uint32_t word(double value) { return td_arg_bits((float)value); } };
template <> struct td_arg_of<long long>; /* 64-bit arguments do not fit a word */
template <> struct td_arg_of<unsigned long long>;
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
static __inline__ uint32_t td_arg_pointer(const volatile void *value)
{
    return (uint32_t)(uintptr_t)value;
}
static __inline__ uint32_t td_arg_double(double value)
{
    return td_arg_bits((float)value);
}
uint32_t td_arg_wide(unsigned long long value)
    __attribute__((error("tendril: an argument is 32 bits wide; give a 64-bit integer as two halves")));
#define TD_WORD(x)                                                                                           \
    _Generic((x), float                                                                                      \
             : td_arg_bits, double                                                                           \
             : td_arg_double, long long                                                                      \
             : td_arg_wide, unsigned long long                                                               \
             : td_arg_wide, _Bool                                                                            \
             : td_arg_word, char                                                                             \
             : td_arg_word, signed char                                                                      \
             : td_arg_word, unsigned char                                                                    \
             : td_arg_word, short                                                                            \
             : td_arg_word, unsigned short                                                                   \
             : td_arg_word, int                                                                              \
             : td_arg_word, unsigned int                                                                     \
             : td_arg_word, long                                                                             \
             : td_arg_word, unsigned long                                                                    \
             : td_arg_word, default                                                                          \
             : td_arg_pointer)(x)
#endif

/* TD_COUNT(0, args): number of arguments, 0 to 8, as one digit. TD_WORDS(count, args): their words, each
 * after a comma. */
/* clang-format off */
#define TD_COUNT_(z, a, b, c, d, e, f, g, h, n, ...) n
#define TD_COUNT(...) TD_COUNT_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define TD_WORDS_0(...)
#define TD_WORDS_1(a) , TD_WORD(a)
#define TD_WORDS_2(a, ...) , TD_WORD(a) TD_WORDS_1(__VA_ARGS__)
#define TD_WORDS_3(a, ...) , TD_WORD(a) TD_WORDS_2(__VA_ARGS__)
#define TD_WORDS_4(a, ...) , TD_WORD(a) TD_WORDS_3(__VA_ARGS__)
#define TD_WORDS_5(a, ...) , TD_WORD(a) TD_WORDS_4(__VA_ARGS__)
#define TD_WORDS_6(a, ...) , TD_WORD(a) TD_WORDS_5(__VA_ARGS__)
#define TD_WORDS_7(a, ...) , TD_WORD(a) TD_WORDS_6(__VA_ARGS__)
#define TD_WORDS_8(a, ...) , TD_WORD(a) TD_WORDS_7(__VA_ARGS__)
#define TD_WORDS(count, ...) TD_CAT(TD_WORDS_, count)(__VA_ARGS__)
/* clang-format on */

#endif
