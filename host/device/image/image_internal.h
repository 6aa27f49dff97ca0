/* The inside of an image, shared by image*.c: image_open.c and image_sites.c read it; image.c answers
 * questions about it. */
#pragma once
#include "host/device/image/image.h"

#include <elfutils/libdw.h>
#include <gelf.h>

struct td_symbol {
    uint32_t address, bytes; /* 0 bytes: up to the next symbol */
    const char *name;
};

/* A site while it is being read: where its code is. */
struct td_site_pc {
    uint32_t pc, id;
};

/* Instructions from `first` up to `end` that belong to one zone's site (proto/device/site.h). */
struct td_switch {
    uint32_t id, first, end;
};

struct td_image {
    char *bytes; /* the whole file; libelf works on it in place */
    size_t size;
    Elf *elf;
    Dwarf *dwarf; /* NULL: none; the names of functions live in it */
    uint64_t build_id;
    bool is_guest; /* was linked with a script that is not this kit's */
    uint32_t entry;
    int has_table;
    uint32_t table[TD_IMAGE_TABLE_BYTES / 4]; /* of .td_image */
    struct td_segment *segments;
    size_t segment_count;
    struct td_site *sites; /* by id; kind = TD_SITE_NONE where there is none */
    size_t site_count;
    uint32_t open_address, open_words; /* of .td_open */
    uint32_t *open_sites;              /* id of each word's site */
    struct td_site_pc *pcs;            /* sites with a pc, by pc */
    size_t pc_count;
    struct td_switch *switches; /* by address of their first instruction */
    size_t switch_count;
    struct td_symbol *symbols; /* by address */
    size_t symbol_count;
};

#define TD_SITE_NONE UINT32_MAX

/* image_sites.c. Reads .td_ids, .td_sites and .td_strings. */
int td_image_read_sites(struct td_image *image, const char *path, struct td_err *err);
/* Names the function of each site: the innermost one that DWARF knows at its pc, inlined ones too, else the
 * symbol's. */
void td_image_name_functions(struct td_image *image);
/* image_switches.c, after the sites. */
int td_image_read_switches(struct td_image *image, const char *path, struct td_err *err);
/* image.c. Place of the first symbol after this address; symbol_count: there is none. */
size_t td_image_symbol_after(const struct td_image *image, uint32_t address);
/* image_switches.c. The bytes at an address of the loaded image; NULL: they are not loaded from the file. */
const char *td_image_loaded(const struct td_image *image, uint32_t address, uint32_t bytes);
/* image_costs.c, after the switches and symbols: sets `instructions` of each site. 0 or TD_E_NOMEM. */
int td_image_find_costs(struct td_image *image, struct td_err *err);
/* image.c. A section's header and contents by name, or by the name that it has in a guest; NULL: no such section
 * (data is NULL too when it has no contents). */
Elf_Scn *td_image_section(const struct td_image *image, const char *name, GElf_Shdr *header,
                          const char **data);
