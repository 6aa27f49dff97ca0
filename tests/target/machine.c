#include "tests/target/machine.h"

#include "proto/device/packet.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define REGISTERS   0xffb12000u
#define LOW         0x1f0
#define LIVE_HIGH   0x1f4
#define RING_OFFSET (TD_TILE_CTRL_BYTES + MACHINE_LANES * TD_LANE_CTRL_BYTES)

/* Called by LeakSanitizer: Unicorn does not free its data on pages with code. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libunicorn";
}

static uint64_t read_register(uc_engine *uc, uint64_t offset, unsigned bytes, void *self)
{
    struct machine *m = self;
    uint32_t value = 0;
    if (offset == LOW)
        value = (uint32_t)m->ticks;
    else if (offset == LIVE_HIGH)
        value = (uint32_t)(m->ticks >> 32);
    else
        return 0;
    m->ticks += m->ticks_per_read;
    if (m->wrap_after && --m->wrap_after == 0)
        m->ticks = ((m->ticks >> 32) + 1) << 32;
    return value;
}

static void write_register(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *self)
{
    struct machine *m = self;
    if (offset == 0xf00)
        m->ticks += value;
    else if (offset == 0xf04)
        m->ticks += value << 16;
    else if (offset == 0xf08)
        m->wrap_after = (uint32_t)value;
    else if (offset == 0xf10)
        m->ticks = (m->ticks & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
    else if (offset == 0xf0c) {
        m->counting = value != 0;
        if (m->note_count < sizeof m->notes / sizeof *m->notes)
            m->notes[m->note_count++] = (uint32_t)value;
    } else if (m->other_write)
        m->other_write(m, (uint32_t)(REGISTERS + offset), (uint32_t)value, m->other_write_self);
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *self)
{
    struct machine *m = self;
    m->instructions += m->counting || m->counts_all;
}

static void on_store(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *self)
{
    struct machine *m = self;
    m->stores += m->counting || m->counts_all;
}

static void count(struct machine *m, uc_hook hooks[2])
{
    m->instructions = m->stores = 0;
    m->counting = false;
    assert_int_equal(uc_hook_add(m->uc, &hooks[0], UC_HOOK_CODE, (void *)on_instruction, m, 1, 0), UC_ERR_OK);
    assert_int_equal(
        uc_hook_add(m->uc, &hooks[1], UC_HOOK_MEM_WRITE, (void *)on_store, m, 0, MACHINE_L1_BYTES - 1),
        UC_ERR_OK);
}

static void on_head_read(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                         void *self)
{
    struct machine *m = self;
    m->head_reads++;
    if (m->head_read)
        m->head_read(m, m->head_read_self);
}

struct machine *machine_create(void)
{
    struct machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->l1 = aligned_alloc(4096, MACHINE_L1_BYTES);
    m->local = aligned_alloc(4096, MACHINE_LOCAL_BYTES);
    assert_true(m->l1 && m->local);
    memset(m->l1, 0, MACHINE_L1_BYTES);
    memset(m->local, 0xa5, MACHINE_LOCAL_BYTES);
    m->ticks_per_read = 1;
    assert_int_equal(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &m->uc), UC_ERR_OK);
    assert_int_equal(uc_mem_map_ptr(m->uc, 0, MACHINE_L1_BYTES, UC_PROT_ALL, m->l1), UC_ERR_OK);
    assert_int_equal(uc_mem_map_ptr(m->uc, MACHINE_LOCAL_BASE, MACHINE_LOCAL_BYTES, UC_PROT_ALL, m->local),
                     UC_ERR_OK);
    assert_int_equal(uc_mmio_map(m->uc, REGISTERS, 4096, read_register, m, write_register, m), UC_ERR_OK);
    uint32_t tile[6] = {
        TD_LANE_MAGIC, TD_DEVICE_PROTO_VERSION, MACHINE_LANES, MACHINE_RING_SLOTS, RING_OFFSET, 1};
    memcpy(m->l1 + MACHINE_LANE_BASE, tile, sizeof tile);
    return m;
}

void machine_destroy(struct machine *m)
{
    if (!m)
        return;
    uc_close(m->uc);
    free(m->l1);
    free(m->local);
    free(m->words);
    free(m->elf);
    free(m);
}

static uint32_t lane_at(const struct machine *m)
{
    return MACHINE_LANE_BASE + TD_TILE_CTRL_BYTES + m->core * TD_LANE_CTRL_BYTES;
}

uint32_t machine_lane(const struct machine *m, uint32_t offset)
{
    uint32_t value;
    memcpy(&value, m->l1 + lane_at(m) + offset, 4);
    return value;
}

void machine_set_lane(struct machine *m, uint32_t offset, uint32_t value)
{
    memcpy(m->l1 + lane_at(m) + offset, &value, 4);
}

uint32_t *machine_ring(struct machine *m)
{
    return (uint32_t *)(m->l1 + MACHINE_LANE_BASE + RING_OFFSET +
                        (size_t)m->core * MACHINE_RING_SLOTS * TD_SLOT_BYTES);
}

void machine_reset_lane(struct machine *m, enum td_policy policy)
{
    memset(m->l1 + lane_at(m), 0, TD_LANE_CTRL_BYTES);
    memset(machine_ring(m), 0, MACHINE_RING_SLOTS * TD_SLOT_BYTES);
    machine_set_lane(m, TD_LANE_policy, policy);
    m->slots = 0;
    m->head_reads = 0;
}

void machine_load(struct machine *m, const char *elf, uint32_t core)
{
    FILE *f = fopen(elf, "rbe");
    if (!f)
        fail_msg("cannot open %s", elf);
    fseek(f, 0, SEEK_END);
    m->elf_bytes = (size_t)ftell(f);
    rewind(f);
    free(m->elf);
    m->elf = malloc(m->elf_bytes);
    assert_non_null(m->elf);
    assert_int_equal(fread(m->elf, 1, m->elf_bytes, f), m->elf_bytes);
    fclose(f);
    const Elf32_Ehdr *head = m->elf;
    const Elf32_Phdr *segment = (const void *)((uint8_t *)m->elf + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        if (segment[i].p_type != PT_LOAD || segment[i].p_filesz == 0)
            continue;
        assert_true((uint64_t)segment[i].p_paddr + segment[i].p_filesz <= MACHINE_L1_BYTES);
        memcpy(m->l1 + segment[i].p_paddr, (uint8_t *)m->elf + segment[i].p_offset, segment[i].p_filesz);
    }
    m->core = core;
    m->entry = head->e_entry;
    uint32_t bytes;
    assert_true(machine_symbol(m, "td_park", &m->park, &bytes));
}

int machine_run(struct machine *m, uint32_t op, uint32_t arg, uint64_t limit)
{
    uc_hook hook, counters[2];
    uint32_t head = lane_at(m) + TD_LANE_head;
    machine_set_lane(m, TD_LANE_op, op);
    machine_set_lane(m, TD_LANE_arg, arg);
    machine_set_lane(m, TD_LANE_launch, machine_lane(m, TD_LANE_launch) + 1);
    /* The code may have changed. */
    assert_int_equal(uc_ctl_remove_cache(m->uc, 0, MACHINE_L1_BYTES), UC_ERR_OK);
    assert_int_equal(uc_hook_add(m->uc, &hook, UC_HOOK_MEM_READ, (void *)on_head_read, m, head, head + 3),
                     UC_ERR_OK);
    if (m->counts)
        count(m, counters);
    uc_err rc = uc_emu_start(m->uc, m->entry, m->park, 0, limit);
    uc_hook_del(m->uc, hook);
    for (int i = 0; m->counts && i < 2; i++)
        uc_hook_del(m->uc, counters[i]);
    uint32_t pc = 0;
    uc_reg_read(m->uc, UC_RISCV_REG_PC, &pc);
    if (rc != UC_ERR_OK)
        print_message("fault at pc 0x%x: %s\n", pc, uc_strerror(rc));
    else if (pc != m->park)
        print_message("still running at pc 0x%x\n", pc);
    return rc == UC_ERR_OK && pc == m->park;
}

