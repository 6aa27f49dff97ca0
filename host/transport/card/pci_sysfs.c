/* PCI devices as sysfs shows them. */
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/card/pci.h"
#include "proto/pcie/tenstorrent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* `digits` hexadecimal digits, then `end`. */
static int take_hex(const char **text, int digits, char end, unsigned *value)
{
    const char *at = *text;
    *value = 0;
    for (int i = 0; i < digits; i++, at++) {
        char c = *at;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return 0;
        *value = *value * 16 + (unsigned)digit;
    }
    if (*at != end)
        return 0;
    *text = at + (end != 0);
    return 1;
}

int td_pci_parse_address(const char *text, char address[TD_PCI_ADDRESS_LEN], struct td_err *err)
{
    unsigned domain = 0, bus, slot, function;
    const char *at = text;
    if (strlen(text) > 7 && !take_hex(&at, 4, ':', &domain))
        at = "";
    if (!take_hex(&at, 2, ':', &bus) || !take_hex(&at, 2, '.', &slot) || !take_hex(&at, 1, 0, &function) ||
        slot > 31 || function > 7)
        return td_fail(err, TD_E_USAGE, "'%.40s' is no PCI device; write it as 0000:01:00.0", text);
    snprintf(address, TD_PCI_ADDRESS_LEN, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, slot, function);
    return TD_OK;
}

int td_pci_parse_number(const char *text, size_t bytes, uint64_t *value)
{
    char copy[40];
    size_t n = 0;
    while (n < bytes && text[n] && text[n] != '\n')
        n++;
    if (n == 0 || n >= sizeof copy || text[0] < '0' || text[0] > '9')
        return TD_E_FORMAT;
    memcpy(copy, text, n);
    copy[n] = 0;
    char *end;
    errno = 0;
    *value = strtoull(copy, &end, copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X') ? 16 : 10);
    return *end || errno ? TD_E_FORMAT : TD_OK;
}

static int read_number(const struct td_pci *pci, const char *name, uint64_t *value)
{
    char path[260], text[64];
    snprintf(path, sizeof path, "%s/%s", pci->folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return TD_E_NOTFOUND;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    return n > 0 ? td_pci_parse_number(text, (size_t)n, value) : TD_E_FORMAT;
}

struct td_pci *td_pci_find(const char *root, const char *address, int wait_ms, struct td_err *err)
{
    struct td_pci *pci = calloc(1, sizeof *pci);
    if (!pci) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    snprintf(pci->address, sizeof pci->address, "%s", address);
    snprintf(pci->folder, sizeof pci->folder, "%s/bus/pci/devices/%s", root, address);
    pci->group = pci->container = pci->handle = -1;
    for (int i = 0; i < TD_PCI_BARS; i++)
        pci->fd[i] = pci->fd_combined[i] = -1;
    int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    while (access(pci->folder, F_OK) && td_mono_ns() < until)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    uint64_t vendor, device;
    if (access(pci->folder, F_OK)) {
        td_fail(err, TD_E_NOTFOUND, "there is no PCI device %s", address);
    } else if (read_number(pci, "vendor", &vendor) || read_number(pci, "device", &device)) {
        td_fail(err, TD_E_FORMAT, "PCI device %s has no vendor and device number in sysfs", address);
    } else {
        pci->vendor = (uint32_t)vendor;
        pci->device = (uint32_t)device;
        td_debug(card, "%s is a device of kind %04x:%04x", pci->folder, pci->vendor, pci->device);
        return pci;
    }
    td_pci_close(pci);
    return NULL;
}

void td_pci_driver(const struct td_pci *pci, char *name, size_t bytes)
{
    char path[260], target[260];
    snprintf(path, sizeof path, "%s/driver", pci->folder);
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(target, '/');
    snprintf(name, bytes, "%.*s", (int)bytes - 1, slash ? slash + 1 : target);
}

static int check_driver(const struct td_pci *pci, struct td_err *err)
{
    char driver[64];
    td_pci_driver(pci, driver, sizeof driver);
    td_debug(card, "%s: driver %s", pci->address, *driver ? driver : "(none)");
    if (strcmp(driver, "vfio-pci") == 0)
        return td_fail(err, TD_E_USAGE, "%s is bound to vfio-pci; open it as pci:%s/vfio", pci->address,
                       pci->address);
    if (*driver && pci->vendor == TD_TT_PCI_VENDOR)
        return td_fail(err, TD_E_USAGE,
                       "driver %s has %s; open the board as tenstorrent:N, or unbind it: echo %s > "
                       "/sys/bus/pci/drivers/%s/unbind",
                       driver, pci->address, pci->address, driver);
    return TD_OK;
}

/* Memory accesses are off in a device that no driver has enabled. */
static void enable(const struct td_pci *pci)
{
    char path[260];
    uint64_t enabled = 0;
    if (read_number(pci, "enable", &enabled) || enabled)
        return;
    snprintf(path, sizeof path, "%s/enable", pci->folder);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t written = write(fd, "1", 1);
    td_debug(card, "%s was disabled; writing 1 to %s %s", pci->address, path,
             written == 1 ? "worked" : "failed");
    (void)written; /* the first read shows whether it worked */
    close(fd);
}

static int open_bar(struct td_pci *pci, int bar, struct td_err *err)
{
    char path[260];
    struct stat st;
    snprintf(path, sizeof path, "%s/resource%d", pci->folder, bar);
    pci->fd[bar] = open(path, O_RDWR | O_CLOEXEC);
    if (pci->fd[bar] < 0 && errno == ENOENT)
        return TD_OK;
    if (pci->fd[bar] < 0 && (errno == EACCES || errno == EPERM))
        return td_fail(err, TD_E_IO, "%s: only root may open %s", pci->address, path);
    if (pci->fd[bar] < 0 || fstat(pci->fd[bar], &st))
        return td_fail_errno(err, "cannot open %s", path);
    pci->bar_bytes[bar] = (uint64_t)st.st_size;
    snprintf(path, sizeof path, "%s/resource%d_wc", pci->folder, bar);
    pci->fd_combined[bar] = open(path, O_RDWR | O_CLOEXEC);
    td_debug(card, "%s: BAR %d has 0x%llx bytes%s", pci->address, bar,
             (unsigned long long)pci->bar_bytes[bar],
             pci->fd_combined[bar] >= 0 ? ", can be write-combined" : "");
    return TD_OK;
}

int td_pci_use_sysfs(struct td_pci *pci, struct td_err *err)
{
    int rc = check_driver(pci, err), any = 0;
    for (int i = 0; rc == 0 && i < TD_PCI_BARS; i++) {
        rc = open_bar(pci, i, err);
        any |= pci->fd[i] >= 0;
    }
    if (rc == 0 && !any)
        rc = td_fail(err, TD_E_NOTFOUND, "%s has no memory BAR", pci->address);
    if (rc)
        return rc;
    enable(pci);
    /* Two processes would point the same windows at different tiles. */
    if (pci->vendor == TD_TT_PCI_VENDOR && pci->fd[0] >= 0 && flock(pci->fd[0], LOCK_EX | LOCK_NB))
        return td_fail(err, TD_E_USAGE, "another process has %s open", pci->address);
    return TD_OK;
}
