/* What a library with markers leaves in itself, so that its names outlive it: before dlclose() takes the
 * library from memory, the last of its destructors tells the client, which keeps what events refer to by
 * address. Nothing of it is in programs, and nothing of it runs before a library is unloaded.
 */
#ifndef TENDRIL_LIBRARY_H
#define TENDRIL_LIBRARY_H
#if defined(__PIC__) && !defined(__PIE__)
#ifdef __cplusplus
extern "C" {
#endif

/* `place`: anything in the library. Its memory may go once this returns. Not there where nothing else of the
 * client is used. */
extern __attribute__((weak)) void td_client_library_unloads(const void *place);

/* One of each a library, however many of its files have markers. Destructors of this number come after all
 * others of the library, those of C++ objects too. */
extern __attribute__((weak, visibility("hidden"))) int td_client_library_left_;
__attribute__((weak, visibility("hidden"))) int td_client_library_left_ = 0;
__attribute__((weak, visibility("hidden"), used, destructor(101))) void td_client_library_leaves_(void);
void td_client_library_leaves_(void)
{
    if (td_client_library_left_ || !td_client_library_unloads)
        return;
    td_client_library_left_ = 1;
    td_client_library_unloads(&td_client_library_left_);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
