/* A library that is loaded and unloaded around one call. */
void plugin_call(void (*back)(int kind));

__attribute__((noinline)) void plugin_call(void (*back)(int kind))
{
    __asm__ volatile("" : : : "memory");
    back(0); /* @plugin */
    __asm__ volatile("" : : : "memory");
}
