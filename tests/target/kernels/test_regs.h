/* The test registers of tests/target/machine.h. */
#ifndef TD_TEST_REGS_H
#define TD_TEST_REGS_H
#include <stdint.h>
#define TEST_ADVANCE    (*(volatile uint32_t *)0xffb12f00)
#define TEST_ADVANCE64K (*(volatile uint32_t *)0xffb12f04)
#define TEST_WRAP_AFTER (*(volatile uint32_t *)0xffb12f08)
#define TEST_SET_LOW    (*(volatile uint32_t *)0xffb12f10)
#define TEST_NOTE       (*(volatile uint32_t *)0xffb12f0c)
#endif
