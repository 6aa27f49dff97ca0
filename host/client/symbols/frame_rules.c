#include "host/client/symbols/frame_rules.h"
#include "host/client/platform/safe_copy.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE) /* since glibc 2.35 */
#define HAS_TABLES 1
extern __typeof(_dl_find_object) _dl_find_object __attribute__((weak));
#else
#define HAS_TABLES 0
#endif

#define HEADER_BYTES 12
#define ENTRY_BYTES  8
#define CIE_BYTES    160  /* of an entry that functions share, at most */
#define FDE_BYTES    2048 /* of a function's entry, at most */
#define STATES       8    /* that are remembered, at most */

enum { FP = 6, SP = 7, RETURN = 16 }; /* numbers of registers in the tables */

/* Bytes of the tables at their place in memory. */
struct table_reader {
    const uint8_t *at, *end;
    uint64_t address; /* of *at in the program */
    bool bad;
};

static uint64_t take(struct table_reader *r, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    r->address += bytes;
    return value;
}

static uint64_t take_uleb(struct table_reader *r)
{
    uint64_t value = 0, byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && !r->bad; shift += 7) {
        byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
    }
    return value;
}

static int64_t take_sleb(struct table_reader *r)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && !r->bad; shift += 7) {
        byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
    }
    if (byte & 0x40 && shift < 64)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

static void skip(struct table_reader *r, uint64_t bytes)
{
    if (bytes > (uint64_t)(r->end - r->at))
        r->bad = true;
    bytes = r->bad ? (uint64_t)(r->end - r->at) : bytes;
    r->at += bytes;
    r->address += bytes;
}

