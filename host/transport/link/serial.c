#include "host/transport/link/serial.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/link.h"
#include "host/transport/link/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_BAUD  "115200"
#define BITS_PER_BYTE 10 /* on the line: start, eight, stop */

/* X(baud) */
#define BAUDS(X)                                                                                             \
    X(1200)                                                                                                  \
    X(2400)                                                                                                  \
    X(4800)                                                                                                  \
    X(9600)                                                                                                  \
    X(19200)                                                                                                 \
    X(38400)                                                                                                 \
    X(57600)                                                                                                 \
    X(115200)                                                                                                \
    X(230400)                                                                                                \
    X(460800)                                                                                                \
    X(500000)                                                                                                \
    X(921600)                                                                                                \
    X(1000000)                                                                                               \
    X(1500000)                                                                                               \
    X(2000000)                                                                                               \
    X(3000000)                                                                                               \
    X(4000000)

static const struct {
    const char *text;
    uint32_t baud;
    speed_t speed;
} speeds[] = {
#define X(baud) {#baud, baud, B##baud},
    BAUDS(X)
#undef X
};

int td_serial_raw(int fd)
{
    struct termios t;
    if (tcgetattr(fd, &t))
        return TD_E_IO;
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    t.c_cflag &= ~(tcflag_t)(CRTSCTS | CSTOPB);
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    return tcsetattr(fd, TCSANOW, &t) ? TD_E_IO : 0;
}

static int set_line_up(int fd, speed_t speed)
{
    struct termios t;
    if (td_serial_raw(fd) || tcgetattr(fd, &t))
        return TD_E_IO;
    cfsetispeed(&t, speed);
    cfsetospeed(&t, speed);
    if (tcsetattr(fd, TCSANOW, &t))
        return TD_E_IO;
    return tcflush(fd, TCIOFLUSH) ? TD_E_IO : 0; /* bytes of an earlier host */
}

/* A descriptor of the device, or an error. Waits for the device to appear. */
static int open_device(const char *path, int wait_ms, struct td_err *err)
{
    const int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    int fd;
    while ((fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        td_debug(line, "serial:%s: %s", path, strerror(errno));
        if ((errno != ENOENT && errno != ENXIO && errno != EIO) || td_mono_ns() >= until)
            return td_fail(err, errno == ENOENT ? TD_E_NOTFOUND : TD_E_IO, "cannot open serial:%s: %s", path,
                           errno == EBUSY ? "another program has it open" : strerror(errno));
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        return td_fail(err, TD_E_USAGE, "cannot open serial:%s: another program has it open", path);
    }
    return fd;
}

struct td_link *td_serial_link(const char *where, int wait_ms, struct td_err *err)
{
    char path[200];
    const char *comma = strrchr(where, ','), *baud = comma ? comma + 1 : DEFAULT_BAUD;
    size_t length = comma ? (size_t)(comma - where) : strlen(where), i = 0;
    while (i < sizeof speeds / sizeof *speeds && strcmp(speeds[i].text, baud) != 0)
        i++;
    if (i == sizeof speeds / sizeof *speeds || length == 0 || length >= sizeof path) {
        td_fail(err, TD_E_USAGE, "serial:%s: %s", where,
                length && length < sizeof path ? "no such baud rate" : "no such device");
        return NULL;
    }
    memcpy(path, where, length);
    path[length] = 0;
    int fd = open_device(path, wait_ms, err);
    if (fd < 0)
        return NULL;
    if (set_line_up(fd, speeds[i].speed)) {
        td_fail_errno(err, "serial:%s is not a serial line", path);
        close(fd);
        return NULL;
    }
    td_debug(line, "serial:%s: opened at %u baud", path, speeds[i].baud);
    char name[220];
    snprintf(name, sizeof name, "serial:%s", path);
    return td_stream_link(fd, name, speeds[i].baud / BITS_PER_BYTE, err);
}

struct td_transport *td_serial_open(const char *where, int wait_ms, struct td_err *err)
{
    struct td_link *link = td_serial_link(where, wait_ms, err);
    return link ? td_remote_open(link, "serial", err) : NULL;
}
