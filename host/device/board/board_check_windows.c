/* Contradictions between windows: their places in a BAR, their registers, the fields of a register. */
#include "host/device/board/board_parse.h"

struct span {
    uint64_t base, end;
    uint32_t bar;
    int mark;
    const char *name, *what;
};

struct bits {
    uint32_t from, to;
    const char *name;
    int mark;
};

static int check_fields(const struct td_board_text *t, uint32_t number, struct td_err *err)
{
    const struct td_window_desc *w = &t->board.windows[number];
    const int *at = t->window_at[number];
    struct bits fields[16] = {{0, w->shift.x_end, "the address", at[TD_WINDOW_KEY_X_END]}};
    uint32_t count = 1;
#define TD_X(field, width)                                                                                   \
    fields[count] = (struct bits){w->shift.field, w->shift.field + (width), #field,                          \
                                  at[TD_WINDOW_KEY_X_END + count - 1]};                                      \
    count++;
    TD_WINDOW_REGISTER(TD_X)
#undef TD_X
    for (uint32_t i = 1; i < count; i++) {
        if (fields[i].to > 8 * w->register_bytes)
            return td_board_refuse(t, fields[i].mark, err, "%s leaves the register of %u bytes",
                                   fields[i].name, w->register_bytes);
        for (uint32_t j = 0; j < i; j++)
            if (fields[i].from < fields[j].to && fields[j].from < fields[i].to)
                return td_board_refuse(t, fields[i].mark, err, "%s overlaps %s in the register of windows %s",
                                       fields[i].name, fields[j].name, w->name);
    }
    return 0;
}

static int check_window(const struct td_board_text *t, uint32_t number, struct td_err *err)
{
    const struct td_window_desc *w = &t->board.windows[number];
    const int *at = t->window_at[number];
    if (w->bytes & (w->bytes - 1))
        return td_board_refuse(t, at[TD_WINDOW_KEY_BYTES], err, "bytes of windows %s is not a power of two",
                               w->name);
    if (w->reserved > w->count)
        return td_board_refuse(t, at[TD_WINDOW_KEY_RESERVED], err, "more windows %s are reserved than exist",
                               w->name);
    if (w->register_bytes % 4)
        return td_board_refuse(t, at[TD_WINDOW_KEY_REGISTER_BYTES], err,
                               "register_bytes is not a multiple of 4");
    return check_fields(t, number, err);
}

int td_board_check_windows(const struct td_board_text *t, struct td_err *err)
{
    const struct td_board *b = &t->board;
    struct span spans[2 * TD_MAX_WINDOWS];
    uint32_t count = 0;
    if (b->window_count && !b->pci_vendor)
        return td_board_refuse(t, t->window_at[0][TD_WINDOW_KEY_BYTES], err,
                               "windows want the PCI device that has them: [pci] vendor, device");
    for (uint32_t i = 0; i < b->window_count; i++) {
        const struct td_window_desc *w = &b->windows[i];
        int rc = check_window(t, i, err);
        if (rc)
            return rc;
        uint64_t first = w->registers + (uint64_t)w->first_index * w->register_bytes;
        spans[count++] = (struct span){w->bar_offset, w->bar_offset + w->count * w->bytes,
                                       w->bar,        t->window_at[i][TD_WINDOW_KEY_BAR_OFFSET],
                                       w->name,       ""};
        spans[count++] = (struct span){first,   first + (uint64_t)w->count * w->register_bytes,
                                       0,       t->window_at[i][TD_WINDOW_KEY_FIRST_INDEX],
                                       w->name, "registers of "};
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (spans[i].bar == spans[j].bar && spans[i].base < spans[j].end && spans[j].base < spans[i].end)
                return td_board_refuse(t, spans[i].mark, err, "%swindows %s overlap %swindows %s",
                                       spans[i].what, spans[i].name, spans[j].what, spans[j].name);
    return 0;
}
