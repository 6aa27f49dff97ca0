# a0 -> struct spans. Two clock reads with ten instructions between, in one block, then a loop of p->loops rounds of two.
    .globl kernel
kernel:
    li a5, 0xFFB12000
    lw a3, 12(a0)
    j 1f
1:  lw t0, 0x1f0(a5)
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    lw t1, 0x1f0(a5)
    sw t0, 0(a0)
    sw t1, 4(a0)
    lw t2, 0x1f0(a5)
2:  addi a3, a3, -1
    bnez a3, 2b
    lw t1, 0x1f0(a5)
    sub t1, t1, t2
    sw t1, 8(a0)
    li t1, 1
    sw t1, 16(a0)
    ret
