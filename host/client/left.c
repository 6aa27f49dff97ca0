/* Libraries that left: copies of their memory, and when it was theirs. keys.h says what for. */
#include "host/client/keys.h"
#include "host/base/clock.h"

#include <link.h>
#include <string.h>

#define PARTS_MAX 16
#define STEP      65536u
#define PAGE      4096u
#define KEEP_MS   2000 /* at least: a record that hides others behind it is waited for so long */

/* Memory as it was. Libraries that come again share what is the same. */
struct copy {
    struct copy *next;
    size_t bytes;
    uint64_t hash;
    uint32_t users;
    char data[];
};

/* A part of a library: behind what was copied are zeros. */
struct part {
    uint64_t start;
    size_t bytes, copied;
    struct copy *copy; /* NULL: nothing was */
};

struct td_left {
    struct td_left *next;
    uint64_t start, end;
    int64_t time, left_ms;
    uint32_t number; /* that the next ordered record got */
    uint32_t serial;
    int passed; /* all records of its time were taken */
    unsigned count;
    struct part parts[PARTS_MAX];
};

atomic_uint td_left_count;
static atomic_ullong lowest = UINT64_MAX, highest; /* of all that ever left */
/* Under TD_GUARD_LEFT. */
static struct td_left *first, *last; /* in the order in which they left */
static struct copy *copies;
static unsigned without;
static atomic_int any;

int td_left_covers(uint64_t address)
{
    return address >= atomic_load_explicit(&lowest, memory_order_relaxed) &&
           address < atomic_load_explicit(&highest, memory_order_relaxed);
}

/* ---- the library's memory ---- */

/* From the end on: what is zero need not be copied. */
static size_t without_zeros(uint64_t start, size_t least, size_t bytes, char *buffer)
{
    while (bytes > least) {
        size_t step = bytes - least < STEP ? bytes - least : STEP;
        if (!td_peek(start + bytes - step, buffer, step))
            return bytes;
        if (buffer[0] || memcmp(buffer, buffer + 1, step - 1) != 0)
            return bytes;
        bytes -= step;
    }
    return bytes;
}

/* Pages that cannot be read are left out: nothing in them was ever a name. */
static void copy_memory(uint64_t start, char *to, size_t bytes)
{
    for (size_t at = 0, step; at < bytes; at += step) {
        step = bytes - at < STEP ? bytes - at : STEP;
        if (td_peek(start + at, to + at, step))
            continue;
        step = PAGE - ((start + at) & (PAGE - 1));
        if (step > bytes - at)
            step = bytes - at;
        if (!td_peek(start + at, to + at, step))
            memset(to + at, 0, step);
    }
}

static uint64_t hash_of(const char *data, size_t bytes)
{
    uint64_t hash = bytes, word;
    for (; bytes >= 8; data += 8, bytes -= 8) {
        memcpy(&word, data, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (; bytes; data++, bytes--)
        hash = (hash ^ (uint8_t)*data) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static struct copy *make_copy(const struct part *part)
{
    struct copy *copy = td_queue_has_room(part->copied) ? td_pool_take(sizeof *copy + part->copied) : NULL;
    if (!copy)
        return NULL;
    *copy = (struct copy){.bytes = part->copied, .users = 1};
    copy_memory(part->start, copy->data, part->copied);
    copy->hash = hash_of(copy->data, copy->bytes);
    return copy;
}

static struct copy *share_locked(struct copy *copy)
{
    for (struct copy *other = copies; other; other = other->next)
        if (other->hash == copy->hash && other->bytes == copy->bytes &&
            !memcmp(other->data, copy->data, copy->bytes)) {
            other->users++;
            td_pool_give(copy);
            return other;
        }
    copy->next = copies;
    copies = copy;
    return copy;
}

static void drop_copy_locked(struct copy *copy)
{
    if (!copy || --copy->users)
        return;
    struct copy **at = &copies;
    while (*at != copy)
        at = &(*at)->next;
    *at = copy->next;
    td_pool_give(copy);
}

/* ---- which library ---- */

struct search {
    uint64_t place;
    struct td_left *left;
    int index, found;
};

static int is_in(const struct dl_phdr_info *info, uint64_t place)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && place - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return 1;
    }
    return 0;
}

static void add_part(struct td_left *left, uint64_t start, uint64_t end, uint64_t file_end)
{
    if (start >= end || left->count == PARTS_MAX)
        return;
    size_t in_file = file_end <= start ? 0 : file_end < end ? file_end - start : end - start;
    left->parts[left->count++] = (struct part){.start = start, .bytes = end - start, .copied = in_file};
}

/* What becomes read-only behind relocation is the same whenever the library lies there; so it is apart. */
static void add_segment(struct td_left *left, const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
    uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz, file_end = start + p->p_filesz;
    uint64_t cut = start;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *relro = &info->dlpi_phdr[i];
        uint64_t relro_end = info->dlpi_addr + relro->p_vaddr + relro->p_memsz;
        if (relro->p_type == PT_GNU_RELRO && relro_end > start && relro_end < end)
            cut = relro_end;
    }
    add_part(left, start, cut, file_end);
    add_part(left, cut, end, file_end);
}

