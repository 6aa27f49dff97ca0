/* Sites: they put a marker's name, file and line into the ELF (proto/device/site.h), without a byte in the
 * loaded image.
 *
 * Assembler directives at the marker write its site. A site's symbol consists of the source's own td_unit and
 * a number from __COUNTER__, so all inlined and duplicated copies of a marker have the same site. td_unit is
 * static, and link-time optimisation gives the td_units of several sources different names. So no two sources
 * share a symbol, even if their file names are equal. Names are string literals and are passed to the
 * assembler as they are spelled: '%', quotes and escapes mean what they mean in C.
 */
#ifndef TENDRIL_SITE_H
#define TENDRIL_SITE_H
#include "proto/device/site.h"

#include <stdint.h>

#ifdef TD_NATIVE
/* Kernels that run as threads of the host (target/native): the id of the site of that name in the kernel's
 * cross-compiled ELF. */
uint32_t td_native_find_site(const char *name);
#endif

/* clang-format off */
#define TD_CAT_(a, b)        a##b
#define TD_CAT(a, b)         TD_CAT_(a, b)
#define TD_SPELL_(...)       #__VA_ARGS__
#define TD_SPELL(...)        TD_SPELL_(__VA_ARGS__)
#define TD_INLINE_ATTRIBUTES __attribute__((always_inline, unused))
#define TD_ALWAYS_INLINE     static __inline__ TD_INLINE_ATTRIBUTES
#ifdef TD_NATIVE
#define TD_SITE_NAMED(n, kind, name, args)        const uint32_t TD_CAT(td_site_, n) = td_native_find_site(name)
#define TD_ZONE_NAMED(n, kind, name, color)       TD_SITE_NAMED(n, kind, name, 0)
#define TD_ZONE_FUNCTION(n, kind, color)          TD_SITE_NAMED(n, kind, __func__, 0)
#define TD_FUNCTION_UNIT(n)                       td_unit
#define TD_SITE_ID_OF(unit, n)                    TD_SITE_ID(n)
#define TD_SITE_AT_SYMBOL(n, kind, symbol)        TD_SITE_NAMED(n, kind, (const char *)0, 0)
#define TD_SITE_ID(n)                             TD_CAT(td_site_, n)
#define TD_SWITCHED(unit, n, ...)                 __VA_ARGS__
#define TD_SWITCHED_UNNAMED(...)                  __VA_ARGS__
#else
/* Takes no memory; only its name is used. */
static char td_unit[0] __attribute__((unused, aligned(1), section(".bss.td_unit")));

/* A symbol of site n, for an asm statement whose operand number `unit` is TD_UNIT. */
#define TD_UNIT_SYMBOL(prefix, unit, n) ".L" prefix ".%" unit "." TD_SPELL(n)
#define TD_UNIT                         "i"(td_unit)
#define TD_SITE_SYMBOL(unit, n)         TD_UNIT_SYMBOL("td_site", unit, n)

/* In a guest the linker script is another one's: no section is at an address of its own, so the addresses say which
 * section they are in. Records do not need the sections' names to be changed. */
#ifdef TD_GUEST
#define TD_IDS_AT_     "+" TD_SPELL(TD_ID_BASE)
#define TD_STRINGS_AT_ "+" TD_SPELL(TD_STRING_BASE)
#else
#define TD_IDS_AT_
#define TD_STRINGS_AT_
#endif
#define TD_SITE_ADDRESS(unit, n) TD_SITE_SYMBOL(unit, n) TD_IDS_AT_

#ifdef TD_GUEST
#include "tendril/image_sum.h"
#else /* the linker makes a build id */
#define TD_IMAGE_SUM_      ""
#define TD_TEXT_HASH(text) 0
#endif

/* A site is two asm statements. The first one has the texts. It has no operands, so '%' in a text has no special meaning. The
 * second one has the rest, and refers to the texts just before it. Input sections are named .debug_*, because in those the
 * linker accepts references to code that it has dropped (unused code, second copies of inline functions). */
