/* For the leak checker: graphics drivers stay loaded until the end, so that what they keep is found in their
 * variables, and what is found nowhere is ours. */
int dlclose(void *library);

int dlclose(void *library)
{
    return 0;
}
