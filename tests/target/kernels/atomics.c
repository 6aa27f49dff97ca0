/* C's atomic objects. */
#include <stdatomic.h>

#include "tendril/tendril.h"

static atomic_int counter = 3;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic unsigned char byte;

int main(void)
{
    int expected = 3;
    const _Bool swapped = atomic_compare_exchange_strong(&counter, &expected, 10);
    const int before = atomic_fetch_sub(&counter, 1);
    atomic_store(&byte, 255);
    byte++;
    const _Bool was_set = atomic_flag_test_and_set(&flag);
    TD_LOG("%d %d %d %d %d %d", swapped, before, atomic_load(&counter), byte, was_set,
           atomic_flag_test_and_set(&flag));
    return atomic_exchange(&counter, 1);
}
