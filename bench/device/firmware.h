/* Runs an ELF on one core in Unicorn and feeds what retires between its two marks to core models. */
#pragma once
#include "bench/device/core_model.h"
#include "proto/device/lane.h"

#include <stddef.h>

struct firmware_run {
    const char *elf;
    uint32_t arg;
    enum td_policy policy;
    int drains;      /* a consumer takes everything whenever the core looks at head */
    int zones_off;   /* the zones are switched off */
    int starts_full; /* the lane is full from the beginning */
};

struct firmware_result {
    uint64_t instructions, slots;
    uint64_t cycles[2]; /* Wormhole, Blackhole */
};

/* 0, or -1 after a line on stderr. */
int firmware_run(const struct firmware_run *run, struct firmware_result *result);
/* Bytes of a function in the ELF, up to the next one; -1: none. */
long firmware_function_bytes(const char *elf, const char *name);
