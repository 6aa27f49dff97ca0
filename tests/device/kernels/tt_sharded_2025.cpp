/* BRISC: reads each page of a sharded tensor whose description is that of 2025. Compiled as one of 2026, it has to end
 * before it reads anything. */
#include <cstdlib>

void kernel_main()
{
    constexpr auto args = TensorAccessorArgs<1>();
    const uint32_t pages = get_arg_val<uint32_t>(1), to = get_arg_val<uint32_t>(2);
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), get_compile_time_arg_val(0));
    for (uint32_t page = 0; page < pages; page++) {
        noc_async_read_page(page, tensor, to);
        noc_async_read_barrier();
        if (*reinterpret_cast<volatile uint32_t *>(to) != page)
            std::exit(static_cast<int>(page + 1));
    }
}