size_t machine_drain(struct machine *m, size_t most)
{
    uint32_t *ring = machine_ring(m), head = machine_lane(m, TD_LANE_head);
    size_t taken = 0;
    for (; taken < most; taken++) {
        uint32_t *slot = ring + 2 * ((head + taken) % MACHINE_RING_SLOTS);
        if (!(slot[0] & TD_SLOT_VALID))
            break;
        if (m->slots == m->slots_room) {
            m->slots_room = m->slots_room ? 2 * m->slots_room : 1024;
            m->words = realloc(m->words, m->slots_room * TD_SLOT_BYTES);
            assert_non_null(m->words);
        }
        memcpy(m->words + 2 * m->slots++, slot, TD_SLOT_BYTES);
        slot[0] = slot[1] = 0;
    }
    machine_set_lane(m, TD_LANE_head, head + (uint32_t)taken);
    return taken;
}

void machine_drain_all(struct machine *m, void *self)
{
    machine_drain(m, MACHINE_RING_SLOTS);
}

static const Elf32_Shdr *sections(const struct machine *m, size_t *count, const char **names)
{
    const Elf32_Ehdr *head = m->elf;
    const Elf32_Shdr *all = (const void *)((uint8_t *)m->elf + head->e_shoff);
    *count = head->e_shnum;
    *names = (const char *)m->elf + all[head->e_shstrndx].sh_offset;
    return all;
}

