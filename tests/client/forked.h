/* For programs of tests that fork: what a sanitizer must not do in a child. */
#pragma once

static int is_child;

#if defined(__SANITIZE_ADDRESS__)
int __lsan_is_turned_off(void);
/* Its allocator is left as it was at the fork: a child that looks for leaks may wait for ever. */
int __lsan_is_turned_off(void)
{
    return is_child;
}
#endif
