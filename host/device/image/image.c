/* Answers questions about an image that has been read: its words, segments, sites, symbols, strings,
 * sections. */
#include "host/base/sorted.h"
#include "host/device/image/image_internal.h"

#include <stdio.h>
#include <string.h>

/* The sections of these ELFs are 32-bit little-endian, as this host is; so their data needs no translation.
 */
static Elf_Scn *find_section(const struct td_image *image, const char *name, GElf_Shdr *header,
                             const char **data)
{
    size_t names;
    Elf_Scn *scn = NULL;
    *data = NULL;
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return NULL;
    while ((scn = elf_nextscn(image->elf, scn))) {
        const char *own = gelf_getshdr(scn, header) ? elf_strptr(image->elf, names, header->sh_name) : NULL;
        if (!own || strcmp(own, name) != 0)
            continue;
        if (header->sh_type != SHT_NOBITS && header->sh_offset <= image->size &&
            header->sh_size <= image->size - header->sh_offset)
            *data = image->bytes + header->sh_offset;
        return scn;
    }
    return NULL;
}

Elf_Scn *td_image_section(const struct td_image *image, const char *name, GElf_Shdr *header,
                          const char **data)
{
    char of_guest[64];
    Elf_Scn *scn = find_section(image, name, header, data);
    if (scn || *name != '.')
        return scn;
    snprintf(of_guest, sizeof of_guest, TD_SECTION_OF_GUEST "%s", name + 1);
    return find_section(image, of_guest, header, data);
}

uint64_t td_image_build_id(const struct td_image *image)
{
    return image->build_id;
}

void td_build_id_text(uint64_t build_id, char text[17])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 8; i++, build_id >>= 8) {
        text[2 * i] = digits[build_id >> 4 & 15];
        text[2 * i + 1] = digits[build_id & 15];
    }
    text[16] = 0;
}

const uint32_t *td_image_table(const struct td_image *image)
{
    return image->has_table ? image->table : NULL;
}

uint32_t td_image_entry(const struct td_image *image)
{
    return image->entry;
}

size_t td_image_segment_count(const struct td_image *image)
{
    return image->segment_count;
}

const struct td_segment *td_image_segment(const struct td_image *image, size_t index)
{
    return index < image->segment_count ? &image->segments[index] : NULL;
}

const void *td_image_bytes(const struct td_image *image, size_t *bytes)
{
    *bytes = image->size;
    return image->bytes;
}

size_t td_image_site_count(const struct td_image *image)
{
    return image->site_count;
}

const struct td_site *td_image_site(const struct td_image *image, uint32_t id)
{
    return id < image->site_count && image->sites[id].kind != TD_SITE_NONE ? &image->sites[id] : NULL;
}

uint32_t td_image_open_words(const struct td_image *image, uint32_t *address)
{
    *address = image->open_address;
    return image->open_words;
}

uint32_t td_image_open_site(const struct td_image *image, uint32_t word)
{
    return word < image->open_words ? image->open_sites[word] : TD_SITE_NO_WORD;
}

size_t td_image_symbol_after(const struct td_image *image, uint32_t address)
{
    size_t low = 0, high = image->symbol_count;
    TD_BISECT(low, high, middle, image->symbols[middle].address <= address);
    return low;
}

const char *td_image_symbol(const struct td_image *image, uint32_t address, uint32_t *offset)
{
    const size_t low = td_image_symbol_after(image, address);
    if (low == 0)
        return NULL;
    /* The first of those at that address is the best name. */
    const struct td_symbol *s = &image->symbols[low - 1];
    while (s > image->symbols && s[-1].address == s->address)
        s--;
    if (s->bytes && address - s->address >= s->bytes)
        return NULL;
    *offset = address - s->address;
    return s->name;
}

const char *td_image_string(const struct td_image *image, uint32_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct td_segment *s = &image->segments[i];
        uint32_t at = address - s->virtual_address;
        if (address < s->virtual_address || at >= s->file_bytes)
            continue;
        const char *text = (const char *)s->data + at;
        return memchr(text, 0, s->file_bytes - at) ? text : NULL;
    }
    return NULL;
}
