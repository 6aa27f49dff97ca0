/* The board's description, for hosts that ask. */
        .section .rodata.description,"a",@progbits
        .globl  board_description
board_description:
        .incbin "qemu_virt.board"
        .byte   0
