/* A library's memory is kept in pieces that are shared by content, so a library that is loaded and
 * unloaded again and again costs little more than one copy. */
#include "host/client/symbols/unloaded.h"
#include "host/base/err.h"
#include "host/base/clock.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/safe_copy.h"
#include "host/client/platform/session_state.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/replayed.h"

#include <stdbool.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define PARTS_MAX 16
#define PIECE     16320u /* with its head, 16 KiB of the pool */
#define PAGE      4096u
#define KEEP_MS   2000 /* at least: drain.c waits that long for a missing record, which hides later ones */
#define BUCKETS   4096u

/* The content of a piece of memory, without zeros at its end. */
struct copy {
    struct copy *next;
    uint64_t hash;
    uint32_t users, bytes;
    char data[];
};

/* A part of a library, in pieces of PIECE bytes. Zeros follow a piece's copy; a piece without one is all
 * zero. */
struct memory_piece {
    uint64_t start;
    size_t bytes;
    struct copy **pieces; /* NULL: no memory for them */
};

struct td_unloaded {
    struct td_unloaded *next;
    uint64_t start, end;
    int64_t time, unloaded_ms;
    uint32_t number; /* td_order when it was unloaded */
    uint32_t serial;
    int passed; /* all records from before that were taken */
    unsigned count;
    struct memory_piece parts[PARTS_MAX];
};

atomic_uint td_unloaded_count;
static atomic_ullong lowest = UINT64_MAX, highest; /* addresses of all libraries that were ever unloaded */
/* Under TD_FORK_LOCK_UNLOADED. */
static struct td_unloaded *first, *last; /* oldest first */
static struct copy *copies[BUCKETS];     /* by hash */
static unsigned without;                 /* libraries whose memory could not be kept */
static atomic_int any, exits;            /* whether any is kept; whether the process exits */

bool td_unloaded_covers(uint64_t address)
{
    return address >= atomic_load_explicit(&lowest, memory_order_relaxed) &&
           address < atomic_load_explicit(&highest, memory_order_relaxed);
}

/* ---- the library's memory ---- */

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

/* Whether the memory has pages. Zeros that were never written have none, and reading them would make some.
 * `pages`: /proc/self/pagemap, 8 bytes a page; one of the two highest bits is set if the page exists. */
static bool is_there(int pages, uint64_t start, size_t bytes)
{
    uint64_t entry[PIECE / PAGE + 2], page = (uint64_t)sysconf(_SC_PAGESIZE); /* PAGE or more */
    size_t count = (start + bytes - 1) / page - start / page + 1;
    if (pages < 0 || pread(pages, entry, 8 * count, (off_t)(start / page * 8)) != (ssize_t)(8 * count))
        return 1;
    for (size_t i = 0; i < count; i++)
        if (entry[i] >> 62)
            return 1;
    return 0;
}

/* Pages that cannot be read become zeros: no name can be in them. */
static void read_memory(uint64_t start, char *to, size_t bytes)
{
    if (td_safe_copy(start, to, bytes))
        return;
    for (size_t at = 0, step; at < bytes; at += step) {
        step = PAGE - ((start + at) & (PAGE - 1));
        if (step > bytes - at)
            step = bytes - at;
        if (!td_safe_copy(start + at, to + at, step))
            memset(to + at, 0, step);
    }
}

/* A copy with that content, new or shared. NULL: no memory. */
static struct copy *keep_copy(const char *data, size_t bytes)
{
    uint64_t hash = hash_of(data, bytes);
    struct copy **bucket = &copies[hash % BUCKETS], *copy;
    td_fork_lock_acquire(TD_FORK_LOCK_UNLOADED);
    for (copy = *bucket; copy; copy = copy->next)
        if (copy->hash == hash && copy->bytes == bytes && !memcmp(copy->data, data, bytes))
            break;
    if (copy) {
        copy->users++;
    } else if (td_queue_has_room(bytes) && (copy = td_pool_alloc(sizeof *copy + bytes))) {
        *copy = (struct copy){.next = *bucket, .hash = hash, .users = 1, .bytes = (uint32_t)bytes};
        memcpy(copy->data, data, bytes);
        *bucket = copy;
    }
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    return copy;
}

