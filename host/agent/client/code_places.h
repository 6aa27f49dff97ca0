/* Addresses in machine code whose source places a symbol view shows: each instruction, and the targets of direct
 * jumps and calls. Stock recorders ask for the same ones. host/disasm decodes the code, which may be any bytes:
 * decoding ends at the first that are no instruction. Thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Calls take() for each address, in the order of the code. cpu_arch: as in the welcome message (1 x86, 2 x86-64,
 * 3 ARM, 4 AArch64); of others nothing is decoded. Returns 0, TD_E_NOMEM, or what take() returned if that is not
 * 0. */
int td_code_places(uint8_t cpu_arch, uint64_t address, const uint8_t *code, size_t bytes,
                   int (*take)(void *self, uint64_t address), void *self);