const void *machine_section(const struct machine *m, const char *name, uint32_t *address, size_t *bytes)
{
    size_t count;
    const char *names;
    const Elf32_Shdr *all = sections(m, &count, &names);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names + all[i].sh_name, name) == 0) {
            *address = all[i].sh_addr;
            *bytes = all[i].sh_size;
            return (const uint8_t *)m->elf + all[i].sh_offset;
        }
    return NULL;
}

int machine_symbol(const struct machine *m, const char *name, uint32_t *address, uint32_t *bytes)
{
    size_t count;
    const char *names;
    const Elf32_Shdr *all = sections(m, &count, &names);
    for (size_t i = 0; i < count; i++) {
        if (all[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf32_Sym *symbol = (const void *)((uint8_t *)m->elf + all[i].sh_offset);
        const char *texts = (const char *)m->elf + all[all[i].sh_link].sh_offset;
        for (size_t j = 0; j < all[i].sh_size / sizeof *symbol; j++)
            if (strcmp(texts + symbol[j].st_name, name) == 0) {
                *address = symbol[j].st_value;
                *bytes = symbol[j].st_size;
                return 1;
            }
    }
    return 0;
}

uint32_t machine_spoilt(const struct machine *m)
{
    const uint32_t lost = machine_lane(m, TD_LANE_lost_zones) + machine_lane(m, TD_LANE_lost_other);
    return TD_GIVEN_CHECK(machine_lane(m, TD_LANE_given), lost) - machine_lane(m, TD_LANE_told_zones);
}

void machine_drain_overwritten(struct machine *m)
{
    uint32_t tail = machine_lane(m, TD_LANE_tail), block = 32;
    uint32_t oldest = (tail + block - 1) / block * block; /* number of the slot of the round before */
    machine_set_lane(m, TD_LANE_head, oldest);
    for (uint32_t i = 0; i < MACHINE_RING_SLOTS; i++) {
        machine_set_lane(m, TD_LANE_head, oldest + i);
        machine_drain(m, 1);
    }
    machine_set_lane(m, TD_LANE_head, tail);
}
