/* What follows from DRAM banks, Ethernet and PCIe tiles that are harvested: which banks there are, and the
 * translated coordinates of the others. And whether tiles are called by those on the NoC. */
#include "host/device/board/board_parse.h"
#include "host/device/board/coordinates.h"

/* The tiles that work take the first translated coordinates; the harvested ones keep their own. */
static void move_up(struct td_other_tiles *tiles, const struct td_number_list *harvested)
{
    const struct td_places given = tiles->translated;
    struct td_places *to = &tiles->translated;
    if (harvested->count == 0 || given.count == 0)
        return;
    to->count = tiles->at.count;
    for (uint32_t i = 0, next = 0; i < to->count; i++) {
        const bool is_given = !td_number_list_has(harvested, (uint16_t)i) && next < given.count;
        to->x[i] = is_given ? given.x[next] : tiles->at.x[i];
        to->y[i] = is_given ? given.y[next] : tiles->at.y[i];
        next += is_given;
    }
}

/* Where a bank goes among the banks' translated places when one is harvested: the half that is whole comes
 * first, and in each half the harvested bank, or the one opposite of it, comes last. */
static uint32_t slot_of_bank(uint32_t bank, uint32_t banks, uint32_t harvested)
{
    const uint32_t half = banks / 2, in_half = bank % half, hole = harvested % half;
    const uint32_t slot = in_half == hole ? half - 1 : in_half - (in_half > hole);
    return bank / half == harvested / half ? half + slot : slot;
}

static void move_banks(struct td_board *b, uint32_t harvested)
{
    const struct td_places given = b->dram.translated;
    for (uint32_t bank = 0; bank < b->dram_banks; bank++)
        for (uint32_t port = 0; port < b->dram_ports; port++) {
            const uint32_t to = bank * b->dram_ports + port;
            const uint32_t from = slot_of_bank(bank, b->dram_banks, harvested) * b->dram_ports + port;
            b->dram.translated.x[to] = given.x[from];
            b->dram.translated.y[to] = given.y[from];
        }
}

/* The port of each bank that works; with translated addresses, by its translated coordinates. */
static void choose_ports(const struct td_board_text *t, struct td_board *b)
{
    uint32_t count = 0;
    for (uint32_t bank = 0; bank < b->dram_banks; bank++) {
        const uint32_t port = bank * b->dram_ports;
        uint32_t x = b->dram.at.x[port], y = b->dram.at.y[port];
        if (td_number_list_has(&t->dram_harvested, (uint16_t)bank))
            continue;
        if (b->translated_addresses)
            td_coordinate(b, 0, TD_COORDINATE_NOC0, x, y, TD_COORDINATE_TRANSLATED, &x, &y, NULL);
        b->dram_x[count] = (uint16_t)x;
        b->dram_y[count++] = (uint16_t)y;
    }
    b->dram_banks = count;
}

int td_board_check_harvested(struct td_board_text *t, struct td_err *err)
{
    struct td_board *b = &t->board;
    const uint32_t banks = b->dram_banks;
    const int mark = t->at[TD_KEY_DRAM_HARVESTED];
    if (b->translated_addresses && !b->translated_columns)
        return td_board_refuse(t, t->at[TD_KEY_ADDRESSES], err,
                               "translated wants translated_columns and _rows");
    if (t->dram_harvested.count && b->dram.translated.count) {
        if (t->dram_harvested.count > 1 || banks % 2 || b->dram.translated.count != b->dram.at.count)
            return td_board_refuse(
                t, mark, err, "translated coordinates are known for one harvested bank of an even number");
        move_banks(b, t->dram_harvested.item[0]);
    }
    if (b->simulated) { /* the simulator has none of these */
        b->telemetry_table = b->arc_messages = 0;
        b->node_id = b->logical_id = 0;
    }
    move_up(&b->ethernet, &t->ethernet_harvested);
    move_up(&b->pcie, &t->pcie_harvested);
    choose_ports(t, b);
    return 0;
}