static void drop_copy_locked(struct copy *copy)
{
    if (!copy || --copy->users)
        return;
    struct copy **at = &copies[copy->hash % BUCKETS];
    while (*at != copy)
        at = &(*at)->next;
    *at = copy->next;
    td_pool_free(copy);
}

static size_t count_of(const struct memory_piece *part)
{
    return (part->bytes + PIECE - 1) / PIECE;
}

static int copy_part(struct memory_piece *part, uint64_t file_end, int pages)
{
    char data[PIECE];
    part->pieces = td_pool_alloc(count_of(part) * sizeof *part->pieces);
    if (!part->pieces)
        return TD_E_NOMEM;
    memset(part->pieces, 0, count_of(part) * sizeof *part->pieces);
    for (size_t at = 0; at < part->bytes; at += PIECE) {
        size_t bytes = part->bytes - at < PIECE ? part->bytes - at : PIECE;
        if (part->start + at >= file_end && !is_there(pages, part->start + at, bytes))
            continue;
        read_memory(part->start + at, data, bytes);
        while (bytes && !data[bytes - 1])
            bytes--;
        if (bytes && !(part->pieces[at / PIECE] = keep_copy(data, bytes)))
            return TD_E_NOMEM;
    }
    return 0;
}

/* ---- which library ---- */

struct segment_search {
    uint64_t place;
    struct td_unloaded *library;
    uint64_t file_end[PARTS_MAX]; /* of each part: after it all was zero at first */
    int index, found;
};

static bool is_in_library(const struct dl_phdr_info *info, uint64_t place)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && place - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return 1;
    }
    return 0;
}

static void add_part(struct segment_search *search, uint64_t start, uint64_t end, uint64_t file_end)
{
    struct td_unloaded *library = search->library;
    if (start >= end || library->count == PARTS_MAX)
        return;
    search->file_end[library->count] = file_end;
    library->parts[library->count++] = (struct memory_piece){.start = start, .bytes = end - start};
}

/* Memory that is read-only after relocation is a part of its own: it is the same each time the library is
 * loaded at this address. */
static void add_segment(struct segment_search *search, const struct dl_phdr_info *info, const ElfW(Phdr) * p)
{
    uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz, file_end = start + p->p_filesz;
    uint64_t cut = start;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *relro = &info->dlpi_phdr[i];
        uint64_t relro_end = info->dlpi_addr + relro->p_vaddr + relro->p_memsz;
        if (relro->p_type == PT_GNU_RELRO && relro_end > start && relro_end < end)
            cut = relro_end;
    }
    add_part(search, start, cut, file_end);
    add_part(search, cut, end, file_end);
}

/* Whether the library has a segment that is only readable. Else the linker put its constants, among them
 * names, into the segment of the code. */
static bool has_constants_apart(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && !(info->dlpi_phdr[i].p_flags & (PF_W | PF_X)))
            return 1;
    return 0;
}

static int take_object(struct dl_phdr_info *info, size_t bytes, void *self)
{
    struct segment_search *search = self;
    int is_program = search->index++ == 0; /* never unloaded */
    if (!is_in_library(info, search->place))
        return 0;
    search->found = !is_program && !is_in_library(info, (uintptr_t)&first); /* it has this client: both end */
    int apart = has_constants_apart(info);
    struct td_unloaded *library = search->library;
    library->start = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        library->start = start < library->start ? start : library->start;
        library->end = start + p->p_memsz > library->end ? start + p->p_memsz : library->end;
        if (!apart || !(p->p_flags & PF_X))
            add_segment(search, info, p);
    }
    return 1;
}

/* ---- unloading ---- */

void td_unloaded_process_exits(void)
{
    atomic_store(&exits, 1);
}

