/* The limit of this process's address space (`ulimit -v`, `ulimit -d`), and a part of it that is kept for later. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* UINT64_MAX: there is no limit. */
uint64_t td_address_space(void);

/* A mapping that nothing uses: others cannot take this room until it is freed. All 0: none. */
struct td_space_reserve {
    void *at;
    size_t bytes;
};
/* Changes its size. 0; TD_E_NOMEM: it is as it was, because there is no more room. */
int td_reserve_space(struct td_space_reserve *reserve, size_t bytes);
