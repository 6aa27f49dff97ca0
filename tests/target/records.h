/* What a lane holds, as text: one line a packet, names and formats from the ELF. */
#ifndef TD_TESTS_TARGET_RECORDS_H
#define TD_TESTS_TARGET_RECORDS_H
#include "tests/target/machine.h"

#include "host/device/unpack.h"

struct records {
    char *text; /* lines "ZONE name 123 function" ... */
    size_t length;
    struct td_packet_record *all; /* args are NULL */
    size_t count;
    uint64_t bad_slots;
};

/* Decodes slots with the names of an ELF. */
void records_read(struct records *r, const uint32_t *words, size_t slots, const char *elf);
void records_free(struct records *r);
#endif