/* Whether events that refer to the library may still be sent. */
static bool is_wanted(const struct td_unloaded *library)
{
    int state = td_session_state();
    if (!td_client_begin_ticks() || state == TD_CLIENT_OVER || atomic_load(&exits))
        return 0;
    return state == TD_CLIENT_CONNECTED || td_client_is_live() ||
           td_replayed_refers(library->start, library->end);
}

/* Whether there was memory for all. */
static bool copy_parts(struct td_unloaded *library, const uint64_t *file_end)
{
    bool whole = true;
    int pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    for (unsigned i = 0; whole && i < library->count; i++)
        whole = copy_part(&library->parts[i], file_end[i], pages) == 0;
    if (pages >= 0)
        close(pages);
    return whole;
}

static bool is_same(const struct td_unloaded *a, const struct td_unloaded *b)
{
    if (a->start != b->start || a->end != b->end || a->count != b->count)
        return 0;
    for (unsigned i = 0; i < a->count; i++)
        if (a->parts[i].start != b->parts[i].start || a->parts[i].bytes != b->parts[i].bytes ||
            !a->parts[i].pieces || !b->parts[i].pieces ||
            memcmp(a->parts[i].pieces, b->parts[i].pieces, count_of(&a->parts[i]) * sizeof(struct copy *)))
            return 0;
    return 1;
}

static void free_locked(struct td_unloaded *library)
{
    for (unsigned i = 0; i < library->count; i++) {
        struct memory_piece *part = &library->parts[i];
        for (size_t k = 0; part->pieces && k < count_of(part); k++)
            drop_copy_locked(part->pieces[k]);
        td_pool_free(part->pieces);
    }
    td_pool_free(library);
}

static void unlink_locked(struct td_unloaded *library)
{
    struct td_unloaded *before = NULL;
    for (struct td_unloaded *at = first; at != library; at = at->next)
        before = at;
    if (before)
        before->next = library->next;
    else
        first = library->next;
    if (last == library)
        last = before;
}

/* Forgets the last library at these addresses if its memory was the same: one copy serves both times. */
static void forget_twin_locked(const struct td_unloaded *library)
{
    struct td_unloaded *overlaps = NULL;
    for (struct td_unloaded *at = first; at; at = at->next)
        if (at->start < library->end && library->start < at->end)
            overlaps = at;
    if (!overlaps || !is_same(overlaps, library))
        return;
    unlink_locked(overlaps);
    free_locked(overlaps);
}

static void add_locked(struct td_unloaded *library)
{
    forget_twin_locked(library);
    if (library->start < atomic_load(&lowest))
        atomic_store(&lowest, library->start);
    if (library->end > atomic_load(&highest))
        atomic_store(&highest, library->end);
    library->serial = atomic_load(&td_unloaded_count) + 1;
    library->unloaded_ms = td_mono_ms();
    library->number = atomic_load(&td_order);
    library->time = (int64_t)td_client_ticks();
    if (last)
        last->next = library;
    else
        first = library;
    last = library;
    atomic_store(&any, 1);
    atomic_store(&td_unloaded_count, library->serial);
}

void td_client_library_unloads(const void *place)
{
    struct td_signals signals;
    td_signals_block(&signals); /* a thread that is stopped while it holds the lock would stop the session */
    struct td_unloaded *library = td_pool_alloc(sizeof *library);
    struct segment_search search = {.place = (uintptr_t)place, .library = library};
    if (library) {
        *library = (struct td_unloaded){0};
        dl_iterate_phdr(take_object, &search);
    }
    if (search.found && is_wanted(library)) {
        int whole = copy_parts(library, search.file_end);
        td_fork_lock_acquire(TD_FORK_LOCK_UNLOADED);
        without += !whole;
        add_locked(library);
        td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    } else {
        td_pool_free(library);
    }
    td_signals_restore(&signals);
}

/* ---- looking back ---- */

