/* With PLAIN: no marker and no header of ours; without it: markers. Without TD_PROFILE both must compile to
 * the same code. */
#include <stdint.h>
#ifdef PLAIN
#define M(...)
#else
#include "tendril/tendril.h"
#define M(...) __VA_ARGS__
#endif

volatile uint32_t results[8];
static uint32_t table[16] = {1, 2, 3};
const uint32_t constants[4] = {9, 8, 7, 6};

__attribute__((noinline)) static uint32_t step(uint32_t x, uint32_t *count)
{
    M(ZoneScopedN("step"));
    uint32_t y = x * 3 + table[x % 16];
    M(ZoneText("x = %u after %u", x, (*count)++);)
    M(ZoneValue((*count)++);)
    M(TD_LOG("message %u", (*count)++);)
    M(TD_PLOT_INT("y", (int)(*count)++);)
    M(TD_PLOT_FLOAT("f", (float)(*count)++);)
    return y;
}

int main(void)
{
    M(ZoneScoped);
    M(ZoneScopedC(0xff));
    M(ZoneScopedNC("colour", 0xff));
    uint32_t x = constants[results[0] % 4], count = 0;
    for (int i = 0; i < 100; i++) {
        M(TD_WAIT("wait"));
        M(TD_ZONE_BEGIN(span, "span");)
        x = step(x, &count);
        M(TD_ZONE_END(span);)
        M(TD_FLOW_OUT("flow", i);)
        M(TD_FLOW_IN("flow", i);)
        table[i % 16] += x;
    }
    results[1] = x;
    results[2] = count;
    switch (x % 7) {
    case 0:
        return 3;
    case 1:
        return 10;
    case 2:
        return 17;
    case 3:
        return 5;
    case 4:
        return 9;
    default:
        return 0;
    }
}
