/* Checks that tiles do not contradict each other: chips and their harvesting, the logical grid, tiles of
 * other kinds. */
#include "host/device/board/board_parse.h"

#include <string.h>

/* One axis of a chip's grid. */
struct axis {
    const struct td_number_list *all, *harvested;
    int all_mark, harvested_mark;
    uint32_t limit; /* of the NoC */
    const char *one;
    const struct td_number_list *order; /* of the harvested ones; */
    bool from_last;                     /* from its last item on */
};

/* Fills `to`: first the columns or rows that work, then the harvested ones. */
static int remove_harvested(const struct td_board_text *t, const struct axis *a, uint16_t *to, uint32_t *left,
                            struct td_err *err)
{
    uint32_t behind = 0;
    for (uint32_t i = 0; i < a->harvested->count; i++)
        if (!td_number_list_has(a->all, a->harvested->item[i]))
            return td_board_refuse(t, a->harvested_mark, err, "harvested %s %u is none of the board's %ss",
                                   a->one, a->harvested->item[i], a->one);
    *left = 0;
    for (uint32_t i = 0; i < a->all->count; i++) {
        if (a->all->item[i] >= a->limit)
            return td_board_refuse(t, a->all_mark, err, "%s %u is outside the NoC", a->one, a->all->item[i]);
        if (!td_number_list_has(a->harvested, a->all->item[i]))
            to[(*left)++] = a->all->item[i];
    }
    if (*left == 0)
        return td_board_refuse(t, a->harvested_mark ? a->harvested_mark : a->all_mark, err,
                               "no %s is left for cores", a->one);
    for (uint32_t i = 0; i < a->order->count; i++) {
        const uint16_t item = a->order->item[a->from_last ? a->order->count - 1 - i : i];
        if (td_number_list_has(a->harvested, item))
            to[*left + behind++] = item;
    }
    return 0;
}

/* The list that a mask describes: bit i is item i of `order`. */
static int list_of_mask(const struct td_board_text *t, uint64_t mask, const struct td_number_list *order,
                        int mark, struct td_number_list *list, struct td_err *err)
{
    list->count = 0;
    if (order->count < 64 && mask >> order->count)
        return td_board_refuse(t, mark, err, "the mask names more %s than the %u that there are",
                               t->harvest_axis ? "rows" : "columns", order->count);
    for (uint32_t i = 0; i < order->count; i++)
        if (mask >> i & 1)
            list->item[list->count++] = order->item[i];
    return 0;
}

static int check_harvest_order(const struct td_board_text *t, struct td_err *err)
{
    const struct td_number_list *all = t->harvest_axis ? &t->rows : &t->columns;
    int mark = t->at[TD_KEY_HARVEST_ORDER], same = t->harvest_order.count == all->count;
    if (t->harvested_last && !mark)
        return td_board_refuse(t, t->at[TD_KEY_HARVESTED_LAST], err, "by_fuses wants harvest_order");
    if (!mark)
        return 0;
    if (!t->at[TD_KEY_HARVEST_AXIS])
        return td_board_refuse(t, mark, err, "harvest_order wants harvest_axis");
    for (uint32_t i = 0; i < all->count && same; i++)
        same = td_number_list_has(&t->harvest_order, all->item[i]);
    if (!same)
        return td_board_refuse(t, mark, err, "harvest_order does not name each of %s once",
                               t->harvest_axis ? "rows" : "columns");
    return 0;
}

/* Position of the chip's first key; 0: the description does not have the chip. */
static int chip_mark(const struct td_board_text *t, uint32_t chip)
{
    for (int i = 0; i < TD_CHIP_KEY_COUNT; i++)
        if (t->chip_at[chip][i])
            return t->chip_at[chip][i];
    return 0;
}

