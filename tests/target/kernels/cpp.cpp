/* Markers in C++: templates, inline functions of a header used in two files, lambdas, static objects. */
#include "tests/target/kernels/cpp_inline.hpp"
#include "tests/target/kernels/test_regs.h"

#include <cstdint>

int second_file(int x);

struct counted {
    int value;
    counted(int v) : value(v)
    {
        ZoneScopedN("constructor");
    }
    ~counted()
    {
        ZoneScopedN("destructor");
        TEST_NOTE = 1000u + static_cast<uint32_t>(value);
    }
};
static counted global(7);

enum class color : uint32_t { red = 0xff0000 };

template <typename T> static T twice(T value)
{
    ZoneScopedNC("template", static_cast<uint32_t>(color::red));
    TD_LOG("value %d", value);
    return value + value;
}

template <typename T> static __attribute__((noinline)) T thrice(T value)
{
    ZoneScoped;
    return static_cast<T>(3 * value);
}

template <typename T> static inline T once(T value)
{
    ZoneScoped;
    return value;
}

int main()
{
    ZoneScopedN("main");
    auto lambda = [](int x) {
        ZoneScopedN("lambda");
        return x + 1;
    };
    int x = shared_inline(lambda(twice(20)));
    x += twice<short>(3);
    x += second_file(x);
    ZoneText("float %f double %f bool %d", 0.25f, 2.5, true);
    TEST_NOTE = static_cast<uint32_t>(x);
    x += thrice<short>(1) + thrice<int>(2) + once<int>(-4) + once<signed char>(-5);
    return x == 41 + 1 + 6 + 100 ? 0 : 1;
}
