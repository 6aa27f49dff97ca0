# Entry of the test kernels: a0 holds the argument that the loader put in. They have no data of their own and run wherever
# they are loaded.
    .section .text.start
    .globl _start
_start:
    li sp, 0xFFB00800
    call kernel
1:  j 1b