/* Takes the chip's own lists and masks over those of [grid]. */
static int harvest_of_chip(const struct td_board_text *t, uint32_t chip, struct axis axes[2],
                           struct td_number_list *masked, struct td_err *err)
{
    const struct td_chip_text *c = &t->chip[chip];
    const int *at = t->chip_at[chip];
    const enum td_chip_key own[2] = {TD_CHIP_KEY_HARVESTED_COLUMNS, TD_CHIP_KEY_HARVESTED_ROWS};
    const struct td_number_list *lists[2] = {&c->harvested_columns, &c->harvested_rows};
    for (int i = 0; i < 2; i++)
        if (at[own[i]]) {
            axes[i].harvested = lists[i];
            axes[i].harvested_mark = at[own[i]];
        }
    int is_fuses = at[TD_CHIP_KEY_FUSES] != 0;
    int mark = is_fuses ? at[TD_CHIP_KEY_FUSES] : at[TD_CHIP_KEY_MASK];
    if (!mark)
        return 0;
    if (!t->at[TD_KEY_HARVEST_AXIS])
        return td_board_refuse(t, mark, err, "a mask wants harvest_axis=rows or columns in [grid]");
    struct axis *a = &axes[t->harvest_axis];
    int twice = is_fuses ? at[TD_CHIP_KEY_MASK] : 0;
    if (twice || at[own[t->harvest_axis]])
        return td_board_refuse(t, mark, err, "chip %u lists its harvested %ss twice", chip, a->one);
    if (is_fuses && !t->at[TD_KEY_HARVEST_ORDER])
        return td_board_refuse(t, mark, err, "harvest_fuses wants harvest_order in [grid]");
    int rc = list_of_mask(t, is_fuses ? c->fuses : c->mask, is_fuses ? &t->harvest_order : a->all, mark,
                          masked, err);
    a->harvested = masked;
    a->harvested_mark = mark;
    return rc;
}

static int check_relays(const struct td_board_text *t, uint32_t chip, struct td_chip_desc *d,
                        struct td_err *err)
{
    int own = t->chip_at[chip][TD_CHIP_KEY_RELAYS];
    const struct td_places *p = own ? &t->chip[chip].relays : &t->relays;
    int mark = own ? own : t->at[TD_KEY_RELAYS];
    if (own && !t->at[TD_KEY_RELAY_CORE])
        return td_board_refuse(t, own, err, "relays want [relay] core=");
    if (p->count > TD_MAX_RELAYS)
        return td_board_refuse(t, mark, err, "more than %d relays of a chip", TD_MAX_RELAYS);
    d->relay_count = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        int column = 0, row = 0;
        for (uint32_t j = 0; j < t->grid.width; j++)
            column |= d->column_x[j] == p->x[i];
        for (uint32_t j = 0; j < t->grid.height; j++)
            row |= d->row_y[j] == p->y[i];
        if (p->x[i] >= t->board.noc_width || p->y[i] >= t->board.noc_height)
            return td_board_refuse(t, mark, err, "relay %u,%u is outside the NoC", p->x[i], p->y[i]);
        if (column && row)
            return td_board_refuse(t, mark, err,
                                   "relay %u,%u is inside the %ux%u tiles of chip %u's logical grid", p->x[i],
                                   p->y[i], t->grid.width, t->grid.height, chip);
        for (uint32_t j = 0; j < i; j++)
            if (p->x[i] == p->x[j] && p->y[i] == p->y[j])
                return td_board_refuse(t, mark, err, "relay %u,%u is given twice", p->x[i], p->y[i]);
        d->relay_x[i] = p->x[i];
        d->relay_y[i] = p->y[i];
    }
    return 0;
}

static int check_chip(struct td_board_text *t, uint32_t chip, struct td_err *err)
{
    struct td_board *b = &t->board;
    struct td_chip_desc *d = &b->chip[chip];
    struct td_number_list masked;
    struct axis axes[2] = {{&t->columns, &t->harvested_columns, t->at[TD_KEY_COLUMNS],
                            t->at[TD_KEY_HARVESTED_COLUMNS], b->noc_width, "column", &t->columns, false},
                           {&t->rows, &t->harvested_rows, t->at[TD_KEY_ROWS], t->at[TD_KEY_HARVESTED_ROWS],
                            b->noc_height, "row", &t->rows, false}};
    if (t->harvested_last) {
        axes[t->harvest_axis].order = &t->harvest_order;
        axes[t->harvest_axis].from_last = true;
    }
    int rc = harvest_of_chip(t, chip, axes, &masked, err);
    rc = rc ? rc : remove_harvested(t, &axes[0], d->column_x, &d->columns, err);
    rc = rc ? rc : remove_harvested(t, &axes[1], d->row_y, &d->rows, err);
    if (rc)
        return rc;
    if (t->grid.width > d->columns || t->grid.height > d->rows)
        return td_board_refuse(t, t->at[TD_KEY_GRID], err,
                               "grid %ux%u is larger than the %ux%u tiles that board %s has%s", t->grid.width,
                               t->grid.height, d->columns, d->rows, b->name,
                               b->chips > 1 ? " on one of its chips" : "");
    return check_relays(t, chip, d, err);
}

