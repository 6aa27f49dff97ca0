#include "host/python/address_set.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PART_SHIFT 26u /* 64 MiB of addresses */
#define PARTS      (1u << (47 - PART_SHIFT))
#define PART_WORDS (1u << (PART_SHIFT - 4 - 6))
#define PART_BYTES (PART_WORDS * sizeof(uint64_t))

typedef _Atomic(uint64_t) address_word;
static _Atomic(address_word *) parts[PARTS];

static address_word *part_of(uintptr_t address, bool make)
{
    const uintptr_t number = address >> PART_SHIFT;
    if (number >= PARTS || address & 15)
        return NULL;
    address_word *part = atomic_load_explicit(&parts[number], memory_order_acquire);
    if (part || !make)
        return part;
    void *made =
        mmap(NULL, PART_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    if (atomic_compare_exchange_strong(&parts[number], &part, made))
        return made;
    munmap(made, PART_BYTES);
    return part;
}

static address_word *word_of(uintptr_t address, bool make)
{
    address_word *part = part_of(address, make);
    return part ? &part[(address >> 10) % PART_WORDS] : NULL;
}

static uint64_t bit_of(uintptr_t address)
{
    return UINT64_C(1) << ((address >> 4) & 63);
}

bool td_py_addresses_add(const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    address_word *word = word_of(address, true);
    return word && !(atomic_fetch_or(word, bit_of(address)) & bit_of(address));
}

bool td_py_addresses_remove(const void *memory)
{
    const uintptr_t address = (uintptr_t)memory;
    address_word *word = word_of(address, false);
    return word && (atomic_load_explicit(word, memory_order_relaxed) & bit_of(address)) &&
           (atomic_fetch_and(word, ~bit_of(address)) & bit_of(address));
}
