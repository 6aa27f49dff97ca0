/* A data-movement kernel without an include of the profiler: the build includes the header. */
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef COMPILE_FOR_NCRISC
#error "the build says for which core a kernel is"
#endif
#ifndef PROFILE_KERNEL
#error "the profiler is on"
#endif

static std::uint32_t words[2] = {7, 9};

/* C's names are in std, too. */
static void copy_words()
{
    std::uint32_t copy[2];
    std::memcpy(copy, words, sizeof copy);
    std::size_t length = std::strlen("four");
    DeviceTimestampedData("COPY", (std::uint64_t)copy[0] << 32 | (copy[1] + length + std::abs(-3)));
}

void kernel_main()
{
    copy_words();
    DeviceZoneScopedN("SPIN");
    volatile tt_reg_ptr uint32_t *clock =
        reinterpret_cast<volatile tt_reg_ptr uint32_t *>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    const uint32_t start = clock[0];
    while (clock[0] - start < 50) {
        asm volatile("nop");
    }
}
