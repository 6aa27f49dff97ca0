/* What code of C++ calls where it would throw or free. There are no exceptions and there is no heap, so it ends the
 * launch with the exit code of abort() and says why. */
#include <stdio.h>
#include <stdlib.h>

#define ENDS(symbol, text)                                                                                   \
    void symbol(void) __attribute__((noreturn));                                                             \
    void symbol(void)                                                                                        \
    {                                                                                                        \
        puts("C++: " text);                                                                                  \
        abort();                                                                                             \
    }

ENDS(_ZSt24__throw_out_of_range_fmtPKcz, "an index is out of range")
ENDS(_ZSt20__throw_out_of_rangePKc, "an index is out of range")
ENDS(_ZSt20__throw_length_errorPKc, "too long")
ENDS(_ZSt19__throw_logic_errorPKc, "a logic error")
ENDS(_ZSt24__throw_invalid_argumentPKc, "an invalid argument")
ENDS(_ZSt25__throw_bad_function_callv, "a call of an empty function object")
ENDS(_ZSt17__throw_bad_allocv, "no heap")
ENDS(_ZSt28__throw_bad_array_new_lengthv, "no heap")
ENDS(_ZSt9terminatev, "std::terminate()")
ENDS(__cxa_pure_virtual, "a call of a pure virtual function")
ENDS(_Znwj, "new: no heap")
ENDS(_Znaj, "new: no heap")

/* Destructors in tables of virtual functions refer to these. */
void _ZdlPv(void *object);
void _ZdlPvj(void *object, unsigned bytes);
void _ZdlPv(void *object)
{
}
void _ZdlPvj(void *object, unsigned bytes)
{
}
