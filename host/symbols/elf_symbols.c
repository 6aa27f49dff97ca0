/* Symbol tables of ELF files. */
#include "host/base/sorted.h"
#include "host/symbols/symbols.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE_MAX (UINT64_C(256) << 20) /* bytes of a table that is read */
#define HEADS_MAX 4096

struct symbol_entry {
    uint64_t address, bytes;
    uint32_t name, rank;
};

struct td_elf_symbols {
    const struct td_symbols_host *host;
    int fd, all, fixed;
    uint64_t file_bytes;
    Elf64_Phdr *segments;
    uint32_t segment_count, count;
    char *names;
    uint64_t names_bytes;
    struct symbol_entry *entries; /* by address */
};

/* Reads a part of the file. NULL: outside of the file, too large, or no memory. */
static void *read_part(const struct td_elf_symbols *elf, uint64_t offset, uint64_t bytes)
{
    if (!bytes || bytes > TABLE_MAX || offset > elf->file_bytes || bytes > elf->file_bytes - offset)
        return NULL;
    char *part = elf->host->take(bytes + 1);
    for (uint64_t have = 0; part && have < bytes;) {
        ssize_t n = pread(elf->fd, part + have, bytes - have, (off_t)(offset + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            elf->host->give(part);
            return NULL;
        }
        have += (uint64_t)n;
    }
    if (part)
        part[bytes] = 0;
    return part;
}

/* ---- sorting (qsort() may allocate memory) ---- */

static bool is_before(const struct symbol_entry *a, const struct symbol_entry *b)
{
    return a->address != b->address ? a->address < b->address : a->rank < b->rank;
}

static void sift_entry(struct symbol_entry *entries, uint32_t root, uint32_t count)
{
    struct symbol_entry moved = entries[root];
    for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(&entries[child], &entries[child + 1]))
            child++;
        if (!is_before(&moved, &entries[child]))
            break;
        entries[root] = entries[child];
    }
    entries[root] = moved;
}

static void sort_entries(struct symbol_entry *entries, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;)
        sift_entry(entries, i, count);
    for (uint32_t i = count; i-- > 1;) {
        struct symbol_entry last = entries[i];
        entries[i] = entries[0];
        entries[0] = last;
        sift_entry(entries, 0, i);
    }
}

/* ---- reading ---- */

/* Among several symbols of one address, the highest rank sorts last and is the one that is found. */
static uint32_t rank_of(const Elf64_Sym *symbol)
{
    unsigned bind = ELF64_ST_BIND(symbol->st_info);
    return (symbol->st_size ? 4 : 0) + (bind == STB_GLOBAL ? 2 : bind == STB_WEAK ? 1 : 0);
}

