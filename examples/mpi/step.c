/* One step of a rank on its board: 20 sums, each in a zone. */
#include <tendril/tendril.h>

int main(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 20; i++) {
        ZoneScopedN("sum");
        for (unsigned k = 0; k < 100; k++)
            sum += k;
    }
    return 0;
}
