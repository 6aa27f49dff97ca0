/* Reading memory that may be gone: source locations and texts of libraries that were unloaded. */
#include "host/client/client.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEP 4096u /* what is read at once ends at a page's end, so that all of it is there or nothing */

static _Atomic(int) refused; /* the system does not let us ask: then memory is taken as it is */

int td_peek(uint64_t address, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};
    if (!atomic_load_explicit(&refused, memory_order_relaxed)) {
        ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (n == (ssize_t)bytes)
            return 1;
        if (n >= 0 || errno == EFAULT)
            return 0;
        atomic_store(&refused, 1);
    }
    memcpy(to, there.iov_base, bytes);
    return 1;
}

size_t td_peek_text(uint64_t address, char *to, size_t room)
{
    size_t have = 0;
    while (have < room) {
        size_t step = STEP - ((address + have) & (STEP - 1));
        if (step > room - have)
            step = room - have;
        if (!td_peek(address + have, to + have, step))
            return have;
        size_t text = strnlen(to + have, step);
        have += text;
        if (text < step)
            break;
    }
    return have;
}
