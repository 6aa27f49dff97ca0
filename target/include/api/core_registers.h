/* What tt-metal's headers of registers have that a kernel may use here. C++. */
#ifndef TENDRIL_API_CORE_REGISTERS_H
#define TENDRIL_API_CORE_REGISTERS_H
#include "api/dataflow/kernel_args.h"
#include "api/dataflow/noc_addresses.h"
#include "tools/profiler/kernel_profiler.hpp"

enum class ProgrammableCoreType : uint8_t { TENSIX, ACTIVE_ETH, IDLE_ETH };

/* Of a register of this core. */
static inline void WRITE_REG(uint32_t address, uint32_t value)
{
    *reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(address)) = value;
}
static inline uint32_t READ_REG(uint32_t address)
{
    return *reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(address));
}
/* The tile's clock, in cycles. */
struct c_tensix_core {
    static uint64_t read_wall_clock()
    {
        return get_timestamp();
    }
    static uint32_t read_wall_clock_l()
    {
        return get_timestamp_32b();
    }
};
static inline uint32_t reg_read(uint32_t address)
{
    return READ_REG(address);
}
#endif
