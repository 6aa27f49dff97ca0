// A library of C++ that comes and goes, as unloads_plugin.c; its objects have markers when they end.
#include "tracy/Tracy.hpp"

namespace
{
struct Thing {
    ~Thing()
    {
        ZoneScopedN("cpp_end_000");
        TracyMessageL("cpp_ended_000");
    }
};
Thing thing;

template <class T> void work_000(T value)
{
    ZoneScopedNC("cpp_zone_000", 0x00ff00);
    TracyPlot("cpp_plot_000", value);
}
} // namespace

extern "C" void plugin_mark(int count)
{
    static TracyLockableN(std::mutex, lock, "cpp_lock_000");
    for (int i = 0; i < count; i++) {
        std::lock_guard<LockableBase(std::mutex)> guard(lock);
        LockMark(lock);
        work_000(i);
    }
}
