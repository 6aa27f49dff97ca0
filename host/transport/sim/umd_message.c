#include "host/base/err.h"
#include "host/transport/sim/umd_message.h"

#include <stdbool.h>
#include <string.h>

/* A buffer begins with the place of its table. A table begins with the distance back to its vtable, which has
 * its own bytes, those of the table, and the place of each field in the table; 0: the field has its default. */
struct table {
    const uint8_t *data;
    size_t bytes;
    size_t at, at_bytes;         /* the table */
    size_t vtable, vtable_bytes; /* its vtable */
};

static uint32_t load(const struct table *t, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)t->data[at + i] << 8 * i;
    return value;
}

static bool has(const struct table *t, size_t at, size_t bytes)
{
    return at <= t->bytes && bytes <= t->bytes - at;
}

uint32_t td_umd_pci_device(int32_t arch)
{
    switch (arch) {
#define TD_X(number, name, device)                                                                           \
    case number:                                                                                             \
        return device;
        TD_UMD_ARCHS(TD_X)
#undef TD_X
    default:
        return 0;
    }
}

size_t td_umd_message_bytes(const uint8_t length[4])
{
    return load(&(struct table){.data = length}, 0, 4);
}

static bool open_table(struct table *t, const void *from, size_t bytes)
{
    *t = (struct table){.data = from, .bytes = bytes};
    if (!has(t, 0, 4) || !has(t, t->at = load(t, 0, 4), 4))
        return false;
    const int64_t vtable = (int64_t)t->at - (int32_t)load(t, t->at, 4);
    if (vtable < 0 || !has(t, t->vtable = (size_t)vtable, 4))
        return false;
    t->vtable_bytes = load(t, t->vtable, 2);
    t->at_bytes = load(t, t->vtable + 2, 2);
    return t->vtable_bytes >= 4 && t->vtable_bytes % 2 == 0 && has(t, t->vtable, t->vtable_bytes) &&
           t->at_bytes >= 4 && has(t, t->at, t->at_bytes);
}

/* Place of a field of so many bytes; 0: it is not there. -1 in *bad: it is outside of the table. */
static size_t field_at(const struct table *t, unsigned number, size_t bytes, int *bad)
{
    const size_t entry = 4 + 2 * (size_t)number;
    const uint32_t offset = entry + 2 <= t->vtable_bytes ? load(t, t->vtable + entry, 2) : 0;
    if (!offset)
        return 0;
    if (offset < 4 || offset > t->at_bytes || bytes > t->at_bytes - offset) {
        *bad = TD_E_FORMAT;
        return 0;
    }
    return t->at + offset;
}

static uint64_t number(const struct table *t, unsigned field, size_t bytes, int *bad)
{
    const size_t at = field_at(t, field, bytes, bad);
    if (!at)
        return 0;
    return bytes == 8 ? load(t, at, 4) | (uint64_t)load(t, at + 4, 4) << 32 : load(t, at, bytes);
}

static const uint8_t *vector(const struct table *t, unsigned field, uint32_t *bytes, int *bad)
{
    const size_t at = field_at(t, field, 4, bad);
    *bytes = 0;
    if (!at)
        return NULL;
    const size_t begin = at + load(t, at, 4);
    if (!has(t, begin, 4) || !has(t, begin + 4, load(t, begin, 4))) {
        *bad = TD_E_FORMAT;
        return NULL;
    }
    *bytes = load(t, begin, 4);
    return t->data + begin + 4;
}

#define GET_u8(to, number_, name)     (to)->name = (uint8_t)number(&t, number_, 1, &bad);
#define GET_u32(to, number_, name)    (to)->name = (uint32_t)number(&t, number_, 4, &bad);
#define GET_i32(to, number_, name)    (to)->name = (int32_t)number(&t, number_, 4, &bad);
#define GET_u64(to, number_, name)    (to)->name = number(&t, number_, 8, &bad);
#define GET_vector(to, number_, name) (to)->name = vector(&t, number_, &(to)->name##_bytes, &bad);

int td_umd_get_request(const void *from, size_t bytes, struct td_umd_request *request)
{
    struct table t;
    int bad = 0;
    if (!open_table(&t, from, bytes))
        return TD_E_FORMAT;
#define TD_X(number_, name, type) GET_##type(request, number_, name)
    TD_UMD_REQUEST(TD_X)
#undef TD_X
    return bad;
}

