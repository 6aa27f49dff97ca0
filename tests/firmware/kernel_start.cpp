// What the test firmware calls: sets up the kernel's data, and runs it in its zone.
#include "layout.h"

extern "C" {
extern uint32_t kernel_data[], kernel_data_end[], kernel_data_load[], kernel_zero[], kernel_zero_end[];
uint32_t _start(void);
uint32_t kernel_main(uint32_t arg);
}

__attribute__((noinline)) static uint32_t run_kernel(uint32_t arg)
{
    TD_KERNEL(KERNEL_ZONE);
    return kernel_main(arg);
}

[[gnu::section(".start")]] uint32_t _start(void)
{
    const volatile uint32_t *from = kernel_data_load;
    for (volatile uint32_t *to = kernel_data; to < kernel_data_end; to++)
        *to = *from++;
    for (volatile uint32_t *to = kernel_zero; to < kernel_zero_end; to++)
        *to = 0;
    return run_kernel(((volatile struct mailbox *)MAILBOX)->core[TD_GUEST_CORE].arg);
}
