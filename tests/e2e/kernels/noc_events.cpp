/* BRISC: a read, a write and a multicast of the own tile, with barriers, then calls with a state; without
 * a kernel environment. */
static TD_L1 uint32_t words[64];

void kernel_main()
{
    const uint32_t at = reinterpret_cast<uint32_t>(words), half = sizeof words / 2;
    DeviceZoneScopedMainN("BRISC-KERNEL");
    noc_async_read(get_noc_addr(at), at + half, half);
    noc_async_read_barrier();
    noc_async_write(at, get_noc_addr(at + half), 64);
    noc_async_write_barrier();
    noc_async_write_multicast_loopback_src(
        at, get_noc_multicast_addr(my_x[0], my_y[0], my_x[0], my_y[0], at + half), 32, 1);
    noc_async_full_barrier();
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_INC, get_noc_addr(at), 4, 1);
    noc_async_read_one_packet_set_state(get_noc_addr(at), 48);
    noc_async_read_one_packet_with_state(at, at + half);
    noc_async_write_one_packet_set_state(get_noc_addr(at + half), 16);
    noc_async_write_one_packet_with_state(at, at + half);
    noc_semaphore_set_remote(at, get_noc_addr(at + half));
    noc_async_full_barrier();
}