int td_umd_get_answer(const void *from, size_t bytes, struct td_umd_answer *answer)
{
    struct table t;
    int bad = 0;
    if (!open_table(&t, from, bytes))
        return TD_E_FORMAT;
#define TD_X(number_, name, type) GET_##type(answer, number_, name)
    TD_UMD_ANSWER(TD_X)
#undef TD_X
    return bad;
}

int td_umd_get_info(const void *from, size_t bytes, struct td_umd_info *info)
{
    struct table t;
    int bad = 0;
    if (!open_table(&t, from, bytes))
        return TD_E_FORMAT;
#define TD_X(number_, name, type) GET_##type(info, number_, name)
    TD_UMD_INFO(TD_X)
#undef TD_X
    return bad;
}

/* ---- writing ---- */

static void put(uint8_t *to, size_t at, size_t bytes, uint64_t value)
{
    for (size_t i = 0; i < bytes; i++)
        to[at + i] = (uint8_t)(value >> 8 * i);
}

/* A message whose vtable is at 8, its table right after that. `places`: of the fields in the table, whose last
 * one, with place vector_place, is the vector; its length is the message's last word. Returns where the table
 * is. */
static size_t begin_message(uint8_t *to, size_t bytes, const uint8_t *places, size_t fields,
                            size_t table_bytes, size_t vector_place, uint32_t vector_bytes)
{
    const size_t vtable = 8, table = vtable + 4 + 2 * fields;
    memset(to, 0, bytes);
    put(to, 0, 4, bytes - 4 + vector_bytes);
    put(to, 4, 4, table - 4);
    put(to, vtable, 2, 4 + 2 * fields);
    put(to, vtable + 2, 2, table_bytes);
    for (size_t i = 0; i < fields; i++)
        put(to, vtable + 4 + 2 * i, 2, places[i]);
    put(to, table, 4, table - vtable);
    put(to, table + vector_place, 4, bytes - 4 - (table + vector_place));
    put(to, bytes - 4, 4, vector_bytes);
    return table;
}

/* The fields are aligned: the buffer begins 4 bytes after the message. */
void td_umd_put_request(uint8_t to[TD_UMD_REQUEST_BYTES], const struct td_umd_request *r)
{
    enum { ADDRESS = 4, X = 12, Y = 16, SIZE = 20, DATA = 24, COMMAND = 28, ALL = 32 };
    static const uint8_t places[] = {COMMAND, X, Y, ADDRESS, SIZE, DATA};
    const size_t at =
        begin_message(to, TD_UMD_REQUEST_BYTES, places, sizeof places, ALL, DATA, r->data_bytes);
    put(to, at + COMMAND, 1, r->command);
    put(to, at + X, 4, r->x);
    put(to, at + Y, 4, r->y);
    put(to, at + ADDRESS, 8, r->address);
    put(to, at + SIZE, 4, r->size);
}

void td_umd_put_answer(uint8_t to[TD_UMD_ANSWER_BYTES], const struct td_umd_answer *a)
{
    enum { STATUS = 4, DATA = 8, ALL = 12 };
    static const uint8_t places[] = {STATUS, DATA};
    const size_t at = begin_message(to, TD_UMD_ANSWER_BYTES, places, sizeof places, ALL, DATA, a->data_bytes);
    put(to, at + STATUS, 4, (uint32_t)a->status);
}

void td_umd_put_info(uint8_t to[TD_UMD_INFO_BYTES], const struct td_umd_info *info)
{
    enum { STATUS = 4, ARCH = 8, LAYOUT = 12, MASKS = 16, BACKEND = 36, TRANSLATION = 37, ALL = 40 };
    static const uint8_t places[] = {STATUS, ARCH,      BACKEND,   LAYOUT,     TRANSLATION,
                                     MASKS,  MASKS + 4, MASKS + 8, MASKS + 12, MASKS + 16};
    const uint32_t masks[] = {info->tensix, info->dram, info->ethernet, info->l2cpu, info->pcie};
    const size_t at =
        begin_message(to, TD_UMD_INFO_BYTES, places, sizeof places, ALL, LAYOUT, info->layout_bytes);
    put(to, 0, 4, TD_UMD_INFO_BYTES - 4 + (uint64_t)info->layout_bytes + 1);
    put(to, at + STATUS, 4, (uint32_t)info->status);
    put(to, at + ARCH, 4, (uint32_t)info->arch);
    put(to, at + BACKEND, 1, info->backend);
    put(to, at + TRANSLATION, 1, info->translation);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        put(to, at + MASKS + 4 * i, 4, masks[i]);
}
