/* Reading memory that may be gone: source locations and texts of libraries that were unloaded. Memory is only
 * read by the system, which reports EFAULT where this process would be ended by a signal: pages that are not
 * mapped, may not be read, or lie beyond the end of their file, and addresses that no process has. */
#include "host/client/platform/safe_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEP 4096u /* what is read at once ends at a page's end, so that all of it is there or nothing */

static _Atomic(int) refused; /* process_vm_readv() is not there or not allowed (seccomp) */

static size_t step_from(uint64_t address, size_t bytes)
{
    size_t step = STEP - (address & (STEP - 1));
    return step < bytes ? step : bytes;
}

/* The way for all systems: what is written into a pipe comes out of it again. A pipe for each call, because
 * the program may close descriptors that are not its own and open files in their places. No pipe: refused. */
static int read_through_pipe(uint64_t address, char *to, size_t bytes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return 0;
    while (bytes) {
        const ssize_t step = (ssize_t)step_from(address, bytes);
        /* Not write(): sanitizers look at what it is to read. */
        if (syscall(SYS_write, ends[1], (const void *)(uintptr_t)address, (size_t)step) != step ||
            read(ends[0], to, (size_t)step) != step)
            break;
        address += (uint64_t)step;
        to += step;
        bytes -= (size_t)step;
    }
    close(ends[0]);
    close(ends[1]);
    return bytes == 0;
}

int td_safe_copy(uint64_t address, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};
    if (!atomic_load_explicit(&refused, memory_order_relaxed)) {
        ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (n >= 0 || errno == EFAULT)
            return n == (ssize_t)bytes;
        if (errno == ENOSYS || errno == EPERM || errno == EACCES)
            atomic_store(&refused, 1);
    }
    return read_through_pipe(address, to, bytes);
}

size_t td_safe_copy_text(uint64_t address, char *to, size_t room)
{
    size_t have = 0;
    while (have < room) {
        size_t step = step_from(address + have, room - have);
        if (!td_safe_copy(address + have, to + have, step))
            return have;
        size_t text = strnlen(to + have, step);
        have += text;
        if (text < step)
            break;
    }
    return have;
}
