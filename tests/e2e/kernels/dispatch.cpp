/* A dispatch core, as tt-metal's firmware marks it: two commands for operation 1, one for another
 * operation. */
static void command(uint32_t operation, uint32_t cycles)
{
    DeviceZoneScopedN("CQ-DISPATCH");
    DeviceTimestampedData("process_cmd_d_dispatch", 5);
    DeviceTimestampedData("runtime_host_id_dispatch", operation);
    riscv_wait(cycles);
}

int main()
{
    command(1, 2000);
    command(7, 1000);
    command(1, 3000);
    return 0;
}
