/* The compiler's functions for replaying Tensix instructions: one of the words below into the core's instruction pipe. */
#pragma once
namespace lltt
{
enum ExecBool : bool { NoExec, Exec };

constexpr unsigned replay_insn(unsigned start, unsigned count)
{
    return 0x04000000u | start << 14 | count << 4;
}

inline __attribute__((always_inline)) void push(unsigned word)
{
    *reinterpret_cast<volatile unsigned *>(0xFFE40000u) = word;
}

template <ExecBool EXEC = NoExec>
inline __attribute__((always_inline)) void record(unsigned start, unsigned count)
{
    push(replay_insn(start, count) | (EXEC ? 2 : 0) | 1);
}

inline __attribute__((always_inline)) void replay(unsigned start, unsigned count)
{
    push(replay_insn(start, count));
}
} // namespace lltt
