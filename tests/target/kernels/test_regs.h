/* The test registers of tests/target/machine.h. */
#pragma once
#include <stdint.h>
#ifdef TEST_ON_CHIP /* where there are none: time passes by itself */
static volatile uint32_t test_register;
#define TEST_ADVANCE    test_register
#define TEST_ADVANCE64K test_register
#else
#define TEST_ADVANCE    (*(volatile uint32_t *)0xffb12f00)
#define TEST_ADVANCE64K (*(volatile uint32_t *)0xffb12f04)
#define TEST_WRAP_AFTER (*(volatile uint32_t *)0xffb12f08)
#define TEST_SET_LOW    (*(volatile uint32_t *)0xffb12f10)
#define TEST_NOTE       (*(volatile uint32_t *)0xffb12f0c)
#endif