static void take_symbols(struct td_elf_symbols *elf, const Elf64_Sym *symbols, uint64_t count)
{
    elf->entries = count < UINT32_MAX ? elf->host->take(count * sizeof *elf->entries) : NULL;
    for (uint64_t i = 0; elf->entries && i < count; i++) {
        unsigned type = ELF64_ST_TYPE(symbols[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
            symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_shndx >= SHN_LORESERVE ||
            (type == STT_NOTYPE && !symbols[i].st_size) || symbols[i].st_name >= elf->names_bytes)
            continue;
        elf->entries[elf->count++] = (struct symbol_entry){symbols[i].st_value, symbols[i].st_size,
                                                           symbols[i].st_name, rank_of(&symbols[i])};
    }
    if (elf->entries)
        sort_entries(elf->entries, elf->count);
}

static void read_table(struct td_elf_symbols *elf, const Elf64_Shdr *sections, uint32_t count, uint32_t type)
{
    for (uint32_t i = 0; i < count && !elf->entries; i++) {
        if (sections[i].sh_type != type || sections[i].sh_link >= count)
            continue;
        const Elf64_Shdr *names = &sections[sections[i].sh_link];
        Elf64_Sym *symbols = read_part(elf, sections[i].sh_offset, sections[i].sh_size);
        elf->names = symbols ? read_part(elf, names->sh_offset, names->sh_size) : NULL;
        elf->names_bytes = names->sh_size;
        if (elf->names)
            take_symbols(elf, symbols, sections[i].sh_size / sizeof *symbols);
        elf->host->give(symbols);
    }
}

static bool is_readable(const Elf64_Ehdr *head)
{
    return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
           head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_phentsize == sizeof(Elf64_Phdr) &&
           head->e_phnum < HEADS_MAX;
}

static void read_file(struct td_elf_symbols *elf, const Elf64_Ehdr *head)
{
    elf->segments = read_part(elf, head->e_phoff, (uint64_t)head->e_phnum * sizeof *elf->segments);
    elf->segment_count = elf->segments ? head->e_phnum : 0;
    if (head->e_shentsize != sizeof(Elf64_Shdr))
        return;
    Elf64_Shdr *sections = read_part(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    if (!sections)
        return;
    read_table(elf, sections, head->e_shnum, SHT_SYMTAB);
    elf->all = elf->entries != NULL;
    read_table(elf, sections, head->e_shnum, SHT_DYNSYM);
    elf->host->give(sections);
}

struct td_elf_symbols *td_elf_symbols_open(const struct td_symbols_host *host, int fd)
{
    struct stat st;
    struct td_elf_symbols *elf = host->take(sizeof *elf);
    if (!elf || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        host->give(elf);
        close(fd);
        return NULL;
    }
    *elf = (struct td_elf_symbols){.host = host, .fd = fd, .file_bytes = (uint64_t)st.st_size};
    Elf64_Ehdr *head = read_part(elf, 0, sizeof *head);
    bool good = head && is_readable(head);
    if (good)
        read_file(elf, head);
    elf->fixed = good && head->e_type == ET_EXEC;
    elf->host->give(head);
    close(fd);
    if (good)
        return elf;
    td_elf_symbols_close(elf);
    return NULL;
}

void td_elf_symbols_close(struct td_elf_symbols *elf)
{
    if (!elf)
        return;
    const struct td_symbols_host *host = elf->host;
    host->give(elf->segments);
    host->give(elf->names);
    host->give(elf->entries);
    host->give(elf);
}

bool td_elf_symbols_address(const struct td_elf_symbols *elf, uint64_t offset, uint64_t *address)
{
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const Elf64_Phdr *segment = &elf->segments[i];
        if (segment->p_type != PT_LOAD || offset < segment->p_offset ||
            offset - segment->p_offset >= segment->p_filesz)
            continue;
        *address = offset - segment->p_offset + segment->p_vaddr;
        return true;
    }
    return false;
}

bool td_elf_symbols_find(const struct td_elf_symbols *elf, uint64_t address, struct td_elf_symbol *symbol)
{
    const size_t after = TD_SORTED_UP_TO(elf->entries, elf->count, address, address);
    /* Symbols may overlap: take the nearest that contains the address. */
    for (size_t i = after; i-- > 0 && after - i <= 16;) {
        const struct symbol_entry *entry = &elf->entries[i];
        int first_without_size = !entry->bytes && i == after - 1 && address == entry->address;
        if (address - entry->address >= entry->bytes && !first_without_size)
            continue;
        *symbol = (struct td_elf_symbol){elf->names + entry->name, entry->address, entry->bytes};
        return true;
    }
    return false;
}

bool td_elf_symbols_are_all(const struct td_elf_symbols *elf)
{
    return elf->all;
}

bool td_elf_symbols_are_fixed(const struct td_elf_symbols *elf)
{
    return elf->fixed;
}

bool td_elf_symbols_at(const struct td_elf_symbols *elf, uint32_t index, struct td_elf_symbol *symbol)
{
    if (index >= elf->count)
        return false;
    const struct symbol_entry *entry = &elf->entries[index];
    *symbol = (struct td_elf_symbol){elf->names + entry->name, entry->address, entry->bytes};
    return true;
}
