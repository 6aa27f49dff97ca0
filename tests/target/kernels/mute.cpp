/* A launch that turns out to be idle. */
#include <tools/profiler/kernel_profiler.hpp>

int main()
{
    {
        DeviceZoneScopedN("before");
    }
    DeviceValidateProfiler(false);
    {
        DeviceZoneScopedMainChildN("never seen");
        DeviceZoneScopedN("nor this");
        TD_LOG("nor this");
        DeviceRecordEvent(3);
    }
    return 0;
}
