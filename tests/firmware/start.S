/* Start of the test firmware: its own, as it has its own linker script. */
        .section .init,"ax",@progbits
        .globl  _start
_start:
        .option push
        .option norelax
        lui     gp, %hi(__global_pointer$)
        addi    gp, gp, %lo(__global_pointer$)
        .option pop
        la      sp, firmware_stack
        la      a0, firmware_data
        la      a1, firmware_data_end
        la      a2, firmware_data_load
1:      bgeu    a0, a1, 2f
        lw      a3, 0(a2)
        sw      a3, 0(a0)
        addi    a0, a0, 4
        addi    a2, a2, 4
        j       1b
2:      call    firmware_main