#define TD_TEXTS_(name)                                                                                                \
    __asm__ __inline__(".pushsection .debug_td_strings,\"MS\",@progbits,1\n\t" name                                    \
                       "8883: .asciz " TD_SPELL(__FILE__) "\n\t"                                                       \
                       ".popsection")
#define TD_NAME_(name) "8882: .asciz " TD_SPELL(name) "\n\t"
#define TD_RECORD_(unit, n, kind, name, color, args, more, check, bytes, hash)                                         \
    __asm__ __volatile__ __inline__(check "8881: .ifndef " TD_SITE_SYMBOL("0", n) "\n\t"                               \
                                    ".pushsection " TD_SECTION_IDS ",\"\",@nobits\n\t"                                 \
                                    TD_SITE_SYMBOL("0", n) ": .skip 0x10000\n\t" more TD_IMAGE_SUM_                     \
                                    ".section .debug_td_sites,\"\",@progbits\n\t"                                      \
                                    ".word " TD_SITE_ADDRESS("0", n) "," name ",8883b" TD_STRINGS_AT_ ","              \
                                    TD_SPELL(__LINE__) ",8881b,%1," TD_SPELL(kind) "," args "\n\t"                     \
                                    ".popsection\n\t"                                                                  \
                                    ".endif" : : "i"(unit), "i"((color) & 0xffffff), "i"(bytes), "i"(hash))
/* The assembler knows fewer escape sequences than C. Where it made another text of a name, this is an error,
 * on the first line of the asm statement, for which the assembler reports the marker's line. */
#define TD_SAME_LENGTH_                                                                                                \
    ".if 8883b-8882b-%2;"                                                                                              \
    ".error \"tendril: an escape sequence in the text of a marker that the assembler does not know\";.endif\n\t"

/* Statements that make site n. `kind` is a number (TD_KIND_*), `args` too. */
#define TD_SITE_NAMED(n, kind, name, args)                                                                             \
    TD_TEXTS_(TD_NAME_(name));                                                                                         \
    TD_RECORD_(td_unit, n, kind, "8882b" TD_STRINGS_AT_, 0, TD_SPELL(args), "", TD_SAME_LENGTH_, sizeof(name),          \
               TD_TEXT_HASH(TD_SPELL(name)))
/* A site whose name is the text at a symbol that the linker script puts into .td_strings. */
#define TD_SITE_AT_SYMBOL(n, kind, symbol)                                                                             \
    TD_TEXTS_("");                                                                                                     \
    TD_RECORD_(td_unit, n, kind, symbol, 0, "0", "", "", 0, 0)

/* Sites of zones, with a word of .td_open. The colour may be any constant expression, 0 is none. */
#define TD_OPEN_SYMBOL(unit, n) TD_UNIT_SYMBOL("td_open", unit, n)
#ifdef TD_GUEST /* has no such words */
#define TD_OPEN_ADDRESS_(n) "0"
#define TD_OPEN_WORD_(n) ""
#else
#define TD_OPEN_ADDRESS_(n) TD_OPEN_SYMBOL("0", n)
#define TD_OPEN_WORD_(n)                                                                                               \
    ".section " TD_SECTION_OPEN ",\"aw\",@nobits\n\t"                                                                  \
    ".balign 4\n\t" TD_OPEN_SYMBOL("0", n) ": .skip 4\n\t"
#endif
#define TD_ZONE_NAMED(n, kind, name, color)                                                                            \
    TD_TEXTS_(TD_NAME_(name));                                                                                         \
    TD_RECORD_(td_unit, n, kind, "8882b" TD_STRINGS_AT_, color, TD_OPEN_ADDRESS_(n), TD_OPEN_WORD_(n),                  \
               TD_SAME_LENGTH_, sizeof(name), TD_TEXT_HASH(TD_SPELL(name)))
/* A zone that is named after its function. In C++ its unit is a variable of that function, so each instance of a template
 * has a site of its own. */