/* Chips are all alike, or each of them is described. */
static int check_chips(struct td_board_text *t, struct td_err *err)
{
    int described = 0, rc = check_harvest_order(t, err);
    for (uint32_t i = 0; i < TD_MAX_CHIPS; i++)
        if (chip_mark(t, i))
            described = chip_mark(t, i);
    for (uint32_t i = 0; i < TD_MAX_CHIPS && described && rc == 0; i++) {
        if (i < t->board.chips && !chip_mark(t, i))
            rc = td_board_refuse(t, described, err,
                                 "chip %u is not described; with one [chip N], every one of the %u chips "
                                 "wants such a section",
                                 i, t->board.chips);
        if (i >= t->board.chips && chip_mark(t, i))
            rc = td_board_refuse(t, chip_mark(t, i), err, "there is no chip %u; chips=%u", i, t->board.chips);
    }
    for (uint32_t i = 0; i < t->board.chips && rc == 0; i++)
        rc = check_chip(t, i, err);
    t->board.all_columns = t->columns.count;
    t->board.all_rows = t->rows.count;
    t->board.grid_width = t->grid.width;
    t->board.grid_height = t->grid.height;
    return rc;
}

static int check_harvested(const struct td_board_text *t, enum td_board_key key,
                           const struct td_number_list *harvested, uint32_t count, const char *what,
                           struct td_err *err)
{
    for (uint32_t i = 0; i < harvested->count; i++)
        if (harvested->item[i] >= count)
            return td_board_refuse(t, t->at[key], err, "harvested=%u, but there are %u %s",
                                   harvested->item[i], count, what);
    return 0;
}

static int check_banks(struct td_board_text *t, struct td_err *err)
{
    struct td_board *b = &t->board;
    const struct td_places *p = &t->positions, *more = &t->ports;
    int mark = t->at[TD_KEY_POSITIONS] ? t->at[TD_KEY_POSITIONS] : t->at[TD_KEY_BANKS];
    if (p->count != b->dram_banks)
        return td_board_refuse(t, mark, err, "%u DRAM positions for %u banks", p->count, b->dram_banks);
    if (b->dram_banks && (!b->dram_bank_bytes || b->dram_bank_bytes % 4096))
        return td_board_refuse(t, t->at[TD_KEY_BANKS], err,
                               "bank_bytes is missing or not a multiple of 4096");
    if (more->count && (b->dram_banks == 0 || more->count % b->dram_banks))
        return td_board_refuse(t, t->at[TD_KEY_PORTS], err,
                               "%u other ports are not the same number for each of %u banks", more->count,
                               b->dram_banks);
    if (p->count + more->count > TD_MAX_PLACES)
        return td_board_refuse(t, t->at[TD_KEY_PORTS], err, "more than %d DRAM ports", TD_MAX_PLACES);
    b->dram.at.count = 0;
    uint32_t others = b->dram_banks ? more->count / b->dram_banks : 0;
    b->dram_ports = 1 + others;
    for (uint32_t i = 0; i < p->count; i++) {
        struct td_places *all = &b->dram.at;
        all->x[all->count] = p->x[i];
        all->y[all->count++] = p->y[i];
        for (uint32_t j = 0; j < others; j++) {
            all->x[all->count] = more->x[i * others + j];
            all->y[all->count++] = more->y[i * others + j];
        }
    }
    return check_harvested(t, TD_KEY_DRAM_HARVESTED, &t->dram_harvested, p->count, "DRAM banks", err);
}

/* Who is at a place of the NoC that is not for cores. */
struct taken_places {
    const char *by[TD_MAX_GRID][TD_MAX_GRID];
};

