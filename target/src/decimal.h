/* Decimal digits of a double, exactly. Private to the runtime. */
#pragma once
#include <stdint.h>

/* The first of `digits` is not 0, nor is the last; all are 0 to 9. The value is 0.DIGITS times 10^point. */
struct td_decimal {
    uint8_t digits[800]; /* a double has at most 767 */
    int count;           /* 0: the value is 0 */
    int point;
};

/* Of mantissa * 2^exponent; mantissa < 2^53, exponent from -1074 to 971. The result is overwritten by the next call. */
struct td_decimal *td_decimal_make(uint64_t mantissa, int exponent);
/* Leaves at most `count` digits, rounded to the nearest, half to even. `count` may be negative. */
void td_decimal_round(struct td_decimal *decimal, int count);
