/* A kernel's ELF without a kernel: TINY_ZONES zone sites, each with its word of .td_open, and a build id. For
 * tests that have no cross-compiler. */
#pragma once
#include <stdint.h>

#define TINY_ZONES    4
#define TINY_BUILD_ID UINT64_C(0x8877665544332211)

/* Writes it to `path`, the words of open zones beginning at `open`. Zone i is called "zone i". 0, or -1. */
int tiny_elf_write(const char *path, uint32_t open);
