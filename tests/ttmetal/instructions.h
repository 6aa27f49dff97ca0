/* A Tensix instruction among those of the core: its word, rotated so that its low two bits are not 11. */
#pragma once
__asm__(".macro .ttinsn word\n.4byte ((\\word) << 2 & 0xfffffffc) | ((\\word) >> 30 & 3)\n.endm");
