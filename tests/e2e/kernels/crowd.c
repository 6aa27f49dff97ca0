/* More markers in one file than a byte counts. */
#include "tendril/tendril.h"

#define MARK(n)                                                                                              \
    {                                                                                                        \
        ZoneScopedN("mark " #n);                                                                             \
    }
#define TEN(n)                                                                                               \
    MARK(n##0)                                                                                               \
    MARK(n##1) MARK(n##2) MARK(n##3) MARK(n##4) MARK(n##5) MARK(n##6) MARK(n##7) MARK(n##8) MARK(n##9)
#define HUNDRED(n)                                                                                           \
    TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

int main(void)
{
    HUNDRED(1)
    HUNDRED(2)
    HUNDRED(3)
    return 0;
}