#ifdef __cplusplus
#define TD_FUNCTION_UNIT(n) TD_CAT(td_unit_, n)
#define TD_FUNCTION_UNIT_(n) static char TD_FUNCTION_UNIT(n)[0] __attribute__((unused, aligned(1)));
#else
#define TD_FUNCTION_UNIT(n) td_unit
#define TD_FUNCTION_UNIT_(n)
#endif
#define TD_ZONE_FUNCTION(n, kind, color)                                                                               \
    TD_TEXTS_("");                                                                                                     \
    TD_FUNCTION_UNIT_(n)                                                                                               \
    TD_RECORD_(TD_FUNCTION_UNIT(n), n, kind, "0", color, TD_OPEN_ADDRESS_(n), TD_OPEN_WORD_(n), "", 0, 0)

/* Switches (proto/device/site.h): the instructions between these texts, in one asm statement, belong to site n only. Those
 * between BEGIN and ZERO are a `lui`, which loads 0 if the site is switched off. */
#ifdef TD_GUEST /* its loader does not know them */
#define TD_SWITCH_(unit, n, end) ""
#else
#define TD_SWITCH_(unit, n, end)                                                                                       \
    ".pushsection .debug_td_switches,\"\",@progbits\n\t"                                                               \
    ".word " TD_SITE_ADDRESS(unit, n) ",8893b," end "\n\t"                                                             \
    ".popsection\n"
#endif
#define TD_SWITCH_BEGIN        "8893:\t"
#define TD_SWITCH_END(unit, n)  "8894:\t" TD_SWITCH_(unit, n, "8894b")
#define TD_SWITCH_ZERO(unit, n) "\t" TD_SWITCH_(unit, n, "0")
/* Statements that belong to one marker only: the nop before them becomes a jump over them. */
#define TD_SKIPPED_(site, operands, ...)                                                                               \
    do {                                                                                                               \
        __label__ td_off_;                                                                                             \
        __asm__ __volatile__ __inline__ goto("8893:\tnop\n\t"                                                          \
                                             ".pushsection .debug_td_switches,\"\",@progbits\n\t"                     \
                                             ".word " site ",8893b,%l[td_off_]+1\n\t"                                  \
                                             ".popsection"                                                             \
                                             : : operands : : td_off_);                                                \
        __VA_ARGS__;                                                                                                   \
    td_off_:;                                                                                                          \
    } while (0)
#ifdef TD_GUEST
#define TD_SWITCHED(unit, n, ...)    __VA_ARGS__
#define TD_SWITCHED_UNNAMED(...)     __VA_ARGS__
#else
#define TD_SWITCHED(unit, n, ...)    TD_SKIPPED_(TD_SITE_SYMBOL("0", n), "i"(unit), __VA_ARGS__)
/* Of a marker without a site: it is off where all markers of a core are. */
#define TD_SWITCHED_UNNAMED(...)     TD_SKIPPED_(TD_SPELL(TD_SWITCH_NO_SITE), , __VA_ARGS__)
#endif

/* Address of site n's symbol: valid flag and id of a short zone's first word. Not volatile: loops hoist it. */
#define TD_SITE_ID(n) TD_SITE_ID_OF(td_unit, n)
#define TD_SITE_ID_OF(unit, n)                                                                                         \
    __extension__({                                                                                                    \
        uint32_t td_id_;                                                                                               \
        __asm__("lui %0,%%hi(" TD_SITE_ADDRESS("1", n) ")" : "=r"(td_id_) : "i"(unit));                                \
        td_id_;                                                                                                        \
    })

#endif

/* The values of enum td_site_kind as literal numbers, for assembler directives. */
#define TD_KIND_ZONE  0
#define TD_KIND_WAIT  1
#define TD_KIND_LOG   2
#define TD_KIND_ZTEXT 3
#define TD_KIND_PLOT  4
#define TD_KIND_FLOW  5
#define TD_KIND_DATA  6
#define TD_KIND_SUM   7
#define TD_KIND_MAIN  8

/* clang-format on */

#endif
