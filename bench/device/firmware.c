#include "bench/device/firmware.h"

#include "host/device/image/image.h"
#include "proto/device/packet.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

/* Where boards/tensix_sim has them. */
#define L1_BYTES    1499136
#define LOCAL_BASE  0xffb00000
#define LOCAL_BYTES 4096
#define REGISTERS   0xffb12000
#define CLOCK_LOW   0x1f0
#define MARK        0xf0c
#define ADVANCE     0xf00 /* of the clock, by what is written */
#define LANE_BASE   0x400
#define LANES       5
#define RING_SLOTS  256
#define LANE        (LANE_BASE + TD_TILE_CTRL_BYTES)
#define RING        (LANE_BASE + TD_TILE_CTRL_BYTES + LANES * TD_LANE_CTRL_BYTES)

struct firmware {
    uc_engine *uc;
    uint8_t *l1, *local;
    uint64_t ticks, limit;
    int marked, drains;
    struct core_model model[2];
    uint32_t pc, instruction; /* the one that waits for its address */
    void *elf;
};

/* Unicorn keeps what it knows of pages with code; asked by the leak checker of builds that have one. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libunicorn";
}

static uint32_t *word(struct firmware *f, uint32_t address)
{
    return (uint32_t *)(f->l1 + address);
}

static void *read_file(const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        perror(path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(bytes + 1);
    if (data && fread(data, 1, bytes, file) != bytes) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static const Elf32_Sym *find_symbol(const void *elf, const char *name)
{
    const Elf32_Ehdr *head = elf;
    const Elf32_Shdr *all = (const void *)((const uint8_t *)elf + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (all[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf32_Sym *symbol = (const void *)((const uint8_t *)elf + all[i].sh_offset);
        const char *texts = (const char *)elf + all[all[i].sh_link].sh_offset;
        for (size_t j = 0; j < all[i].sh_size / sizeof *symbol; j++)
            if (strcmp(texts + symbol[j].st_name, name) == 0)
                return &symbol[j];
    }
    return NULL;
}

/* The next function in .text after this one; an upper bound if there is none. */
static uint32_t next_function(const void *elf, const Elf32_Sym *function)
{
    const Elf32_Ehdr *head = elf;
    const Elf32_Shdr *all = (const void *)((const uint8_t *)elf + head->e_shoff);
    uint32_t next = UINT32_MAX;
    for (int i = 0; i < head->e_shnum; i++) {
        const Elf32_Sym *symbol = (const void *)((const uint8_t *)elf + all[i].sh_offset);
        for (size_t j = 0; all[i].sh_type == SHT_SYMTAB && j < all[i].sh_size / sizeof *symbol; j++)
            if (ELF32_ST_TYPE(symbol[j].st_info) == STT_FUNC && symbol[j].st_value > function->st_value &&
                symbol[j].st_value < next)
                next = symbol[j].st_value;
    }
    return next;
}

long firmware_function_bytes(const char *path, const char *name)
{
    void *elf = read_file(path);
    const Elf32_Sym *symbol = elf ? find_symbol(elf, name) : NULL;
    /* Not st_size: the jump to the slow path comes after the function's end. */
    long bytes = symbol ? (long)(next_function(elf, symbol) - symbol->st_value) : -1;
    free(elf);
    return bytes;
}

static uint64_t read_register(uc_engine *uc, uint64_t offset, unsigned bytes, void *self)
{
    struct firmware *f = self;
    return offset == CLOCK_LOW ? (uint32_t)(f->ticks += 10) : (uint32_t)(f->ticks >> 32);
}

static void write_register(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *self)
{
    struct firmware *f = self;
    if (offset == MARK)
        f->marked = value != 0;
    else if (offset == ADVANCE)
        f->ticks += value;
}

static void drain(struct firmware *f)
{
    uint32_t *head = word(f, LANE + TD_LANE_head);
    for (;;) {
        uint32_t *slot = word(f, RING + *head % RING_SLOTS * TD_SLOT_BYTES);
        if (!(slot[0] & TD_SLOT_VALID))
            return;
        slot[0] = slot[1] = 0;
        ++*head;
    }
}

static void on_head_read(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                         void *self)
{
    struct firmware *f = self;
    if (f->drains)
        drain(f);
}

static uint32_t reg(struct firmware *f, uint32_t number)
{
    uint32_t value = 0;
    uc_reg_read(f->uc, UC_RISCV_REG_X0 + (int)number, &value);
    return value;
}

