#include "tests/device/tiny_elf.h"

#include "proto/device/site.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define STRINGS 0x70000000

enum { NONE, IDS, TEXTS, SITES, OPEN, NOTE, NAMES, SECTIONS };

struct tiny {
    Elf32_Ehdr head;
    Elf32_Shdr sections[SECTIONS];
    char names[80];
    char texts[TINY_ZONES][8];
    uint32_t sites[TINY_ZONES][TD_SITE_BYTES / 4];
    struct {
        Elf32_Nhdr head;
        char owner[4];
        uint64_t id;
    } __attribute__((packed)) note;
};

static void add(struct tiny *t, int number, uint32_t type, const char *name, const Elf32_Shdr *like)
{
    Elf32_Shdr *names = &t->sections[NAMES];
    t->sections[number] = *like;
    t->sections[number].sh_type = type;
    t->sections[number].sh_name = names->sh_size;
    strcpy(t->names + names->sh_size, name);
    names->sh_size += (Elf32_Word)strlen(name) + 1;
}

int tiny_elf_write(const char *path, uint32_t open)
{
    struct tiny t = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
                 .e_type = ET_EXEC,
                 .e_machine = EM_RISCV,
                 .e_version = EV_CURRENT,
                 .e_shoff = offsetof(struct tiny, sections),
                 .e_ehsize = sizeof(Elf32_Ehdr),
                 .e_shentsize = sizeof(Elf32_Shdr),
                 .e_shnum = SECTIONS,
                 .e_shstrndx = NAMES},
        .note = {{4, 8, NT_GNU_BUILD_ID}, "GNU", TINY_BUILD_ID}};
    for (uint32_t i = 0; i < TINY_ZONES; i++) {
        snprintf(t.texts[i], sizeof t.texts[i], "zone %u", i);
        const uint32_t text = STRINGS + i * (uint32_t)sizeof t.texts[i];
        const uint32_t site[] = {
            TD_ID_BASE + i * TD_ID_STRIDE, text, text, i + 1, 0, 0, TD_SITE_ZONE, open + 4 * i};
        memcpy(t.sites[i], site, sizeof site);
    }
    t.sections[NAMES] =
        (Elf32_Shdr){.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct tiny, names), .sh_size = 1};
    add(&t, IDS, SHT_NOBITS, TD_SECTION_IDS,
        &(Elf32_Shdr){.sh_addr = TD_ID_BASE, .sh_size = TINY_ZONES * TD_ID_STRIDE});
    add(&t, TEXTS, SHT_PROGBITS, TD_SECTION_STRINGS,
        &(Elf32_Shdr){
            .sh_addr = STRINGS, .sh_offset = offsetof(struct tiny, texts), .sh_size = sizeof t.texts});
    add(&t, SITES, SHT_PROGBITS, TD_SECTION_SITES,
        &(Elf32_Shdr){.sh_offset = offsetof(struct tiny, sites), .sh_size = sizeof t.sites});
    add(&t, OPEN, SHT_NOBITS, TD_SECTION_OPEN, &(Elf32_Shdr){.sh_addr = open, .sh_size = 4 * TINY_ZONES});
    add(&t, NOTE, SHT_NOTE, ".note",
        &(Elf32_Shdr){.sh_offset = offsetof(struct tiny, note), .sh_size = sizeof t.note, .sh_addralign = 4});
    FILE *f = fopen(path, "wbe");
    if (!f)
        return -1;
    const int wrong = fwrite(&t, sizeof t, 1, f) != 1;
    return fclose(f) || wrong ? -1 : 0;
}
