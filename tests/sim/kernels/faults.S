# a0 -> struct faults: kind at 0; the kernel writes the pc of the instruction that will fault to 4 and, if it comes through, 1 to 8.
    .globl kernel
kernel:
    lw t0, 0(a0)
    li t5, 0x30000000

    .macro case number
    li t1, \number
    bne t0, t1, 90f
    lla t6, 80f
    sw t6, 4(a0)
    .endm
    .macro ends
    j out
90:
    .endm

    case 1              # load from nowhere, in the middle of a block
    nop
80: lw t2, 4(t5)
    nop
    ends
    case 2              # store to nowhere
    nop
80: sw t2, 8(t5)
    nop
    ends
    case 3              # jump to nowhere
    nop
80: jr t5
    ends
    case 4              # no instruction
80: .word 0xffffffff
    ends
    case 5              # misaligned load
    addi t2, a0, 2
    nop
80: lw t3, 0(t2)
    ends
    case 6              # misaligned store
    addi t2, a0, 1
80: sh t3, 0(t2)
    ends
    case 7              # no atomics on these cores
80: .word 0x00b6252f
    ends
    case 8              # no CSRs
80: .word 0xc0002573
    ends
    case 9              # register that does not exist
    li t2, 0xFFB12F00
80: lw t3, 0x10(t2)
    ends
    case 10             # NoC request to a tile that does not exist
    li t2, 0xFFB20000
    li t3, 0x8200       # place 32,32
    sw x0, 0(t2)        # TARG_LO
    sw t3, 4(t2)        # TARG_PLACE
    lw t3, 0x2c(t2)     # NODE_ID
    slli t3, t3, 20
    srli t3, t3, 16
    sw x0, 0x0c(t2)     # RET_LO
    sw t3, 0x10(t2)     # RET_PLACE
    li t3, 0x10
    sw t3, 0x1c(t2)     # CTRL: a read
    li t3, 4
    sw t3, 0x20(t2)     # AT_LEN_BE
    li t3, 1
80: sw t3, 0x28(t2)     # CMD_CTRL
    ends
    case 11             # jump to an odd half word
    lla t2, out
    addi t2, t2, 2
80: jr t2
    ends
    case 12             # no handler for environment calls
80: ecall
    ends
    case 13             # code in private RAM
    li t2, 0xFFB00000
80: jr t2
    ends
    case 14
80: ebreak
    ends
out:
    li t1, 1
    sw t1, 8(a0)
    ret
