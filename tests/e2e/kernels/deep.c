/* Nests more zones than the board has words for outside of the image. Then the kernel ends (argument 0) or
 * hangs (any other). */
#include "tendril/tendril.h"

#define DEEP_5                                                                                               \
    ZoneScopedN("deep");                                                                                     \
    ZoneScopedN("deep");                                                                                     \
    ZoneScopedN("deep");                                                                                     \
    ZoneScopedN("deep");                                                                                     \
    ZoneScopedN("deep")
#define DEEP_20                                                                                              \
    DEEP_5;                                                                                                  \
    DEEP_5;                                                                                                  \
    DEEP_5;                                                                                                  \
    DEEP_5

__attribute__((noinline)) static void bottom(void)
{
    DEEP_20;
    while (td_arg())
        ;
}

__attribute__((noinline)) static void middle(void)
{
    DEEP_20;
    bottom();
}

int main(void)
{
    DEEP_20;
    middle();
    return 0;
}
