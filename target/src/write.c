/* Standard output and error: to the core's track, and nowhere in a build without markers. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#undef errno
extern int errno;

void td_text_write(const char *bytes, uint32_t count);
int _write(int file, const void *bytes, size_t count);

/* No buffers: there is no heap to take them from, and the runtime collects lines. In this file so that only
 * images that write have it. */
static void __attribute__((constructor)) unbuffer(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    setvbuf(stderr, NULL, _IONBF, 0);
}

int _write(int file, const void *bytes, size_t count)
{
    if (file != STDOUT_FILENO && file != STDERR_FILENO) {
        errno = EBADF;
        return -1;
    }
#ifdef TD_PROFILE
    td_text_write(bytes, count);
#endif
    return (int)count;
}
