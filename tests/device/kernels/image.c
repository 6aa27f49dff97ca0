/* Sites in a plain function, in an inlined one and in assembler without debug information. */
#define SITE(symbol, name_address, kind, args)                                                               \
    __asm__ volatile("1:\n"                                                                                  \
                     ".pushsection .td_ids,\"\",@nobits\n" symbol ": .zero 0x10000\n.popsection\n"           \
                     ".pushsection .td_strings,\"\",@progbits\n2: .asciz \"kernels/image.c\"\n.popsection\n" \
                     ".pushsection .td_sites,\"\",@progbits\n"                                               \
                     ".word " symbol ", " name_address ", 2b, " LINE ", 1b, 0x123456, " kind ", " args "\n"  \
                     ".popsection\n"                                                                         \
                     "nop")
#define LINE "42"

__asm__(
    ".pushsection .td_strings,\"\",@progbits\nname_outer: .asciz \"outer zone\"\n"
    "name_format: .asciz \"n=%d at %s\"\n.popsection\n"
    ".pushsection .td_image,\"\",@progbits\n.word 0x31494454, 1, 2, 0x400, 0xFFB00000, 1, 0, 0\n.popsection");

volatile int counter = 5;
const char *volatile text = "a constant";

static inline __attribute__((always_inline)) void inlined_here(void)
{
    SITE("site_inner", "0", "1", "0");
    counter++;
}

__attribute__((noinline)) void outer(void)
{
    SITE("site_outer", "name_outer", "0", "0");
    inlined_here();
    SITE("site_log", "name_format", "2", "2");
    counter++;
}

__attribute__((section(".text.start"))) void _start(void)
{
    outer();
    for (;;)
        ;
}
