#include "host/device/board/adapt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines that are put on top of a description. */
struct lines {
    char text[8192];
    size_t used;
};

static void add(struct lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct lines *l, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, list);
    va_end(list);
    l->used = n > 0 && (size_t)n < sizeof l->text - l->used ? l->used + (size_t)n : sizeof l->text - 1;
}

static void add_list(struct lines *l, const char *section, uint32_t mask)
{
    if (!mask)
        return;
    add(l, "[%s]\nharvested=", section);
    for (uint32_t i = 0, first = 1; i < 32; i++)
        if (mask >> i & 1) {
            add(l, "%s%u", first ? "" : ",", i);
            first = 0;
        }
    add(l, "\n");
}

/* `list` has the columns or rows that work first. Bit i: the i-th one of all is harvested. */
static uint32_t described_mask(const uint16_t *list, uint32_t work, uint32_t all)
{
    uint32_t mask = 0;
    for (uint32_t h = work; h < all; h++) {
        uint32_t rank = 0;
        for (uint32_t i = 0; i < all; i++)
            rank += list[i] < list[h];
        mask |= UINT32_C(1) << (rank & 31);
    }
    return mask;
}

static int adapt_chip(const struct td_board *b, uint32_t chip, const struct td_chip_identity *who,
                      struct lines *l, struct td_err *err)
{
    const struct td_chip_desc *c = &b->chip[chip];
    if (who->pci_device && !td_board_has_pci_id(b, b->pci_vendor, who->pci_device))
        return td_fail(err, TD_E_USAGE, "the simulation has another kind of chip (device %04x) than board %s",
                       who->pci_device, b->name);
    const uint32_t described = described_mask(c->column_x, c->columns, b->all_columns) |
                               described_mask(c->row_y, c->rows, b->all_rows);
    if (described && described != who->tensix)
        return td_fail(
            err, TD_E_USAGE,
            "chip %u has harvest_mask=0x%x by the description of board %s, but 0x%x by the simulation", chip,
            described, b->name, who->tensix);
    if (who->tensix && !described)
        add(l, "[chip %u]\nharvest_mask=0x%x\n", chip, who->tensix);
    return 0;
}

/* The only base is the description itself. */
static char *read_base(void *self, const char *name, const char *from, char *origin, size_t bytes,
                       struct td_err *err)
{
    (void)name, (void)from;
    char *text = strdup(self);
    snprintf(origin, bytes, "description");
    if (!text)
        td_fail_no_memory(err, "for a description");
    return text;
}

int td_board_adapt(struct td_board *board, char **text, const char *grid, struct td_transport *t,
                   struct td_err *err)
{
    struct td_chip_identity who = {0};
    struct lines lines = {.used = 0};
    int rc = 0;
    if (!t->ops->chip_identity)
        return 0;
    for (uint32_t chip = 0; rc == 0 && chip < board->chips; chip++) {
        rc = t->ops->chip_identity(t, (uint16_t)chip, &who, err);
        rc = rc ? rc : adapt_chip(board, chip, &who, &lines, err);
    }
    if (rc)
        return rc;
    add_list(&lines, "dram", who.dram); /* the same for all chips of a description */
    add_list(&lines, "ethernet", who.ethernet);
    add_list(&lines, "pcie", who.pcie);
    if (board->translated_addresses && !who.translated)
        add(&lines, "[noc]\naddresses=noc0\n");
    if (!lines.used)
        return 0;
    char name[sizeof board->name], whole[sizeof lines.text + 100], *flat = NULL;
    snprintf(name, sizeof name, "%s", board->name);
    snprintf(whole, sizeof whole, "[board]\nbase=described\nname=%s\n%s", name, lines.text);
    struct td_err why = {0};
    rc = td_board_parse_based(board, whole, "the chip's own words", grid,
                              &(struct td_board_bases){read_base, *text}, &flat, &why);
    if (rc)
        return td_fail(err, rc, "what the chip says about itself does not fit board %s: %s", name, why.text);
    free(*text);
    *text = flat;
    return 0;
}
