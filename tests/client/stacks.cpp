// Call stacks of C++: templates, lambdas, inlined functions. Compiled by test_stacks.py with every compiler
// there is.
#include "tracy/Tracy.hpp"

#include <string>

namespace ns
{
template <class T> struct box {
    T value;
    __attribute__((noinline)) void work(const std::string &text, int n);
};
template <class T> __attribute__((noinline)) void box<T>::work(const std::string &text, int n)
{
    ZoneScopedNS("stack of C++", 20); /* @cpp_zone */
    asm volatile("" : : "r"(n));
    TracyMessageS(text.data(), text.size(), 20); /* @cpp_message */
    asm volatile("" : : "r"(n));
}
} // namespace ns

static inline __attribute__((always_inline)) void inlined(int n)
{
    ns::box<double> box = {1};
    box.work("from C++", n); /* @cpp_inlined */
    asm volatile("" : : "r"(n));
}

int main()
{
    auto lambda = [](int n) {
        inlined(n); /* @cpp_lambda */
    };
    lambda(3); /* @cpp_main */
    return 0;
}
