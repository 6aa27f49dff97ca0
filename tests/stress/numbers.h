/* The markers of the program under load. They are numbered, so that a receiver can detect losses and wrong
 * order.
 *
 * Zone i of a thread is at one of 16 places, stress_place(i); the first zone of each batch of STRESS_BATCH
 * has its number as value. Before it the same thread marks: the end of the previous zone "batch" and the
 * beginning of the next one, the message "THREAD BATCH", a point BATCH of the plot "plot THREAD", and, in a
 * lock that all threads share, the free of one address and its allocation again. */
#pragma once
#include <stdint.h>

#define STRESS_BATCH      256u
#define STRESS_PLACES     16u
#define STRESS_THREADS    64
#define STRESS_ADDRESS    0x1000u
#define STRESS_TEXT_BYTES 200

static inline unsigned stress_place(uint64_t zone)
{
    return (unsigned)(zone * UINT64_C(0x9e3779b97f4a7c15) >> 60);
}
