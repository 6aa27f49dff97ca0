/* A bad line: a thread that forwards between two sockets and damages and loses bytes in both directions. */
#pragma once
#include <stdint.h>

struct noise;
/* Rates per million bytes: bytes with a flipped bit, and lost bytes. Serves one connection. */
struct noise *noise_start(const char *path, const char *to, uint32_t flipped, uint32_t lost, uint32_t seed);
/* Bytes that were flipped or lost. */
uint64_t noise_damage(const struct noise *n);
void noise_stop(struct noise *n);
