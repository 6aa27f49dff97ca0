#include "target/src/decimal.h"

#include <stdbool.h>

#define BASE       1000000000u /* nine digits a word */
#define WHOLE      35          /* words before the point: 2^1024 has 309 digits */
#define FRACTION   120         /* and after it: 2^-1074 has 1074 */
#define WHOLE_STEP 29          /* bits by which a word is shifted at once */
#define PART_STEP  9           /* 10^9 is divisible by 2^9 */

static uint32_t words[WHOLE + FRACTION]; /* the most significant first; the point is before words[WHOLE] */
static struct td_decimal decimal;

static void shift_left(unsigned bits)
{
    uint32_t carry = 0;
    for (int i = WHOLE - 1; i >= 0; i--) {
        const uint64_t value = ((uint64_t)words[i] << bits) + carry;
        words[i] = (uint32_t)(value % BASE);
        carry = (uint32_t)(value / BASE);
    }
}

/* From the first word that is not 0 on; returns the number of words up to the last one that is not. */
static int shift_right(int first, int end, unsigned bits)
{
    uint32_t rest = 0;
    for (int i = first; i < end; i++) {
        const uint32_t value = words[i];
        words[i] = (value >> bits) + rest;
        rest = (BASE >> bits) * (value & ((1u << bits) - 1));
    }
    if (rest && end < WHOLE + FRACTION)
        words[end++] = rest;
    return end;
}

static void put_digits(int end)
{
    int point = 9 * WHOLE;
    decimal.count = 0;
    for (int i = 0; i < end; i++) {
        uint32_t unit = BASE / 10;
        for (int k = 0; k < 9; k++, unit /= 10) {
            const uint8_t digit = (uint8_t)(words[i] / unit % 10);
            if (decimal.count == 0 && digit == 0)
                point--;
            else if (decimal.count < (int)sizeof decimal.digits)
                decimal.digits[decimal.count++] = digit;
        }
    }
    decimal.point = point;
    while (decimal.count > 0 && decimal.digits[decimal.count - 1] == 0)
        decimal.count--;
}

struct td_decimal *td_decimal_make(uint64_t mantissa, int exponent)
{
    int first = WHOLE - 2, end = WHOLE;
    for (int i = 0; i < WHOLE + FRACTION; i++)
        words[i] = 0;
    words[WHOLE - 1] = (uint32_t)(mantissa % BASE);
    words[WHOLE - 2] = (uint32_t)(mantissa / BASE);
    for (int left = exponent; left > 0; left -= WHOLE_STEP)
        shift_left((unsigned)(left < WHOLE_STEP ? left : WHOLE_STEP));
    for (int right = -exponent; right > 0; right -= PART_STEP) {
        while (first < end && words[first] == 0)
            first++;
        end = shift_right(first, end, (unsigned)(right < PART_STEP ? right : PART_STEP));
    }
    put_digits(end);
    return &decimal;
}

void td_decimal_round(struct td_decimal *d, int count)
{
    if (count >= d->count)
        return;
    bool up = false;
    if (count >= 0) {
        const bool tie = d->digits[count] == 5 && d->count == count + 1;
        const bool odd = count > 0 && d->digits[count - 1] % 2;
        up = d->digits[count] > 5 || (d->digits[count] == 5 && (!tie || odd));
    }
    d->count = count > 0 ? count : 0;
    while (up && d->count > 0 && d->digits[d->count - 1] == 9)
        d->count--;
    if (up && d->count > 0) {
        d->digits[d->count - 1]++;
    } else if (up) {
        d->digits[0] = 1;
        d->count = 1;
        d->point++;
    }
    while (d->count > 0 && d->digits[d->count - 1] == 0)
        d->count--;
}