/* Code has no names in it, unless the linker put constants beside it: then there is nothing that can only be
 * read. */
static int has_constants_apart(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && !(info->dlpi_phdr[i].p_flags & (PF_W | PF_X)))
            return 1;
    return 0;
}

static int take_object(struct dl_phdr_info *info, size_t bytes, void *self)
{
    struct search *search = self;
    int is_program = search->index++ == 0; /* it stays until the process ends */
    if (!is_in(info, search->place))
        return 0;
    search->found = !is_program && !is_in(info, (uintptr_t)&first); /* a client in it leaves with it */
    int apart = has_constants_apart(info);
    struct td_left *left = search->left;
    left->start = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        left->start = start < left->start ? start : left->start;
        left->end = start + p->p_memsz > left->end ? start + p->p_memsz : left->end;
        if (!apart || !(p->p_flags & PF_X))
            add_segment(left, info, p);
    }
    return 1;
}

/* ---- leaving ---- */

/* Whether events that refer to it may still be sent to somebody. */
static int is_wanted(const struct td_left *left)
{
    int state = td_session_state();
    if (!td_client_begin_ticks() || state == TD_CLIENT_OVER)
        return 0;
    return state == TD_CLIENT_CONNECTED || td_client_is_live() || td_kept_refers(left->start, left->end);
}

static int copy_parts(struct td_left *left)
{
    char *buffer = td_pool_take(STEP);
    int whole = buffer != NULL;
    for (unsigned i = 0; whole && i < left->count; i++) {
        struct part *part = &left->parts[i];
        part->copied = without_zeros(part->start, part->copied, part->bytes, buffer);
        part->copy = part->copied ? make_copy(part) : NULL;
        whole = part->copy || !part->copied;
    }
    td_pool_give(buffer);
    return whole;
}

static int is_same(const struct td_left *a, const struct td_left *b)
{
    if (a->start != b->start || a->end != b->end || a->count != b->count)
        return 0;
    for (unsigned i = 0; i < a->count; i++)
        if (a->parts[i].copy != b->parts[i].copy || a->parts[i].start != b->parts[i].start)
            return 0;
    return 1;
}

static void free_locked(struct td_left *left)
{
    for (unsigned i = 0; i < left->count; i++)
        drop_copy_locked(left->parts[i].copy);
    td_pool_give(left);
}

static void unlink_locked(struct td_left *left)
{
    struct td_left *before = NULL;
    for (struct td_left *at = first; at != left; at = at->next)
        before = at;
    if (before)
        before->next = left->next;
    else
        first = left->next;
    if (last == left)
        last = before;
}

/* The library that lay there last, if it was this one: then one copy is enough for both times. */
static void forget_twin_locked(const struct td_left *left)
{
    struct td_left *overlaps = NULL;
    for (struct td_left *at = first; at; at = at->next)
        if (at->start < left->end && left->start < at->end)
            overlaps = at;
    if (!overlaps || !is_same(overlaps, left))
        return;
    unlink_locked(overlaps);
    free_locked(overlaps);
}

static void add_locked(struct td_left *left)
{
    for (unsigned i = 0; i < left->count; i++)
        if (left->parts[i].copy)
            left->parts[i].copy = share_locked(left->parts[i].copy);
    forget_twin_locked(left);
    if (left->start < atomic_load(&lowest))
        atomic_store(&lowest, left->start);
    if (left->end > atomic_load(&highest))
        atomic_store(&highest, left->end);
    left->serial = atomic_load(&td_left_count) + 1;
    left->left_ms = td_mono_ns() / 1000000;
    left->number = atomic_load(&td_order);
    left->time = (int64_t)td_client_ticks();
    if (last)
        last->next = left;
    else
        first = left;
    last = left;
    atomic_store(&any, 1);
    atomic_store(&td_left_count, left->serial);
}

