/* Windows of a card without the vendor's driver: this process points them, by registers in BAR 0. */
#include "host/base/debug_log.h"
#include "host/transport/card/pci.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, REGISTER_BAR = 0 };

struct pci_windows {
    struct td_windows base;
    struct td_pci *pci;
    struct td_window_kind kinds[TD_WINDOWS_MAX_KINDS];
    uint32_t used[TD_WINDOWS_MAX_KINDS];                /* windows of a kind that were handed out */
    volatile uint32_t *registers[TD_WINDOWS_MAX_KINDS]; /* of the kind's first window */
    volatile uint32_t *asked;                           /* a register that was written last */
};

/* A window's number within its kind and the kind, in one. */
static uint32_t id_of(uint32_t kind, uint32_t index)
{
    return kind << 24 | index;
}

static int window_add(struct td_windows *w, uint32_t kind, struct td_window *window, struct td_err *err)
{
    struct pci_windows *c = (struct pci_windows *)w;
    if (w->kinds == 0)
        return td_fail(err, TD_E_USAGE, "the windows of %s are unknown: name its board with -b",
                       c->pci->address);
    const struct td_window_kind *k = &c->kinds[kind];
    if (c->used[kind] == k->count)
        return TD_E_LIMIT;
    uint64_t at = k->bar_offset + c->used[kind] * k->bytes;
    void *uc = td_pci_map(c->pci, (int)k->bar, at, k->bytes, 0, err);
    if (!uc)
        return err && err->code ? err->code : TD_E_IO;
    *window = (struct td_window){.id = id_of(kind, c->used[kind]), .bytes = k->bytes, .uc = uc};
    if (c->pci->fd_combined[k->bar] >= 0)
        window->wc = td_pci_map(c->pci, (int)k->bar, at, k->bytes, 1, NULL);
    c->used[kind]++;
    return TD_OK;
}

static int window_point(struct td_windows *w, const struct td_window *window,
                        const struct td_window_target *target, struct td_err *err)
{
    struct pci_windows *c = (struct pci_windows *)w;
    uint32_t words[TD_WINDOW_MAX_WORDS], kind = window->id >> 24;
    if (target->tile.chip != 0)
        return td_fail(err, TD_E_USAGE, "%s is one chip; chip %u cannot be reached through it",
                       c->pci->address, target->tile.chip);
    int count = td_window_encode(&c->kinds[kind], target, words, err);
    if (count <= 0)
        return count;
    volatile uint32_t *at =
        c->registers[kind] + (size_t)(window->id & 0xffffff) * c->kinds[kind].register_bytes / 4;
    for (int i = 0; i < count; i++)
        at[i] = words[i];
    /* Read back, so that later accesses go to the new target. */
    c->asked = at;
    if (at[count - 1] != words[count - 1])
        return td_fail(err, TD_E_GONE, "%s does not keep its windows' targets: it was unplugged or reset",
                       c->pci->address);
    return TD_OK;
}

static int windows_alive(struct td_windows *w, struct td_err *err)
{
    const struct pci_windows *c = (const struct pci_windows *)w;
    if (td_pci_hit(c->pci) || (c->asked && c->asked[0] == UINT32_MAX && c->asked[1] == UINT32_MAX))
        return td_fail(err, TD_E_GONE, "%s does not answer any more (all ones): it was unplugged or reset",
                       c->pci->address);
    return TD_OK;
}

static int map_registers(struct pci_windows *c, uint32_t kind, struct td_err *err)
{
    const struct td_window_kind *k = &c->kinds[kind];
    uint64_t first = k->registers + (uint64_t)k->first_index * k->register_bytes;
    uint64_t page = first / PAGE_BYTES * PAGE_BYTES;
    uint64_t end = first + (uint64_t)k->count * k->register_bytes;
    uint64_t bytes = (end - page + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    char *map = td_pci_map(c->pci, REGISTER_BAR, page, bytes, 0, err);
    if (!map)
        return err && err->code ? err->code : TD_E_IO;
    c->registers[kind] = (volatile uint32_t *)(void *)(map + (first - page));
    return TD_OK;
}

static int windows_setup(struct td_windows *w, const struct td_transport_setup *setup, struct td_err *err)
{
    struct pci_windows *c = (struct pci_windows *)w;
    if (w->kinds)
        return TD_OK;
    const int described = td_window_kinds(setup, c->pci->address, c->kinds, err);
    if (described < 0)
        return described;
    uint32_t count = 0;
    for (int i = 0; i < described; i++) {
        const struct td_window_kind k = c->kinds[i];
        /* A card may have its large windows in a BAR that this machine gave no room. */
        td_debug(card, "%s: %u windows of 0x%llx bytes in BAR %u%s", c->pci->address, k.count,
                 (unsigned long long)k.bytes, k.bar,
                 k.bar < TD_PCI_BARS && c->pci->fd[k.bar] < 0 ? ", which is not there: not used" : "");
        if (k.count && k.count < 1u << 24 && k.bar < TD_PCI_BARS && c->pci->fd[k.bar] >= 0)
            c->kinds[count++] = k;
    }
    for (uint32_t i = 0; i < count; i++) {
        int rc = map_registers(c, i, err);
        if (rc)
            return rc;
        w->bytes[i] = c->kinds[i].bytes;
    }
    w->kinds = count;
    return count ? TD_OK
                 : td_fail(err, TD_E_NOTFOUND, "%s has none of the BARs in which its windows are",
                           c->pci->address);
}

static void windows_close(struct td_windows *w)
{
    struct pci_windows *c = (struct pci_windows *)w;
    td_pci_close(c->pci);
    free(c);
}

static const struct td_window_ops pci_ops = {.add = window_add,
                                             .point = window_point,
                                             .alive = windows_alive,
                                             .setup = windows_setup,
                                             .close = windows_close};

struct td_windows *td_pci_windows(struct td_pci *pci, struct td_err *err)
{
    struct pci_windows *c = calloc(1, sizeof *c);
    if (!c) {
        td_fail_no_memory(err, NULL);
        td_pci_close(pci);
        return NULL;
    }
    c->base.ops = &pci_ops;
    c->base.path = pci->address;
    c->pci = pci;
    return &c->base;
}
