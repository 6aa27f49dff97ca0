/* Images of kernels in a trace: the column IMAGE of frames and symbols that are code of a board's cores.
 *
 *   rv32 kernel BUILDID     the first 16 hexadecimal digits of the ELF's build id
 *
 * Files have one instruction set for all code, that of the program. So whoever disassembles code of a
 * trace asks this name first. */
#pragma once
#define TD_KERNEL_IMAGE "rv32 kernel "
