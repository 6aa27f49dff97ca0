// Stands for tt-metal's header where its profiler is off.
#pragma once
#define DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#define DeviceZoneScopedSumN1(name)
#define DeviceTimestampedData(name, value)
#define DeviceRecordEvent(event)
#define DeviceZoneSetCounter(count)
#define RISCV_DEBUG_REG_WALL_CLOCK_L 0xffb121f0
#define FOREIGN_PROFILER             1
