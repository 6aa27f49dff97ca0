/* A library that crashes while it is loaded. */
static int *volatile nowhere;

__attribute__((constructor, noinline)) static void plugin_starts(void)
{
    *nowhere = 1; /* @plugin_starts */
}
