/* main() of kernels that begin at kernel_main(), as tt-metal's do. */
extern void td_kernel_main_c(void) __asm__("kernel_main") __attribute__((weak));
extern void td_kernel_main_cpp(void) __asm__("_Z11kernel_mainv") __attribute__((weak));

int main(void)
{
    if (td_kernel_main_cpp)
        td_kernel_main_cpp();
    else if (td_kernel_main_c)
        td_kernel_main_c();
    else
        return -1;
    return 0;
}
