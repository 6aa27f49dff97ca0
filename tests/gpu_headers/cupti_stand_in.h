/* A library in CUPTI's place, for machines without a GPU: the functions of CUPTI that tracy/TracyCUDA.hpp
 * calls, and these, with which a program says what the GPU is to have done. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A function of the runtime, and one of the driver that it calls (name NULL: none). */
struct stand_in_call {
    uint32_t runtime_id, driver_id;
    const char *runtime, *driver;
};

struct stand_in {
    uint64_t (*now)(void); /* CUPTI's clock */
    /* It runs `ppm` millionths faster than the host's from now on, and is set by `by_ns`. */
    void (*set_clock)(int64_t ppm, int64_t by_ns);
    /* The program calls a function of CUDA. Returns the call's number. */
    uint32_t (*call)(const struct stand_in_call *call);
    /* The GPU has done something: a record of the kind that it begins with. Those of one kind have one size.
     */
    void (*record)(const void *record, size_t bytes);
    /* There was no room for as many. */
    void (*drop)(size_t count);
    /* What the function of that name gives from now on. */
    void (*fail)(const char *function, int result);
    /* How often buffers were asked for, and how many there are that are not given back. */
    void (*buffers)(unsigned *asked, unsigned *lent);
};

/* Of the library, which is found when the program runs. */
#define STAND_IN "cupti_stand_in"
