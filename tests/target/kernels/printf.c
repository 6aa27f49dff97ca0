/* Formats with the runtime's printf() what the test formats with the host's. */
#include "tests/target/kernels/printf_cases.h"

#include "tendril/tendril.h"

TD_L1 char results[PRINTF_CASES][PRINTF_BYTES];
TD_L1 int lengths[PRINTF_CASES];

int main(void)
{
    int i = 0;
#define TD_X(...) lengths[i] = snprintf(results[i], PRINTF_BYTES, __VA_ARGS__), i++;
    PRINTF_ALL(TD_X)
#undef TD_X
    printf("%lld and %.3f\n", -5000000000ll, 2.5);
    return i == PRINTF_CASES ? 0 : 1;
}
