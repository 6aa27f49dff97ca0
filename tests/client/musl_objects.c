/* Debian's libgcc is one for glibc, and asks it for a program's unwind tables. Where libgcc was built for musl, it looks itself. */
#include <link.h>
#include <stdint.h>

struct dl_find_object {
    unsigned long long flags;
    void *begin, *end;
    struct link_map *link_map;
    void *eh_frame;
    unsigned long long reserved[7];
};

struct search {
    uintptr_t address;
    struct dl_find_object *result;
};

int _dl_find_object(void *address, struct dl_find_object *result);

static int look_into(struct dl_phdr_info *info, size_t bytes, void *p)
{
    struct search *search = p;
    int found = 0;
    (void)bytes;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && search->address >= begin && search->address - begin < part->p_memsz) {
            search->result->begin = (void *)begin;
            search->result->end = (void *)(begin + part->p_memsz);
            found = 1;
        }
        if (part->p_type == PT_GNU_EH_FRAME)
            search->result->eh_frame = (void *)begin;
    }
    return found;
}

int _dl_find_object(void *address, struct dl_find_object *result)
{
    struct search search = {(uintptr_t)address, result};
    result->flags = 0;
    return dl_iterate_phdr(look_into, &search) ? 0 : -1;
}
