/* Reads a kernel's ELF: header, segments, table, symbols, build id; then its sites (image_sites.c). */
#include "host/device/image/image_internal.h"
#include "proto/device/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ELF_BYTES (UINT64_C(1) << 30)

static char *read_all(const char *path, size_t *size, struct td_err *err)
{
    char *bytes = NULL;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        td_fail(err, TD_E_NOTFOUND, "there is no ELF %s", path);
        return NULL;
    }
    if (fd < 0 || fstat(fd, &st) != 0) {
        td_fail_errno(err, "cannot read ELF %s", path);
        goto out;
    }
    if (!S_ISREG(st.st_mode) || st.st_size < EI_NIDENT || (uint64_t)st.st_size > MAX_ELF_BYTES) {
        td_fail(err, TD_E_FORMAT, "%s is not an ELF file", path);
        goto out;
    }
    *size = (size_t)st.st_size;
    bytes = malloc(*size);
    if (!bytes)
        td_fail(err, TD_E_NOMEM, "no memory for ELF %s", path);
    for (size_t got = 0; bytes && got < *size;) {
        ssize_t n = read(fd, bytes + got, *size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            td_fail_errno(err, "cannot read ELF %s", path);
            free(bytes);
            bytes = NULL;
            break;
        }
        got += (size_t)n;
    }
out:
    if (fd >= 0)
        close(fd);
    return bytes;
}

static int bad(const char *path, struct td_err *err, const char *what)
{
    return td_fail(err, TD_E_FORMAT, "%s: %s", path, what);
}

static int check_header(struct td_image *image, const char *path, struct td_err *err)
{
    image->elf = elf_memory(image->bytes, image->size);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
        return bad(path, err, "not an ELF file");
    GElf_Ehdr h, *header = gelf_getehdr(image->elf, &h);
    if (!header || gelf_getclass(image->elf) != ELFCLASS32 || header->e_machine != EM_RISCV ||
        header->e_type != ET_EXEC || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return bad(path, err, "not a linked program for RV32");
    image->entry = (uint32_t)header->e_entry;
    return 0;
}

static int read_segments(struct td_image *image, const char *path, struct td_err *err)
{
    size_t count;
    if (elf_getphdrnum(image->elf, &count) != 0 || count > image->size / sizeof(Elf32_Phdr))
        return bad(path, err, "program headers cannot be read");
    image->segments = calloc(count ? count : 1, sizeof *image->segments);
    if (!image->segments)
        return td_fail(err, TD_E_NOMEM, "no memory for ELF %s", path);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p; /* libelf's own pointers may be misaligned in a damaged file */
        if (!gelf_getphdr(image->elf, (int)i, &p))
            return bad(path, err, "program headers cannot be read");
        if (p.p_type != PT_LOAD)
            continue;
        if (p.p_offset > image->size || p.p_filesz > image->size - p.p_offset || p.p_filesz > p.p_memsz ||
            p.p_memsz > UINT32_MAX - p.p_paddr)
            return bad(path, err, "a segment does not fit into the file or the address space");
        image->segments[image->segment_count++] =
            (struct td_segment){(uint32_t)p.p_paddr, (uint32_t)p.p_vaddr, (uint32_t)p.p_filesz,
                                (uint32_t)p.p_memsz, image->bytes + p.p_offset};
    }
    return 0;
}

/* Of a guest the build id is what its runtime makes (proto/device/site.h), not what its linker has made. */
static int read_guest(struct td_image *image, const char *path, struct td_err *err)
{
    GElf_Shdr h, sum[2] = {0};
    const char *data, *none;
    uint32_t words[TD_GUEST_BYTES / 4];
    if (!td_image_section(image, TD_SECTION_GUEST, &h, &data))
        return 0;
    if (!data || h.sh_size < TD_GUEST_BYTES)
        return bad(path, err, "section " TD_SECTION_GUEST " is too short");
    memcpy(words, data, sizeof words);
    if (words[0] != TD_GUEST_MAGIC)
        return bad(path, err, "section " TD_SECTION_GUEST " is not one of this kit");
    td_image_section(image, TD_SECTION_SUM0, &sum[0], &none);
    td_image_section(image, TD_SECTION_SUM1, &sum[1], &none);
    image->is_guest = true;
    image->build_id = (uint64_t)TD_GUEST_ID1((uint32_t)(sum[1].sh_addr + sum[1].sh_size)) << 32 |
                      TD_GUEST_ID0((uint32_t)(sum[0].sh_addr + sum[0].sh_size), words[2]);
    return 0;
}

