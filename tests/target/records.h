/* The contents of a lane as text: one line per packet, with names and formats from the ELF. */
#pragma once
#include "tests/target/machine.h"

#include "host/device/drain/packet_decoder.h"

struct records {
    char *text; /* lines "ZONE name 123 function" ... */
    size_t length, room;
    struct td_packet_record *all; /* args is NULL */
    size_t *lines;                /* offset of each packet's line in `text` */
    size_t count;
    uint64_t bad_slots;
};

/* The line of packet number i begins so. */
int records_line_is(const struct records *r, size_t i, const char *start);
/* Decodes slots with the names of an ELF. */
void records_read(struct records *r, const uint32_t *words, size_t slots, const char *elf);
void records_free(struct records *r);