/* Runs before the instruction; its registers say which address it will use. */
static void on_code(uc_engine *uc, uint64_t address, uint32_t size, void *self)
{
    struct firmware *f = self;
    if (!f->marked)
        return;
    uint32_t i = *word(f, (uint32_t)address), op = i & 0x7f, target = 0;
    if (op == 0x03)
        target = reg(f, i >> 15 & 31) + (uint32_t)((int32_t)i >> 20);
    else if (op == 0x23)
        target = reg(f, i >> 15 & 31) + (((uint32_t)((int32_t)i >> 20) & ~31u) | (i >> 7 & 31));
    for (int m = 0; m < 2; m++)
        core_model_step(&f->model[m], (uint32_t)address, i, target);
}

static int load(struct firmware *f, const struct firmware_run *run)
{
    f->elf = read_file(run->elf);
    if (!f->elf)
        return -1;
    const Elf32_Ehdr *head = f->elf;
    const Elf32_Phdr *segment = (const void *)((uint8_t *)f->elf + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && segment[i].p_filesz)
            memcpy(f->l1 + segment[i].p_paddr, (uint8_t *)f->elf + segment[i].p_offset, segment[i].p_filesz);
    const uint32_t tile[] = {TD_LANE_MAGIC, TD_DEVICE_PROTO_VERSION, LANES, RING_SLOTS, RING - LANE_BASE};
    memcpy(f->l1 + LANE_BASE, tile, sizeof tile);
    *word(f, LANE + TD_LANE_policy) = run->policy;
    *word(f, LANE + TD_LANE_arg) = run->arg;
    *word(f, LANE + TD_LANE_launch) = 1;
    if (run->starts_full)
        *word(f, LANE + TD_LANE_tail) = RING_SLOTS;
    return 0;
}

static bool is_any(const void *none, const struct td_site *site)
{
    return true;
}

static int switch_zones_off(struct firmware *f, const char *path)
{
    struct td_err err = {0};
    struct td_patches patches = {0};
    struct td_image *image = td_image_open(path, &err);
    int rc = image ? td_image_switch_off(image, is_any, NULL, &patches) : err.code;
    if (rc || patches.count == 0)
        fprintf(stderr, "%s: no zone can be switched off %s\n", path, err.text);
    for (size_t i = 0; i < patches.count; i++)
        *word(f, patches.at[i].address) = patches.at[i].instruction;
    rc = patches.count ? rc : -1;
    td_patches_free(&patches);
    td_image_close(image);
    return rc;
}

static int execute(struct firmware *f)
{
    const Elf32_Ehdr *head = f->elf;
    const Elf32_Sym *park = find_symbol(f->elf, "td_park");
    uc_hook hook;
    if (!park || uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &f->uc) != UC_ERR_OK ||
        uc_mem_map_ptr(f->uc, 0, L1_BYTES, UC_PROT_ALL, f->l1) != UC_ERR_OK ||
        uc_mem_map_ptr(f->uc, LOCAL_BASE, LOCAL_BYTES, UC_PROT_ALL, f->local) != UC_ERR_OK ||
        uc_mmio_map(f->uc, REGISTERS, 4096, read_register, f, write_register, f) != UC_ERR_OK ||
        uc_hook_add(f->uc, &hook, UC_HOOK_CODE, (void *)on_code, f, 1, 0) != UC_ERR_OK ||
        uc_hook_add(f->uc, &hook, UC_HOOK_MEM_READ, (void *)on_head_read, f, LANE + TD_LANE_head,
                    LANE + TD_LANE_head + 3) != UC_ERR_OK)
        return -1;
    return uc_emu_start(f->uc, head->e_entry, park->st_value, 0, 0) == UC_ERR_OK ? 0 : -1;
}

int firmware_run(const struct firmware_run *run, struct firmware_result *result)
{
    struct firmware f = {.drains = run->drains,
                         .l1 = aligned_alloc(4096, L1_BYTES),
                         .local = aligned_alloc(4096, LOCAL_BYTES),
                         .model = {{.p = &core_wormhole}, {.p = &core_blackhole}}};
    int rc = -1;
    if (f.l1 && f.local) {
        memset(f.l1, 0, L1_BYTES);
        memset(f.local, 0, LOCAL_BYTES);
        rc = load(&f, run);
    }
    if (rc == 0 && run->zones_off)
        rc = switch_zones_off(&f, run->elf);
    if (rc == 0 && (rc = execute(&f)) != 0)
        fprintf(stderr, "%s does not run\n", run->elf);
    if (rc == 0) {
        /* The store that ends the measured part was seen, too. */
        result->instructions = f.model[0].instructions;
        result->slots = *word(&f, LANE + TD_LANE_tail) - (run->starts_full ? RING_SLOTS : 0);
        for (int i = 0; i < 2; i++)
            result->cycles[i] = core_model_cycles(&f.model[i]);
    }
    if (f.uc)
        uc_close(f.uc);
    free(f.elf);
    free(f.l1);
    free(f.local);
    return rc;
}
