/* Marks for ever, as numbers.h says: zones, and a message for each batch. The launch's argument is the thread. */
#include "tendril/tendril.h"

#include "tests/stress/numbers.h"

#define PAUSE 300

#define PLACE(i)                                                                                             \
    case i: {                                                                                                \
        ZoneScopedN("place " #i);                                                                            \
        if (zone % STRESS_BATCH == 0)                                                                        \
            ZoneValue(zone);                                                                                 \
        break;                                                                                               \
    }

static void mark(uint32_t zone)
{
    switch (stress_place(zone)) {
        PLACE(0)
        PLACE(1)
        PLACE(2)
        PLACE(3)
        PLACE(4)
        PLACE(5)
        PLACE(6)
        PLACE(7)
        PLACE(8)
        PLACE(9)
        PLACE(10)
        PLACE(11)
        PLACE(12)
        PLACE(13)
        PLACE(14)
        PLACE(15)
    }
}

int main(void)
{
    for (uint32_t zone = 0;; zone++) {
        if (zone % STRESS_BATCH == 0)
            TD_LOG("%u %u", (unsigned)td_arg(), (unsigned)(zone / STRESS_BATCH));
        mark(zone);
        for (volatile unsigned i = 0; i < PAUSE; i++)
            ;
    }
}
