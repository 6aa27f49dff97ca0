/* Symbol tables of files that may be anything. */
#include "host/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct td_symbols_host host = {.take = malloc, .give = free};

static void look_at(const struct td_elf_symbols *elf)
{
    static const uint64_t places[] = {0, 1, 0x1000, 0x1010, 0x1034, UINT64_MAX};
    struct td_elf_symbol symbol;
    uint64_t address, bytes = 0;
    for (uint32_t i = 0; i < 1000 && td_elf_symbols_at(elf, i, &symbol); i++) {
        bytes += strlen(symbol.name);
        td_elf_symbols_find(elf, symbol.address, &symbol);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (td_elf_symbols_address(elf, places[i], &address) && td_elf_symbols_find(elf, address, &symbol))
            bytes += strlen(symbol.name);
        if (td_elf_symbols_find(elf, places[i], &symbol) && places[i] - symbol.address > symbol.bytes)
            abort();
    }
    if (bytes == UINT64_MAX || td_elf_symbols_are_fixed(elf) + td_elf_symbols_are_all(elf) > 2)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        close(fd);
        return 0;
    }
    struct td_elf_symbols *elf = td_elf_symbols_open(&host, fd);
    if (elf)
        look_at(elf);
    td_elf_symbols_close(elf);
    return 0;
}