static int take_places(const struct td_board_text *t, struct taken_places *taken, const struct td_places *p,
                       const char *what, int mark, struct td_err *err)
{
    for (uint32_t i = 0; i < p->count; i++) {
        uint16_t x = p->x[i], y = p->y[i];
        if (x >= t->board.noc_width || y >= t->board.noc_height)
            return td_board_refuse(t, mark, err, "%s tile %u,%u is outside the NoC", what, x, y);
        if (td_number_list_has(&t->columns, x) && td_number_list_has(&t->rows, y))
            return td_board_refuse(t, mark, err, "%s tile %u,%u is where a Tensix tile is", what, x, y);
        if (taken->by[y][x])
            return td_board_refuse(t, mark, err, "%s tile %u,%u is where %s tile is already", what, x, y,
                                   taken->by[y][x]);
        taken->by[y][x] = what;
    }
    return 0;
}

static int check_others(struct td_board_text *t, struct td_err *err)
{
    struct taken_places taken = {0};
    const struct td_board *b = &t->board;
    const struct {
        const struct td_places *at, *translated;
        const char *what;
        enum td_board_key key, translated_key, harvested_key;
        const struct td_number_list *harvested;
    } kinds[] = {
        {&b->dram.at, &b->dram.translated, "a DRAM", TD_KEY_POSITIONS, TD_KEY_DRAM_TRANSLATED, 0, NULL},
        {&b->ethernet.at, &b->ethernet.translated, "an Ethernet", TD_KEY_ETHERNET, TD_KEY_ETHERNET_TRANSLATED,
         TD_KEY_ETHERNET_HARVESTED, &t->ethernet_harvested},
        {&b->arc.at, &b->arc.translated, "an ARC", TD_KEY_ARC, TD_KEY_ARC_TRANSLATED, 0, NULL},
        {&b->pcie.at, &b->pcie.translated, "a PCIe", TD_KEY_PCIE, TD_KEY_PCIE_TRANSLATED,
         TD_KEY_PCIE_HARVESTED, &t->pcie_harvested},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].translated->count > kinds[i].at->count)
            return td_board_refuse(t, t->at[kinds[i].translated_key], err,
                                   "more translated coordinates than tiles");
        int rc = take_places(t, &taken, kinds[i].at, kinds[i].what, t->at[kinds[i].key], err);
        if (rc == 0 && kinds[i].harvested)
            rc = check_harvested(t, kinds[i].harvested_key, kinds[i].harvested, kinds[i].at->count, "tiles",
                                 err);
        if (rc)
            return rc;
    }
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t i = 0; i < b->chip[chip].relay_count; i++) {
            uint16_t x = b->chip[chip].relay_x[i], y = b->chip[chip].relay_y[i];
            if (taken.by[y][x])
                return td_board_refuse(t, t->at[TD_KEY_RELAYS], err, "relay %u,%u is where %s tile is", x, y,
                                       taken.by[y][x]);
        }
    return 0;
}

static int copy_axis(const struct td_board_text *t, enum td_board_key key, const struct td_number_list *from,
                     uint32_t wanted, uint16_t *to, uint32_t *count, struct td_err *err)
{
    if (t->at[key] && from->count != wanted)
        return td_board_refuse(t, t->at[key], err, "%u translated coordinates for %u columns or rows",
                               from->count, wanted);
    *count = from->count;
    memcpy(to, from->item, from->count * sizeof *to);
    return 0;
}

static int check_translated(struct td_board_text *t, struct td_err *err)
{
    struct td_board *b = &t->board;
    if (!t->at[TD_KEY_TRANSLATED_COLUMNS] != !t->at[TD_KEY_TRANSLATED_ROWS])
        return td_board_refuse(t, t->at[TD_KEY_TRANSLATED_COLUMNS] + t->at[TD_KEY_TRANSLATED_ROWS], err,
                               "translated_columns and translated_rows want each other");
    int rc = copy_axis(t, TD_KEY_TRANSLATED_COLUMNS, &t->translated_columns, b->all_columns, b->translated_x,
                       &b->translated_columns, err);
    if (rc == 0)
        rc = copy_axis(t, TD_KEY_TRANSLATED_ROWS, &t->translated_rows, b->all_rows, b->translated_y,
                       &b->translated_rows, err);
    return rc;
}

int td_board_check_grid(struct td_board_text *t, struct td_err *err)
{
    int rc = check_chips(t, err);
    rc = rc ? rc : check_banks(t, err);
    rc = rc ? rc : check_others(t, err);
    rc = rc ? rc : check_translated(t, err);
    return rc ? rc : td_board_check_harvested(t, err);
}
