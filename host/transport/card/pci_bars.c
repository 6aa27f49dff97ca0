/* The BARs of a PCI device: maps pieces of them, guarded against SIGBUS, until the device is closed. */
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/transport/card/pci.h"
#include "host/transport/link/sigbus_guard.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096 };

void *td_pci_map(struct td_pci *pci, int bar, uint64_t offset, uint64_t bytes, int combined,
                 struct td_err *err)
{
    int fd = combined ? pci->fd_combined[bar] : pci->fd[bar];
    if (fd < 0 || offset % PAGE_BYTES || bytes == 0 || offset > pci->bar_bytes[bar] ||
        bytes > pci->bar_bytes[bar] - offset) {
        td_fail(err, TD_E_NOTFOUND, "%s has no 0x%llx bytes of memory at 0x%llx of BAR %d", pci->address,
                (unsigned long long)bytes, (unsigned long long)offset, bar);
        return NULL;
    }
    if (td_grow(&pci->pieces, &pci->piece_room, pci->piece_count + 1, sizeof *pci->pieces)) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    void *map =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(pci->bar_offset[bar] + offset));
    if (map == MAP_FAILED) {
        const char *why = errno == EPERM ? "; kernel lockdown or a strict /dev/mem forbids it"
                          : errno == EBUSY || errno == EINVAL ? "; a driver has it"
                                                              : "";
        td_fail_errno(err, "cannot map BAR %d of %s%s", bar, pci->address, why);
        return NULL;
    }
    int guard = td_sigbus_guard_add(map, bytes, err);
    if (guard < 0) {
        munmap(map, bytes);
        return NULL;
    }
    td_debug(card, "%s: BAR %d, 0x%llx bytes at 0x%llx mapped%s", pci->address, bar,
             (unsigned long long)bytes, (unsigned long long)offset, combined ? ", write-combined" : "");
    pci->pieces[pci->piece_count++] = (struct td_pci_piece){map, bytes, guard};
    return map;
}

bool td_pci_hit(const struct td_pci *pci)
{
    for (size_t i = 0; i < pci->piece_count; i++)
        if (td_sigbus_guard_hit(pci->pieces[i].guard))
            return true;
    return false;
}

void td_pci_close(struct td_pci *pci)
{
    if (!pci)
        return;
    for (size_t i = 0; i < pci->piece_count; i++) {
        td_sigbus_guard_remove(pci->pieces[i].guard);
        munmap(pci->pieces[i].map, pci->pieces[i].bytes);
    }
    for (int i = 0; i < TD_PCI_BARS; i++) {
        /* With VFIO all BARs have the one descriptor `handle`. */
        if (pci->fd[i] >= 0 && pci->fd[i] != pci->handle)
            close(pci->fd[i]);
        if (pci->fd_combined[i] >= 0)
            close(pci->fd_combined[i]);
    }
    const int rest[] = {pci->handle, pci->group, pci->container};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (rest[i] >= 0)
            close(rest[i]);
    free(pci->pieces);
    free(pci);
}
