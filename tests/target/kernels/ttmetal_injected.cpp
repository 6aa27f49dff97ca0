/* A data-movement kernel without an include of the profiler: the build includes the header. */
#include <cstdint>

#ifndef COMPILE_FOR_NCRISC
#error "the build says for which core a kernel is"
#endif
#ifndef PROFILE_KERNEL
#error "the profiler is on"
#endif

void kernel_main()
{
    DeviceZoneScopedN("SPIN");
    volatile tt_reg_ptr uint32_t *clock =
        reinterpret_cast<volatile tt_reg_ptr uint32_t *>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    const uint32_t start = clock[0];
    while (clock[0] - start < 50) {
        asm volatile("nop");
    }
}
