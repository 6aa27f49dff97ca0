// The names shown for mangled names of kernels. Compiled and run without CUDA.
#include <stdio.h>
#include <string.h>

#include "tendril/cuda_sites.hpp"

static const struct {
    const char *mangled, *shown;
} names[] = {
    {"_Z5plainPf", "plain"},
    {"_ZL5locali", "local"},
    {"kernel_of_c", "kernel_of_c"},
    {"_ZN3app5scaleIfEEvPT_i", "app::scale"},
    {"_ZN3app4Tree4growILi4EfEEvPT0_", "app::Tree::grow"},
    {"_ZN3app3BoxINS0_IiEEE3putES1_", "app::Box::put"},
    {"_ZN3app3BoxIiE3getIdEEvT_", "app::Box::get"},
    {"_ZN3app12_GLOBAL__N_16hiddenEi", "app::(anonymous namespace)::hidden"},
    {"_ZN3app12_GLOBAL__N_12h2INS_4TreeEEEvT_", "app::(anonymous namespace)::h2"},
    {"_ZN37_GLOBAL__N__0123abcd_7_file_cu_89abcd4stepEPf", "(anonymous namespace)::step"},
    {"_Z5paintIL6Color20ELb1EEvi", "paint"},
    {"_ZN2ns5paintILNS_5ColorE12ELb1EE4stepEv", "ns::paint::step"},
    {"_Z4packIJifPKcEEvDpT_", "pack"},
    {"_Z2ttIN3app3BoxEEvT_IiE", "tt"},
    {"_Z4callIXadL_Z5plainPfEEEvv", "call"},
    {"_Z4fillIA10_iEvRT_", "fill"},
    {"_ZNK2ns1AIfLi3ESt6vectorE3runEv", "ns::A::run"},
    // What is not understood, or damaged.
    {"_ZZ4mainENKUlT_E_clIiEEDaS_", "_ZZ4mainENKUlT_E_clIiEEDaS_"},
    {"_ZN3app5scaleIfEE", "app::scale"},
    {"_ZN3app5scale", "_ZN3app5scale"},
    {"_ZN3app5scaleI", "_ZN3app5scaleI"},
    {"_ZN3app5scaleIL", "_ZN3app5scaleIL"},
    {"_ZN3app5scaleIS", "_ZN3app5scaleIS"},
    {"_ZN3app5scaleI99", "_ZN3app5scaleI99"},
    {"_Z99999999999999999999x", "_Z99999999999999999999x"},
    {"_Z", "_Z"},
    {"_", "_"},
    {"", ""},
};

int main()
{
    int bad = 0;
    for (const auto &name : names) {
        // As much room as is promised, and no more: sanitizers see what is beyond.
        char *const shown = new char[2 * strlen(name.mangled) + 32];
        tendril::CudaName::Shorten(name.mangled, shown);
        if (strcmp(shown, name.shown) != 0 && ++bad)
            printf("%s is shown as %s instead of %s\n", name.mangled, shown, name.shown);
        delete[] shown;
    }
    return bad != 0;
}
