/* A bad line: a thread between a socket of its own and another one that damages and loses bytes both ways. */
#ifndef TD_TESTS_QEMU_NOISE_H
#define TD_TESTS_QEMU_NOISE_H
#include <stdint.h>

struct noise;
/* Of a million bytes so many have a bit flipped, and so many are lost. One connection. */
struct noise *noise_start(const char *path, const char *to, uint32_t flipped, uint32_t lost, uint32_t seed);
/* Bytes that were flipped or lost. */
uint64_t noise_damage(const struct noise *n);
void noise_stop(struct noise *n);
#endif