void td_client_library_leaves(const void *place)
{
    struct td_quiet quiet;
    struct td_left found = {0};
    struct search search = {.place = (uintptr_t)place, .left = &found};
    td_quiet_begin(&quiet); /* a thread that is stopped in here would stop the session */
    dl_iterate_phdr(take_object, &search);
    if (search.found && is_wanted(&found)) {
        struct td_left *left = td_pool_take(sizeof *left);
        int whole = copy_parts(&found);
        td_guard_enter(TD_GUARD_LEFT);
        without += !left || !whole;
        if (left) {
            *left = found;
            add_locked(left);
        }
        td_guard_leave(TD_GUARD_LEFT);
    }
    td_quiet_end(&quiet);
}

/* ---- looking back ---- */

static int left_since(const struct td_left *left, const struct td_when *when)
{
    if (when->by_number)
        return !left->passed && (int32_t)(when->number - left->number) < 0;
    return when->time <= left->time;
}

const struct td_left *td_left_at(uint64_t address, const struct td_when *when, int64_t *from, int64_t *to)
{
    *from = INT64_MIN;
    *to = INT64_MAX;
    for (const struct td_left *left = first; left; left = left->next) {
        if (!td_left_has(left, address))
            continue;
        if (left_since(left, when)) {
            *to = left->time;
            return left;
        }
        *from = left->time;
    }
    return NULL;
}

const struct td_left *td_left_after(uint32_t serial, const struct td_left *before, struct td_when *when)
{
    const struct td_left *left = before ? before->next : first;
    while (left && (int32_t)(left->serial - serial) <= 0)
        left = left->next;
    if (left)
        *when = (struct td_when){.time = left->time};
    return left;
}

int td_left_has(const struct td_left *left, uint64_t address)
{
    return address >= left->start && address < left->end;
}

/* How much of the memory from there on lies in one part; *from: where, NULL for zeros. */
static size_t find(const struct td_left *left, uint64_t address, const char **from)
{
    for (unsigned i = 0; i < left->count; i++) {
        const struct part *part = &left->parts[i];
        uint64_t at = address - part->start;
        if (at >= part->bytes)
            continue;
        if (at < part->copied) {
            *from = part->copy ? part->copy->data + at : NULL;
            return part->copy ? part->copied - at : 0;
        }
        *from = NULL;
        return part->bytes - at;
    }
    return 0;
}

int td_left_read(const struct td_left *left, uint64_t address, void *to, size_t bytes)
{
    char *at = to;
    while (bytes) {
        const char *from;
        size_t step = find(left, address, &from);
        if (!step)
            return 0;
        if (step > bytes)
            step = bytes;
        if (from)
            memcpy(at, from, step);
        else
            memset(at, 0, step);
        at += step;
        address += step;
        bytes -= step;
    }
    return 1;
}

size_t td_left_text(const struct td_left *left, uint64_t address, char *to, size_t room)
{
    size_t have = 0;
    while (have < room) {
        const char *from;
        size_t step = find(left, address + have, &from);
        if (!step || !from)
            return have;
        if (step > room - have)
            step = room - have;
        size_t text = strnlen(from, step);
        memcpy(to + have, from, text);
        have += text;
        if (text < step)
            return have;
    }
    return have;
}

/* ---- forgetting ---- */

int td_left_any(void)
{
    return atomic_load_explicit(&any, memory_order_relaxed);
}

unsigned td_left_without(void)
{
    td_guard_enter(TD_GUARD_LEFT);
    unsigned count = without;
    td_guard_leave(TD_GUARD_LEFT);
    return count;
}

static int is_over(struct td_left *left, int64_t time, uint32_t serial, int64_t now_ms)
{
    if (time == INT64_MAX || (time >= left->time && now_ms - left->left_ms > KEEP_MS))
        left->passed = 1;
    return left->passed && (int32_t)(left->serial - serial) <= 0 && !td_kept_refers(left->start, left->end);
}

void td_left_sweep(int64_t time, uint32_t serial)
{
    struct td_quiet quiet;
    int64_t now_ms = td_mono_ns() / 1000000;
    td_quiet_begin(&quiet);
    td_guard_enter(TD_GUARD_LEFT);
    for (struct td_left *left = first, *next; left; left = next) {
        next = left->next;
        if (!is_over(left, time, serial, now_ms))
            continue;
        unlink_locked(left);
        free_locked(left);
    }
    atomic_store(&any, first != NULL);
    td_guard_leave(TD_GUARD_LEFT);
    td_quiet_end(&quiet);
}

/* A child has none of the events. */
void td_left_forked(void)
{
    while (first) {
        struct td_left *left = first;
        unlink_locked(left);
        free_locked(left);
    }
    atomic_store(&any, 0);
}