static bool was_loaded_at(const struct td_unloaded *library, const struct td_when *when)
{
    if (when->by_number)
        return !library->passed && (int32_t)(when->number - library->number) < 0;
    return when->time <= library->time;
}

const struct td_unloaded *td_unloaded_at(uint64_t address, const struct td_when *when, int64_t *from,
                                         int64_t *to)
{
    *from = INT64_MIN;
    *to = INT64_MAX;
    for (const struct td_unloaded *library = first; library; library = library->next) {
        if (!td_unloaded_has(library, address))
            continue;
        if (was_loaded_at(library, when)) {
            *to = library->time;
            return library;
        }
        *from = library->time;
    }
    return NULL;
}

const struct td_unloaded *td_unloaded_after(uint32_t serial, const struct td_unloaded *before,
                                            struct td_when *when)
{
    const struct td_unloaded *library = before ? before->next : first;
    while (library && (int32_t)(library->serial - serial) <= 0)
        library = library->next;
    if (library)
        *when = (struct td_when){.time = library->time};
    return library;
}

bool td_unloaded_has(const struct td_unloaded *library, uint64_t address)
{
    return address >= library->start && address < library->end;
}

/* How many bytes from the address on are in one piece; 0: none are kept. *from: their copy, NULL for
 * zeros. */
static size_t find_piece(const struct td_unloaded *library, uint64_t address, const char **from)
{
    *from = NULL;
    for (unsigned i = 0; i < library->count; i++) {
        const struct memory_piece *part = &library->parts[i];
        uint64_t at = address - part->start;
        if (at >= part->bytes)
            continue;
        const struct copy *copy = part->pieces ? part->pieces[at / PIECE] : NULL;
        size_t rest = at + PIECE - at % PIECE < part->bytes ? PIECE - at % PIECE : part->bytes - at;
        if (!copy || at % PIECE >= copy->bytes)
            return part->pieces ? rest : 0;
        *from = copy->data + at % PIECE;
        return copy->bytes - at % PIECE;
    }
    return 0;
}

bool td_unloaded_read(const struct td_unloaded *library, uint64_t address, void *to, size_t bytes)
{
    char *at = to;
    while (bytes) {
        const char *from;
        size_t step = find_piece(library, address, &from);
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

size_t td_unloaded_text(const struct td_unloaded *library, uint64_t address, char *to, size_t room)
{
    size_t have = 0;
    while (have < room) {
        const char *from;
        size_t step = find_piece(library, address + have, &from);
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

bool td_unloaded_any_kept(void)
{
    return atomic_load_explicit(&any, memory_order_relaxed);
}

unsigned td_unloaded_lost_count(void)
{
    td_fork_lock_acquire(TD_FORK_LOCK_UNLOADED);
    unsigned count = without;
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    return count;
}

static bool is_unreferred(struct td_unloaded *library, int64_t time, uint32_t serial, int64_t now_ms)
{
    if (time == INT64_MAX || (time >= library->time && now_ms - library->unloaded_ms > KEEP_MS))
        library->passed = 1;
    return library->passed && (int32_t)(library->serial - serial) <= 0 &&
           !td_replayed_refers(library->start, library->end);
}

void td_unloaded_sweep(int64_t time, uint32_t serial)
{
    struct td_signals signals;
    int64_t now_ms = td_mono_ms();
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_UNLOADED);
    for (struct td_unloaded *library = first, *next; library; library = next) {
        next = library->next;
        if (!is_unreferred(library, time, serial, now_ms))
            continue;
        unlink_locked(library);
        free_locked(library);
    }
    atomic_store(&any, first != NULL);
    td_fork_lock_release(TD_FORK_LOCK_UNLOADED);
    td_signals_restore(&signals);
}

/* The child has none of the parent's events. */
void td_unloaded_forked(void)
{
    while (first) {
        struct td_unloaded *library = first;
        unlink_locked(library);
        free_locked(library);
    }
    atomic_store(&any, 0);
}
