/* As many empty zones as the argument says. */
#include "tendril/tendril.h"

int main(void)
{
    for (unsigned i = 0; i < td_arg(); i++) {
        ZoneScopedN("flood");
    }
    return 0;
}
