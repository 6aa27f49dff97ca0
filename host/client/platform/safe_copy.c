/* The system copies the memory and reports EFAULT where a read by this process would raise a signal: pages
 * that are not mapped, not readable or past the end of their file, and addresses outside of the address
 * space. */
#include "host/client/platform/safe_copy.h"

#include <stdbool.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define STEP 4096u /* one read ends at a page's end, so it gets all of its bytes or none */

static _Atomic(int) refused; /* the system lacks process_vm_readv() or a filter (seccomp) forbids it */

static size_t step_from(uint64_t address, size_t bytes)
{
    size_t step = STEP - (address & (STEP - 1));
    return step < bytes ? step : bytes;
}

/* Writes the memory into a pipe and reads it back. Each call makes its own pipe: a program may close
 * descriptors that are not its own, and their numbers then belong to its files. */
static int read_through_pipe(uint64_t address, char *to, size_t bytes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return 0;
    while (bytes) {
        const ssize_t step = (ssize_t)step_from(address, bytes);
        /* Not write(): sanitizers check the memory that it reads. */
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

bool td_safe_copy(uint64_t address, void *to, size_t bytes)
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
