#include "tests/target/kernels/cpp_inline.hpp"

int second_file(int x)
{
    ZoneScoped;
    return shared_inline(x) - x + 99;
}
