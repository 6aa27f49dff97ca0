#include "host/client/crash/crash_text.h"

#include <stddef.h>
#include <stdint.h>

static const struct {
    int signal, code; /* code 0: a line for every signal of that number */
    const char *text;
} texts[] = {
    {SIGSEGV, 0, "Invalid memory reference.\n"},
    {SIGSEGV, SEGV_MAPERR, "Address not mapped to object.\n"},
    {SIGSEGV, SEGV_ACCERR, "Invalid permissions for mapped object.\n"},
    {SIGBUS, 0, "Bus error.\n"},
    {SIGBUS, BUS_ADRALN, "Invalid address alignment.\n"},
    {SIGBUS, BUS_ADRERR, "Nothing behind the address.\n"},
    {SIGBUS, BUS_OBJERR, "Hardware error of the object.\n"},
    {SIGILL, 0, "Illegal instruction.\n"},
    {SIGILL, ILL_ILLOPC, "Unknown opcode.\n"},
    {SIGILL, ILL_ILLOPN, "Unknown operand.\n"},
    {SIGILL, ILL_PRVOPC, "Privileged opcode.\n"},
    {SIGTRAP, 0, "Trap.\n"},
    {SIGFPE, 0, "Arithmetic error.\n"},
    {SIGFPE, FPE_INTDIV, "Integer division by zero.\n"},
    {SIGFPE, FPE_INTOVF, "Integer overflow.\n"},
    {SIGFPE, FPE_FLTDIV, "Floating-point division by zero.\n"},
    {SIGFPE, FPE_FLTOVF, "Floating-point overflow.\n"},
    {SIGFPE, FPE_FLTUND, "Floating-point underflow.\n"},
    {SIGFPE, FPE_FLTRES, "Inexact floating-point result.\n"},
    {SIGFPE, FPE_FLTINV, "Invalid floating-point operation.\n"},
    {SIGABRT, 0, "Aborted.\n"},
    {SIGPIPE, 0, "Broken pipe.\n"},
};

static char *put_string(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = 0;
    return at;
}

static char *put_number(char *at, uint64_t value, unsigned base)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = 0;
    do
        *--first = "0123456789abcdef"[value % base];
    while (value /= base);
    return put_string(at, first);
}

void td_crash_text(char text[TD_CRASH_TEXT_MAX], int signal_number, const siginfo_t *info)
{
    char *at = text;
    int sent = info->si_code <= 0, with_address = signal_number != SIGABRT && signal_number != SIGPIPE;
    *at = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].signal == signal_number && (!texts[i].code || (!sent && texts[i].code == info->si_code)))
            at = put_string(at, texts[i].text);
    if (!sent && with_address) {
        at = put_string(at, "Fault address: 0x");
        at = put_string(put_number(at, (uintptr_t)info->si_addr, 16), "\n");
    } else if (sent && with_address) {
        at = put_string(at, "Sent by process ");
        put_string(put_number(at, (uint64_t)info->si_pid, 10), ".\n");
    }
}
