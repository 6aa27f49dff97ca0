// The set of addresses that are allocated: what is put in is there until it is taken out, however many and
// however close together. Compiled and run without CUDA.
#include <stdio.h>
#include <stdlib.h>

#include "tendril/cuda_memory.hpp"

enum : uint64_t { Slots = 5000, Steps = 400000, Grain = 512 };

int main()
{
    static bool there[Slots];
    tendril::CudaAddresses set;
    uint32_t seed = 1;
    size_t bad = set.Has(Grain) || set.Remove(Grain); // of an empty one
    for (uint64_t step = 0; step < Steps && !bad; step++) {
        seed = seed * 1664525u + 1013904223u;
        const uint64_t slot = (seed >> 8) % Slots, address = 0x7f0000000000 + slot * Grain;
        const bool add = step < Steps / 2 ? seed >> 31 || step % 3 : step % 3 == 0; // grows, then shrinks
        bad += set.Has(address) != there[slot];
        bad += (add ? !set.Add(address) : set.Remove(address) != there[slot]);
        there[slot] = add;
        if (step % 20000 == 0)
            for (uint64_t i = 0; i < Slots; i++)
                bad += set.Has(0x7f0000000000 + i * Grain) != there[i];
        if (bad)
            printf("step %llu: %zu addresses are wrong\n", static_cast<unsigned long long>(step), bad);
    }
    return bad != 0;
}