/* A pointer in one of the encodings that do not refer to other memory. */
static uint64_t take_pointer(struct table_reader *r, uint8_t encoding)
{
    static const uint8_t bytes_of[16] = {[0] = 8, [2] = 2, [3] = 4, [4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8};
    const uint64_t base = (encoding & 0x70) == 0x10 ? r->address : 0;
    const unsigned bytes = bytes_of[encoding & 15];
    r->bad |= !bytes || encoding & 0x80 || (encoding & 0x70) > 0x10;
    uint64_t value = r->bad ? 0 : take(r, bytes);
    if (encoding & 8 && bytes < 8)
        value = (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    return value + base;
}

/* ---- entries ---- */

/* Reads an entry: what follows its length. False: it is not one. */
static bool read_entry(uint64_t address, uint8_t *to, size_t room, struct table_reader *r)
{
    uint32_t bytes;
    if (!td_safe_copy(address, &bytes, 4) || bytes < 4 || bytes > room ||
        !td_safe_copy(address + 4, to, bytes))
        return false;
    *r = (struct table_reader){to, to + bytes, address + 4, false};
    return true;
}

struct shared_entry {
    uint64_t code_unit;
    int64_t data_unit;
    uint8_t pointers; /* encoding of the function's begin */
    bool has_data, is_signal;
    struct table_reader program;
};

static bool read_shared(uint64_t address, uint8_t bytes[CIE_BYTES], struct shared_entry *shared)
{
    struct table_reader r;
    char letters[8] = {0};
    if (!read_entry(address, bytes, CIE_BYTES, &r) || take(&r, 4) != 0)
        return false;
    const uint64_t version = take(&r, 1);
    for (size_t i = 0; i < sizeof letters; i++)
        if (!(letters[i] = (char)take(&r, 1)))
            break;
    if (letters[sizeof letters - 1] || (version != 1 && version != 3))
        return false;
    shared->code_unit = take_uleb(&r);
    shared->data_unit = take_sleb(&r);
    if ((version == 1 ? take(&r, 1) : take_uleb(&r)) != RETURN)
        return false;
    shared->has_data = letters[0] == 'z';
    const uint64_t data = shared->has_data ? take_uleb(&r) : 0;
    const uint8_t *const program = r.at + (data < (uint64_t)(r.end - r.at) ? data : (uint64_t)(r.end - r.at));
    for (const char *letter = letters + shared->has_data; *letter && !r.bad; letter++) {
        switch (*letter) {
        case 'R':
            shared->pointers = (uint8_t)take(&r, 1);
            break;
        case 'L':
            (void)take(&r, 1);
            break;
        case 'P': {
            const uint8_t encoding = (uint8_t)take(&r, 1);
            (void)take_pointer(&r, encoding & 0x7f);
            break;
        }
        case 'S':
            shared->is_signal = true;
            break;
        default:
            return false;
        }
    }
    shared->program = (struct table_reader){program, r.end, 0, false};
    return !r.bad;
}

/* ---- the rows of a function's table ---- */

struct frame_state {
    uint64_t cfa_register, cfa_offset;
    int64_t fp_offset, return_offset;   /* from the frame's end */
    bool has_expression, saves_fp, odd; /* odd: fp or the return address is somewhere else */
};

/* The register is at an offset from the frame's end. */
static void save_register(struct frame_state *s, uint64_t number, int64_t offset)
{
    if (number == FP) {
        s->saves_fp = true;
        s->fp_offset = offset;
    } else if (number == RETURN) {
        s->return_offset = offset;
    }
}

static void restore_register(struct frame_state *s, const struct frame_state *first, uint64_t number)
{
    if (number == FP) {
        s->saves_fp = first->saves_fp;
        s->fp_offset = first->fp_offset;
    } else if (number == RETURN) {
        s->return_offset = first->return_offset;
    }
}

static void set_odd(struct frame_state *s, uint64_t number, bool odd)
{
    if (number == FP)
        s->saves_fp = false;
    s->odd |= odd && (number == FP || number == RETURN);
}

/* What needs two operands or a block. */
static void do_long_step(struct table_reader *r, const struct shared_entry *shared,
                         const struct frame_state *first, struct frame_state *s, uint8_t code)
{
    const uint64_t number = take_uleb(r);
    switch (code) {
    case 0x05: /* offset_extended */
        save_register(s, number, (int64_t)(take_uleb(r) * (uint64_t)shared->data_unit));
        break;
    case 0x06: /* restore_extended */
        restore_register(s, first, number);
        break;
    case 0x07: /* undefined */
    case 0x08: /* same_value */
        set_odd(s, number, number == RETURN);
        break;
    case 0x09: /* register */
        (void)take_uleb(r);
        set_odd(s, number, true);
        break;
    case 0x0c: /* def_cfa */
        *s = (struct frame_state){number, take_uleb(r), s->fp_offset, s->return_offset,
                                  false,  s->saves_fp,  s->odd};
        break;
    case 0x0d: /* def_cfa_register */
        s->cfa_register = number;
        break;
    case 0x0e: /* def_cfa_offset */
        s->cfa_offset = number;
        break;
    case 0x0f: /* def_cfa_expression: the number is the block's size */
        skip(r, number);
        s->has_expression = true;
        break;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        skip(r, take_uleb(r));
        set_odd(s, number, true);
        break;
    case 0x11: /* offset_extended_sf */
        save_register(s, number, (int64_t)((uint64_t)take_sleb(r) * (uint64_t)shared->data_unit));
        break;
    case 0x12: /* def_cfa_sf */
        s->cfa_register = number;
        s->cfa_offset = (uint64_t)take_sleb(r) * (uint64_t)shared->data_unit;
        s->has_expression = false;
        break;
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
        (void)take_uleb(r);
        set_odd(s, number, true);
        break;
    case 0x2e: /* GNU_args_size */
        break;
    default:
        r->bad = true;
        break;
    }
}

/* Follows the program up to the place that is `target` bytes behind the function's begin. */
static void run_program(struct table_reader *r, const struct shared_entry *shared,
                        const struct frame_state *first, struct frame_state *s, uint64_t target)
{
    struct frame_state kept[STATES];
    unsigned depth = 0;
    uint64_t place = 0;
    while (r->at < r->end && !r->bad) {
        const uint8_t code = (uint8_t)take(r, 1);
        const uint64_t low = code & 0x3f;
        uint64_t step = 0;
        if (code >> 6 == 1)
            step = low;
        else if (code >> 6 == 2)
            save_register(s, low, (int64_t)(take_uleb(r) * (uint64_t)shared->data_unit));
        else if (code >> 6 == 3)
            restore_register(s, first, low);
        else if (code >= 0x02 && code <= 0x04) /* advance_loc1, 2, 4 */
            step = take(r, 1u << (code - 2));
        else if (code == 0x0a && depth < STATES) /* remember_state */
            kept[depth++] = *s;
        else if (code == 0x0b && depth) /* restore_state */
            *s = kept[--depth];
        else if (code == 0x13) /* def_cfa_offset_sf */
            s->cfa_offset = (uint64_t)take_sleb(r) * (uint64_t)shared->data_unit;
        else if (code)
            do_long_step(r, shared, first, s, code);
        if (step && (place += step * shared->code_unit) > target)
            return;
    }
}

static struct td_frame_rule rule_of(const struct frame_state *s)
{
    const bool fits = s->cfa_offset <= INT32_MAX && s->fp_offset >= INT32_MIN && s->fp_offset < 0;
    if (s->odd || s->has_expression || s->return_offset != -8 || (s->saves_fp && !fits) ||
        s->cfa_offset > INT32_MAX || (s->cfa_register != SP && s->cfa_register != FP))
        return (struct td_frame_rule){0};
    return (struct td_frame_rule){.known = true,
                                  .by_fp = s->cfa_register == FP,
                                  .saves_fp = s->saves_fp,
                                  .size = (int32_t)s->cfa_offset,
                                  .fp_at = s->saves_fp ? (int32_t)s->fp_offset : 0};
}

static struct td_frame_rule rule_in_entry(uint64_t entry, uint64_t address)
{
    const struct td_frame_rule none = {0};
    uint8_t bytes[FDE_BYTES], shared_bytes[CIE_BYTES];
    struct shared_entry shared = {0};
    struct table_reader r;
    if (!read_entry(entry, bytes, sizeof bytes, &r))
        return none;
    const uint64_t here = r.address, back = take(&r, 4);
    if (!back || !read_shared(here - back, shared_bytes, &shared) || shared.is_signal)
        return none;
    const uint64_t begin = take_pointer(&r, shared.pointers), size = take_pointer(&r, shared.pointers & 15);
    if (r.bad || address < begin || address - begin >= size)
        return none;
    if (shared.has_data)
        skip(&r, take_uleb(&r));
    struct frame_state first = {.cfa_register = UINT64_MAX}, state;
    run_program(&shared.program, &shared, &first, &first, UINT64_MAX);
    state = first;
    run_program(&r, &shared, &first, &state, address - begin);
    return r.bad || shared.program.bad ? none : rule_of(&state);
}

/* ---- the search table ---- */

struct td_frame_rule td_frame_rule_in(uint64_t header, uint64_t address)
{
    const struct td_frame_rule none = {0};
    uint8_t head[HEADER_BYTES];
    uint32_t count;
    int32_t entry[2];
    /* Version 1; 4 bytes relative to the place for .eh_frame, 4 for the count, and a sorted table of pairs of 4 bytes
     * relative to the header. */
    if (!td_safe_copy(header, head, sizeof head) || head[0] != 1 || head[1] != 0x1b || head[2] != 0x03 ||
        head[3] != 0x3b)
        return none;
    memcpy(&count, head + 8, 4);
    uint64_t low = 0,
             high = count; /* the last entry that begins at or before the address is in [low, high) */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (!td_safe_copy(header + HEADER_BYTES + middle * ENTRY_BYTES, entry, sizeof entry))
            return none;
        if (header + (uint64_t)(int64_t)entry[0] <= address)
            low = middle;
        else
            high = middle;
    }
    if (!count || !td_safe_copy(header + HEADER_BYTES + low * ENTRY_BYTES, entry, sizeof entry))
        return none;
    return rule_in_entry(header + (uint64_t)(int64_t)entry[1], address);
}

/* ---- rules that were asked for before ---- */

#define ASKED 4096
static struct {
    uint64_t address, header;
    struct td_frame_rule rule;
} asked[ASKED];

struct td_frame_rule td_frame_rule_at(uint64_t address)
{
    struct td_frame_rule none = {0};
#if HAS_TABLES
    struct dl_find_object object;
    if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)address, &object) != 0 ||
        !object.dlfo_eh_frame)
        return none;
    const uint64_t header = (uintptr_t)object.dlfo_eh_frame, at = (address ^ address >> 12) % ASKED;
    if (asked[at].address != address || asked[at].header != header) {
        asked[at].rule = td_frame_rule_in(header, address);
        asked[at].address = address;
        asked[at].header = header;
    }
    return asked[at].rule;
#else
    (void)asked;
    return none;
#endif
}