static void read_build_id(struct td_image *image)
{
    Elf_Scn *scn = NULL;
    while ((scn = elf_nextscn(image->elf, scn))) {
        GElf_Shdr h;
        Elf_Data *data = gelf_getshdr(scn, &h) && h.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) : NULL;
        GElf_Nhdr note;
        size_t at = 0, name, desc;
        while (data && at < data->d_size && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
            if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
                memcmp((char *)data->d_buf + name, "GNU", 4) != 0)
                continue;
            memcpy(&image->build_id, (char *)data->d_buf + desc, note.n_descsz < 8 ? note.n_descsz : 8);
            return;
        }
    }
}

static int by_address(const void *a, const void *b)
{
    const struct td_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    /* Of two names for one place the one with a size is the function. */
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_code(const struct td_image *image, const Elf32_Sym *s)
{
    Elf_Scn *scn = s->st_shndx < SHN_LORESERVE ? elf_getscn(image->elf, s->st_shndx) : NULL;
    GElf_Shdr h;
    int type = ELF32_ST_TYPE(s->st_info);
    return scn && gelf_getshdr(scn, &h) && (h.sh_flags & SHF_EXECINSTR) &&
           (type == STT_FUNC || type == STT_NOTYPE);
}

static int read_symbols(struct td_image *image, const char *path, struct td_err *err)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr h;
    while ((scn = elf_nextscn(image->elf, scn)))
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_SYMTAB)
            break;
    Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
    if (!data)
        return 0;
    size_t count = data->d_size / sizeof(Elf32_Sym);
    image->symbols = calloc(count ? count : 1, sizeof *image->symbols);
    if (!image->symbols)
        return td_fail(err, TD_E_NOMEM, "no memory for ELF %s", path);
    for (size_t i = 0; i < count; i++) {
        Elf32_Sym s;
        memcpy(&s, (const char *)data->d_buf + i * sizeof s, sizeof s);
        const char *name = is_code(image, &s) ? elf_strptr(image->elf, h.sh_link, s.st_name) : NULL;
        if (name && *name && *name != '$' && strncmp(name, ".L", 2) != 0)
            image->symbols[image->symbol_count++] = (struct td_symbol){s.st_value, s.st_size, name};
    }
    qsort(image->symbols, image->symbol_count, sizeof *image->symbols, by_address);
    return 0;
}

static int read_table(struct td_image *image, const char *path, struct td_err *err)
{
    GElf_Shdr h;
    const char *data;
    if (!td_image_section(image, TD_SECTION_IMAGE, &h, &data))
        return 0;
    /* Those of other versions may be shorter: what loads an image refuses them by their version. */
    if (!data || h.sh_size < TD_IMAGE_BYTES_LEAST)
        return bad(path, err, "section " TD_SECTION_IMAGE " is too short");
    memcpy(image->table, data, h.sh_size < TD_IMAGE_TABLE_BYTES ? h.sh_size : TD_IMAGE_TABLE_BYTES);
    image->has_table = 1;
    if (image->table[TD_IMAGE_magic] != TD_IMAGE_MAGIC)
        return bad(path, err, "section " TD_SECTION_IMAGE " is not one of this kit");
    if (image->table[TD_IMAGE_version] == TD_DEVICE_PROTO_VERSION && h.sh_size < TD_IMAGE_TABLE_BYTES)
        return bad(path, err, "section " TD_SECTION_IMAGE " is too short");
    return 0;
}

struct td_image *td_image_open(const char *path, struct td_err *err)
{
    elf_version(EV_CURRENT);
    struct td_image *image = calloc(1, sizeof *image);
    if (!image) {
        td_fail(err, TD_E_NOMEM, "no memory for ELF %s", path);
        return NULL;
    }
    image->bytes = read_all(path, &image->size, err);
    if (!image->bytes || check_header(image, path, err) || read_segments(image, path, err) ||
        read_table(image, path, err) || read_guest(image, path, err) || read_symbols(image, path, err) ||
        td_image_read_sites(image, path, err) || td_image_read_switches(image, path, err) ||
        td_image_find_costs(image, err)) {
        td_image_close(image);
        return NULL;
    }
    if (!image->is_guest)
        read_build_id(image);
    td_image_name_functions(image);
    return image;
}

void td_image_close(struct td_image *image)
{
    if (!image)
        return;
    dwarf_end(image->dwarf);
    elf_end(image->elf);
    free(image->segments);
    free(image->sites);
    free(image->open_sites);
    free(image->pcs);
    free(image->switches);
    free(image->symbols);
    free(image->bytes);
    free(image);
}
