/* Compiled twice, with different names. */
#include "tests/e2e/kernels/shared.hpp"

extern "C" void FUNCTION(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        ZoneScopedN(NAME);
        shared<OTHERS>(1);
    }
}
