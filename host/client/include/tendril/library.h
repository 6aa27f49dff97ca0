/* Code in each library with markers that keeps the library's names when it is unloaded. Before dlclose()
 * unmaps the library, the last of its destructors calls the client, which copies what events refer to by
 * address. Programs do not contain this code, and it does not run before the library is unloaded.
 */
#ifndef TENDRIL_LIBRARY_H
#define TENDRIL_LIBRARY_H
#if defined(__PIC__) && !defined(__PIE__)
#ifdef __cplusplus
extern "C" {
#endif

/* `place`: any address in the library, whose memory may be unmapped once this returns. The symbol is NULL
 * if nothing else of the client is linked. */
extern __attribute__((weak, visibility("default"))) void td_client_library_unloads(const void *place);

#ifndef TD_CLIENT_PART /* defined while the client itself is compiled */
/* Each library has one of these, for all of its files. Destructors of this priority run after all others
 * of the library, those of C++ objects included. */
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
#endif

#ifdef __cplusplus
}
#endif
#endif
#endif
