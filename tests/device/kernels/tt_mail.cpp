/* BRISC and TRISC0 to 2: nine words from BRISC to each of the others, more than wait at once; their sum comes back. */
#include "ckernel.h"
#include <stdlib.h>

void kernel_main()
{
    constexpr uint32_t words = 9;
#ifdef COMPILE_FOR_TRISC
    uint32_t sum = 0;
    for (uint32_t i = 0; i < words; i++)
        sum = 10 * sum + ckernel::mailbox_read(ckernel::ThreadId::BriscThreadId);
    if (ckernel::mailbox_not_empty(ckernel::ThreadId::BriscThreadId))
        exit(2);
    ckernel::mailbox_write(ckernel::ThreadId::BriscThreadId, sum + COMPILE_FOR_TRISC);
#else
    static const ckernel::ThreadId others[] = {ckernel::UnpackThreadId, ckernel::MathThreadId,
                                               ckernel::PackThreadId};
    for (uint32_t i = 1; i <= words; i++)
        for (ckernel::ThreadId other : others)
            ckernel::mailbox_write(other, i);
    for (uint32_t other = 0; other < 3; other++)
        if (ckernel::mailbox_read(others[other]) != 123456789 + other)
            exit(1);
#endif
}
