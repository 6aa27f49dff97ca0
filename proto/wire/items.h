/* Tracy's network protocol: the queue items, messages and queries as tables, for every release.
 *
 * Encoder, decoder, tests and the tables of docs/wire-protocol.md are made from these. Integers are
 * little-endian, structures are packed. An item is its id byte, its fields in order and, by its tail, variable
 * bytes. Protocol 63 is Tracy 0.9.0 and 0.9.1, 64 is 0.10, 66 is 0.11.0, 69 is 0.11.1, 74 is 0.12, 76 is 0.13,
 * 82 is 0.14.0. Tenstorrent's fork also announces 66; its GPU context numbers have two bytes instead of one.
 *
 * Another release is one line in TD_WIRE_RELEASES, one more column of ids in the item table (NO where it
 * lacks the item), and fields marked with where they begin or end: docs/adding-a-release.md.
 */
#pragma once

#define TD_WIRE_NONE 255 /* the id of an item that a release lacks */

/* The range of releases, for messages and help. */
#define TD_WIRE_OLDEST_TRACY "0.9.0"
#define TD_WIRE_NEWEST_TRACY "0.14.0"

/* X(name, protocol, column of its ids in the item table, bytes of a GPU context's number, bytes of its
 * welcome message, the highest type of a GPU context, the Tracy it came with); oldest first */
#define TD_WIRE_RELEASES(X)                                                                                  \
    X(63, 63, 0, 1, 1178, 5, "0.9.1")                                                                        \
    X(64, 64, 1, 1, 1178, 5, "0.10")                                                                         \
    X(66, 66, 2, 1, 1178, 5, "0.11.0")                                                                       \
    X(66tt, 66, 2, 2, 1178, 6, "Tenstorrent's fork")                                                         \
    X(69, 69, 3, 1, 1178, 5, "0.11.1")                                                                       \
    X(74, 74, 4, 1, 1178, 8, "0.12.2")                                                                       \
    X(76, 76, 5, 1, 1170, 9, "0.13.1")                                                                       \
    X(82, 82, 6, 1, 1170, 10, TD_WIRE_NEWEST_TRACY)

/* X(fact, in which protocols it holds): where later releases behave differently, apart from ids and fields. */
#define TD_WIRE_FACTS(X, protocol)                                                                           \
    X(moved_queries, (protocol) >= 66)      /* query ids are those of the second column */                   \
    X(keeps_wakeups, (protocol) >= 74)      /* a wakeup of a running thread counts for its next start */     \
    X(zone_values_in_hex, (protocol) >= 74) /* a zone's value is shown in both bases */                      \
    X(ignore_memory_flag, (protocol) >= 76) /* TD_WIRE_FLAG_IGNORE_MEMORY is what its name says */           \
    X(gpu_zone_queries, (protocol) >= 76)   /* traces hold the query numbers of GPU zones */                 \
    X(tagged_messages, (protocol) >= 82)    /* messages have metadata: their source and severity */          \
    X(short_forms, (protocol) >= 82)        /* short times and texts have items of their own */              \
    X(parameter_types, (protocol) >= 82)    /* a parameter's type is a number; before, it is 0 or 1 */       \
    X(sources_with_code, (protocol) >= 82)  /* source files are sent only where code is */

/* Tail: what follows the fields of an item.
 *   FIXED                    nothing
 *   BYTES8, BYTES16, BYTES32 a count of 8, 16 or 32 bits, and that many bytes
 *   STRING16                 a count of 16 bits, and that many bytes; with short_forms the count is less by 256
 *   NEVER                    the item is not sent
 *
 * Clock: what the first time field counts.
 *   ABSOLUTE                 ticks
 *   THREAD                   ticks since the previous item of this clock; 0 at every ThreadContext
 *   SERIAL, SWITCH, GPU      ticks since the previous item of this clock; 0 at the start of the session
 *
 * Fields, in their order:
 *   F(type, name)            in every release
 *   S(type, name, since)     from that protocol on
 *   U(type, name, until)     up to that protocol
 *   L(type, name, since)     from that protocol on; a U before it has the same name in its earlier position
 *   T(text, metadata)        an address, u64; with tagged_messages it is shifted up by 8 bits and the low
 *                            byte is the metadata
 * The type ctx is the number of a GPU context.
 *
 * Times of ZoneBegin, ZoneBeginCallstack, ZoneEnd, CallstackSample and CallstackSampleContextSwitch are
 * differences d. With short_forms the shortest of three items holds d (td_wire_put_short_NAME()):
 *   NAME16                   d
 *   NAME32                   d - 65536
 *   NAME                     d - 2^32 - 65536; a negative d as it is
 */

/* clang-format off */
/* X(name, (id in 63, 64, 66, 69, 74, 76, 82), tail, clock, fields) */
#define TD_WIRE_ITEMS(X, F, S, U, L, T)                                                                                                                                      \
    X(ZoneText, (  0,   0,   0,   0,   0,   0,   0), FIXED, NONE, )                                                                                                          \
    X(ZoneName, (  1,   1,   1,   1,   1,   1,   1), FIXED, NONE, )                                                                                                          \
    X(Message, (  2,   2,   2,   2,   2,   2,   2), FIXED, ABSOLUTE, F(i64, time) S(u8, metadata, 82))                                                                       \
    X(MessageColor, (  3,   3,   3,   3,   3,   3,   3), FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r) S(u8, metadata, 82))                                       \
    X(MessageCallstack, (  4,   4,   4,   4,   4,   4,   4), FIXED, ABSOLUTE, F(i64, time) S(u8, metadata, 82))                                                              \
    X(MessageColorCallstack, (  5,   5,   5,   5,   5,   5,   5), FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r) S(u8, metadata, 82))                              \
    X(MessageAppInfo, (  6,   6,   6,   6,   6,   6,   6), FIXED, ABSOLUTE, F(i64, time))                                                                                    \
    X(ZoneBeginAllocSrcLoc, (  7,   7,   7,   7,   7,   7,   7), FIXED, THREAD, F(i64, time))                                                                                \
    X(ZoneBeginAllocSrcLocCallstack, (  8,   8,   8,   8,   8,   8,   8), FIXED, THREAD, F(i64, time))                                                                       \
    X(CallstackSerial, (  9,   9,   9,   9,   9,   9,   9), FIXED, NONE, )                                                                                                   \
    X(Callstack, ( 10,  10,  10,  10,  10,  10,  10), FIXED, NONE, )                                                                                                         \
    X(CallstackAlloc, ( 11,  11,  11,  11,  11,  11,  11), FIXED, NONE, )                                                                                                    \
    X(CallstackSample, ( 12,  12,  12,  12,  12,  12,  12), FIXED, SWITCH, U(i64, time, 76) F(u32, thread) L(i64, time, 82))                                                 \
    X(CallstackSample32, ( NO,  NO,  NO,  NO,  NO,  NO,  13), FIXED, SWITCH, F(u32, thread) F(u32, time))                                                                    \
    X(CallstackSample16, ( NO,  NO,  NO,  NO,  NO,  NO,  14), FIXED, SWITCH, F(u32, thread) F(u16, time))                                                                    \
    X(CallstackSampleContextSwitch, ( 13,  13,  13,  13,  13,  13,  15), FIXED, SWITCH, U(i64, time, 76) F(u32, thread) L(i64, time, 82))                                    \
    X(CallstackSampleContextSwitch32, ( NO,  NO,  NO,  NO,  NO,  NO,  16), FIXED, SWITCH, F(u32, thread) F(u32, time))                                                       \
    X(CallstackSampleContextSwitch16, ( NO,  NO,  NO,  NO,  NO,  NO,  17), FIXED, SWITCH, F(u32, thread) F(u16, time))                                                       \
    X(FrameImage, ( 14,  14,  14,  14,  14,  14,  18), FIXED, NONE, F(u32, frame) F(u16, w) F(u16, h) F(u8, flip))                                                           \
    X(ZoneBegin, ( 15,  15,  15,  15,  15,  15,  19), FIXED, THREAD, F(i64, time) F(u64, srcloc))                                                                            \
    X(ZoneBegin32, ( NO,  NO,  NO,  NO,  NO,  NO,  20), FIXED, THREAD, F(u32, time) F(u64, srcloc))                                                                          \
    X(ZoneBegin16, ( NO,  NO,  NO,  NO,  NO,  NO,  21), FIXED, THREAD, F(u16, time) F(u64, srcloc))                                                                          \
    X(ZoneBeginCallstack, ( 16,  16,  16,  16,  16,  16,  22), FIXED, THREAD, F(i64, time) F(u64, srcloc))                                                                   \
    X(ZoneBeginCallstack32, ( NO,  NO,  NO,  NO,  NO,  NO,  23), FIXED, THREAD, F(u32, time) F(u64, srcloc))                                                                 \
    X(ZoneBeginCallstack16, ( NO,  NO,  NO,  NO,  NO,  NO,  24), FIXED, THREAD, F(u16, time) F(u64, srcloc))                                                                 \
    X(ZoneEnd, ( 17,  17,  17,  17,  17,  17,  25), FIXED, THREAD, F(i64, time))                                                                                             \
    X(ZoneEnd32, ( NO,  NO,  NO,  NO,  NO,  NO,  26), FIXED, THREAD, F(u32, time))                                                                                           \
    X(ZoneEnd16, ( NO,  NO,  NO,  NO,  NO,  NO,  27), FIXED, THREAD, F(u16, time))                                                                                           \
    X(LockWait, ( 18,  18,  18,  18,  18,  18,  28), FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                                                  \
    X(LockObtain, ( 19,  19,  19,  19,  19,  19,  29), FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                                                \
    X(LockRelease, ( 20,  20,  20,  20,  20,  20,  30), FIXED, SERIAL, F(u32, id) F(i64, time))                                                                              \
    X(LockSharedWait, ( 21,  21,  21,  21,  21,  21,  31), FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                                            \
    X(LockSharedObtain, ( 22,  22,  22,  22,  22,  22,  32), FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                                          \
    X(LockSharedRelease, ( 23,  23,  23,  23,  23,  23,  33), FIXED, SERIAL, F(u32, id) F(i64, time) F(u32, thread))                                                         \
    X(LockName, ( 24,  24,  24,  24,  24,  24,  34), FIXED, NONE, F(u32, id))                                                                                                \
    X(MemAlloc, ( 25,  25,  25,  25,  25,  25,  35), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                                                    \
    X(MemAllocNamed, ( 26,  26,  26,  26,  26,  26,  36), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                                               \
    X(MemFree, ( 27,  27,  27,  27,  27,  27,  37), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                                                  \
    X(MemFreeNamed, ( 28,  28,  28,  28,  28,  28,  38), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                                             \
    X(MemAllocCallstack, ( 29,  29,  29,  29,  29,  29,  39), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                                           \
    X(MemAllocCallstackNamed, ( 30,  30,  30,  30,  30,  30,  40), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                                      \
    X(MemFreeCallstack, ( 31,  31,  31,  31,  31,  31,  41), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                                         \
    X(MemFreeCallstackNamed, ( 32,  32,  32,  32,  32,  32,  42), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                                    \
    X(MemDiscard, ( NO,  NO,  NO,  NO,  33,  33,  43), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, name))                                                              \
    X(MemDiscardCallstack, ( NO,  NO,  NO,  NO,  34,  34,  44), FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, name))                                                     \
    X(GpuZoneBegin, ( 33,  33,  33,  33,  35,  35,  45), FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context) F(u64, srcloc))                       \
    X(GpuZoneBeginCallstack, ( 34,  34,  34,  34,  36,  36,  46), FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context) F(u64, srcloc))              \
    X(GpuZoneBeginAllocSrcLoc, ( 35,  35,  35,  35,  37,  37,  47), FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context))                           \
    X(GpuZoneBeginAllocSrcLocCallstack, ( 36,  36,  36,  36,  38,  38,  48), FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context))                  \
    X(GpuZoneEnd, ( 37,  37,  37,  37,  39,  39,  49), FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context))                                        \
    X(GpuZoneBeginSerial, ( 38,  38,  38,  38,  40,  40,  50), FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context) F(u64, srcloc))                 \
    X(GpuZoneBeginCallstackSerial, ( 39,  39,  39,  39,  41,  41,  51), FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context) F(u64, srcloc))        \
    X(GpuZoneBeginAllocSrcLocSerial, ( 40,  40,  40,  40,  42,  42,  52), FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context))                     \
    X(GpuZoneBeginAllocSrcLocCallstackSerial, ( 41,  41,  41,  41,  43,  43,  53), FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context))            \
    X(GpuZoneEndSerial, ( 42,  42,  42,  42,  44,  44,  54), FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(ctx, context))                                  \
    X(PlotDataInt, ( 43,  43,  43,  43,  45,  45,  55), FIXED, THREAD, F(u64, name) F(i64, time) F(i64, val))                                                                \
    X(PlotDataFloat, ( 44,  44,  44,  44,  46,  46,  56), FIXED, THREAD, F(u64, name) F(i64, time) F(f32, val))                                                              \
    X(PlotDataDouble, ( 45,  45,  45,  45,  47,  47,  57), FIXED, THREAD, F(u64, name) F(i64, time) F(f64, val))                                                             \
    X(ContextSwitch, ( 46,  46,  46,  46,  48,  48,  58), FIXED, SWITCH, F(i64, time) F(u32, oldThread) F(u32, newThread) F(u8, cpu) F(u8, oldThreadWaitReason) F(u8, oldThreadState) S(u8, previousCState, 74) S(i8, newThreadPriority, 74) S(i8, oldThreadPriority, 74))\
    X(ThreadWakeup, ( 47,  47,  47,  47,  49,  49,  59), FIXED, SWITCH, F(i64, time) F(u32, thread) S(u8, cpu, 74) S(i8, adjustReason, 74) S(i8, adjustIncrement, 74))       \
    X(GpuTime, ( 48,  48,  48,  48,  50,  50,  60), FIXED, GPU, F(i64, gpuTime) F(u16, queryId) F(ctx, context))                                                             \
    X(GpuContextName, ( 49,  49,  49,  49,  51,  51,  61), FIXED, NONE, F(ctx, context))                                                                                     \
    X(GpuAnnotationName, ( NO,  NO,  NO,  NO,  NO,  52,  62), FIXED, NONE, F(i64, noteId) F(ctx, context))                                                                   \
    X(CallstackFrameSize, ( 50,  50,  50,  50,  52,  53,  63), FIXED, NONE, F(u64, ptr) F(u8, size))                                                                         \
    X(SymbolInformation, ( 51,  51,  51,  51,  53,  54,  64), FIXED, NONE, F(u32, line) F(u64, symAddr))                                                                     \
    X(ExternalNameMetadata, ( 52,  52,  52,  52,  54,  55,  65), NEVER, NONE, )                                                                                              \
    X(SymbolCodeMetadata, ( 53,  53,  53,  53,  55,  56,  66), NEVER, NONE, )                                                                                                \
    X(SourceCodeMetadata, ( 54,  54,  54,  54,  56,  57,  67), NEVER, NONE, )                                                                                                \
    X(FiberEnter, ( 55,  55,  55,  55,  57,  58,  68), FIXED, THREAD, F(i64, time) F(u64, fiber) F(u32, thread) S(i32, groupHint, 69))                                       \
    X(FiberLeave, ( 56,  56,  56,  56,  58,  59,  69), FIXED, THREAD, F(i64, time) F(u32, thread))                                                                           \
    X(SectionEnter, ( NO,  NO,  NO,  NO,  NO,  NO,  70), FIXED, THREAD, F(i64, time) F(u32, id) F(u16, category))                                                            \
    X(SectionLeave, ( NO,  NO,  NO,  NO,  NO,  NO,  71), FIXED, THREAD, F(i64, time) F(u32, id))                                                                             \
    X(SectionSetup, ( NO,  NO,  NO,  NO,  NO,  NO,  72), FIXED, NONE, F(u16, category))                                                                                      \
    X(Terminate, ( 57,  57,  57,  57,  59,  60,  73), FIXED, NONE, )                                                                                                         \
    X(KeepAlive, ( 58,  58,  58,  58,  60,  61,  74), FIXED, NONE, )                                                                                                         \
    X(ThreadContext, ( 59,  59,  59,  59,  61,  62,  75), FIXED, NONE, F(u32, thread))                                                                                       \
    X(GpuCalibration, ( 60,  60,  60,  60,  62,  63,  76), FIXED, ABSOLUTE, F(i64, gpuTime) F(i64, cpuTime) F(i64, cpuDelta) F(ctx, context))                                \
    X(GpuTimeSync, ( NO,  NO,  61,  61,  63,  64,  77), FIXED, ABSOLUTE, F(i64, gpuTime) F(i64, cpuTime) F(ctx, context))                                                    \
    X(Crash, ( 61,  61,  62,  62,  64,  65,  78), FIXED, NONE, )                                                                                                             \
    X(CrashReport, ( 62,  62,  63,  63,  65,  66,  79), FIXED, ABSOLUTE, F(i64, time) F(u64, text))                                                                          \
    X(ZoneValidation, ( 63,  63,  64,  64,  66,  67,  80), FIXED, NONE, F(u32, id))                                                                                          \
    X(ZoneColor, ( 64,  64,  65,  65,  67,  68,  81), FIXED, NONE, F(u8, b) F(u8, g) F(u8, r))                                                                               \
    X(ZoneValue, ( 65,  65,  66,  66,  68,  69,  82), FIXED, NONE, F(u64, value))                                                                                            \
    X(FrameMarkMsg, ( 66,  66,  67,  67,  69,  70,  83), FIXED, ABSOLUTE, F(i64, time) F(u64, name))                                                                         \
    X(FrameMarkMsgStart, ( 67,  67,  68,  68,  70,  71,  84), FIXED, ABSOLUTE, F(i64, time) F(u64, name))                                                                    \
    X(FrameMarkMsgEnd, ( 68,  68,  69,  69,  71,  72,  85), FIXED, ABSOLUTE, F(i64, time) F(u64, name))                                                                      \
    X(FrameVsync, ( 69,  69,  70,  70,  72,  73,  86), FIXED, ABSOLUTE, F(i64, time) F(u32, id))                                                                             \
    X(SourceLocation, ( 70,  70,  71,  71,  73,  74,  87), FIXED, NONE, F(u64, name) F(u64, function) F(u64, file) F(u32, line) F(u8, b) F(u8, g) F(u8, r))                  \
    X(LockAnnounce, ( 71,  71,  72,  72,  74,  75,  88), FIXED, ABSOLUTE, F(u32, id) F(i64, time) F(u64, lckloc) F(u8, type))                                                \
    X(LockTerminate, ( 72,  72,  73,  73,  75,  76,  89), FIXED, ABSOLUTE, F(u32, id) F(i64, time))                                                                          \
    X(LockMark, ( 73,  73,  74,  74,  76,  77,  90), FIXED, NONE, F(u32, thread) F(u32, id) F(u64, srcloc))                                                                  \
    X(MessageLiteral, ( 74,  74,  75,  75,  77,  78,  91), FIXED, ABSOLUTE, F(i64, time) T(text, metadata))                                                                  \
    X(MessageLiteralColor, ( 75,  75,  76,  76,  78,  79,  92), FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r) T(text, metadata))                                  \
    X(MessageLiteralCallstack, ( 76,  76,  77,  77,  79,  80,  93), FIXED, ABSOLUTE, F(i64, time) T(text, metadata))                                                         \
    X(MessageLiteralColorCallstack, ( 77,  77,  78,  78,  80,  81,  94), FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r) T(text, metadata))                         \
    X(GpuNewContext, ( 78,  78,  79,  79,  81,  82,  95), FIXED, ABSOLUTE, F(i64, cpuTime) F(i64, gpuTime) F(u32, thread) F(f32, period) F(ctx, context) F(u8, flags) F(u8, type))\
    X(CallstackFrame, ( 79,  79,  80,  80,  82,  83,  96), FIXED, NONE, F(u32, line) F(u64, symAddr) F(u32, symLen))                                                         \
    X(SysTimeReport, ( 80,  80,  81,  81,  83,  84,  97), FIXED, ABSOLUTE, F(i64, time) F(f32, sysTime))                                                                     \
    X(SysPowerReport, ( NO,  81,  82,  82,  84,  85,  98), FIXED, ABSOLUTE, F(i64, time) F(u64, delta) F(u64, name))                                                         \
    X(TidToPid, ( 81,  82,  83,  83,  85,  86,  99), FIXED, NONE, F(u64, tid) F(u64, pid))                                                                                   \
    X(HwSampleCpuCycle, ( 82,  83,  84,  84,  86,  87, 100), FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                                       \
    X(HwSampleInstructionRetired, ( 83,  84,  85,  85,  87,  88, 101), FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                             \
    X(HwSampleCacheReference, ( 84,  85,  86,  86,  88,  89, 102), FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                                 \
    X(HwSampleCacheMiss, ( 85,  86,  87,  87,  89,  90, 103), FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                                      \
    X(HwSampleBranchRetired, ( 86,  87,  88,  88,  90,  91, 104), FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                                  \
    X(HwSampleBranchMiss, ( 87,  88,  89,  89,  91,  92, 105), FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                                     \
    X(PlotConfig, ( 88,  89,  90,  90,  92,  93, 106), FIXED, NONE, F(u64, name) F(u8, type) F(u8, step) F(u8, fill) F(u32, color))                                          \
    X(ParamSetup, ( 89,  90,  91,  91,  93,  94, 107), FIXED, NONE, F(u32, idx) F(u64, name) F(u8, type) F(i32, val))                                                        \
    X(AckServerQueryNoop, ( 90,  91,  92,  92,  94,  95, 108), FIXED, NONE, )                                                                                                \
    X(AckSourceCodeNotAvailable, ( 91,  92,  93,  93,  95,  96, 109), FIXED, NONE, F(u32, id))                                                                               \
    X(AckSymbolCodeNotAvailable, ( 92,  93,  94,  94,  96,  97, 110), FIXED, NONE, )                                                                                         \
    X(CpuTopology, ( 93,  94,  95,  95,  97,  98, 111), FIXED, NONE, F(u32, package) S(u32, die, 69) F(u32, core) F(u32, thread))                                            \
    X(SingleStringData, ( 94,  95,  96,  96,  98,  99, 112), STRING16, NONE, )                                                                                               \
    X(SecondStringData, ( 95,  96,  97,  97,  99, 100, 113), STRING16, NONE, )                                                                                               \
    X(SingleStringData8, ( NO,  NO,  NO,  NO,  NO,  NO, 114), BYTES8, NONE, )                                                                                                \
    X(SecondStringData8, ( NO,  NO,  NO,  NO,  NO,  NO, 115), BYTES8, NONE, )                                                                                                \
    X(MemNamePayload, ( 96,  97,  98,  98, 100, 101, 116), FIXED, NONE, F(u64, name))                                                                                        \
    X(ThreadGroupHint, ( NO,  NO,  NO,  99, 101, 102, 117), FIXED, NONE, F(u32, thread) F(i32, groupHint))                                                                   \
    X(GpuZoneAnnotation, ( NO,  NO,  NO,  NO,  NO, 103, 118), FIXED, NONE, F(i64, noteId) F(f64, value) F(u32, thread) F(u16, queryId) F(ctx, context))                      \
    X(StringData, ( 97,  98,  99, 100, 102, 104, 119), BYTES16, NONE, F(u64, ptr))                                                                                           \
    X(ThreadName, ( 98,  99, 100, 101, 103, 105, 120), BYTES16, NONE, F(u64, ptr))                                                                                           \
    X(PlotName, ( 99, 100, 101, 102, 104, 106, 121), BYTES16, NONE, F(u64, ptr))                                                                                             \
    X(SourceLocationPayload, (100, 101, 102, 103, 105, 107, 122), BYTES16, NONE, F(u64, ptr))                                                                                \
    X(CallstackPayload, (101, 102, 103, 104, 106, 108, 123), BYTES16, NONE, F(u64, ptr))                                                                                     \
    X(CallstackAllocPayload, (102, 103, 104, 105, 107, 109, 124), BYTES16, NONE, F(u64, ptr))                                                                                \
    X(FrameName, (103, 104, 105, 106, 108, 110, 125), BYTES16, NONE, F(u64, ptr))                                                                                            \
    X(FrameImageData, (104, 105, 106, 107, 109, 111, 126), BYTES32, NONE, F(u64, ptr))                                                                                       \
    X(ExternalName, (105, 106, 107, 108, 110, 112, 127), BYTES16, NONE, F(u64, ptr))                                                                                         \
    X(ExternalThreadName, (106, 107, 108, 109, 111, 113, 128), BYTES16, NONE, F(u64, ptr))                                                                                   \
    X(SymbolCode, (107, 108, 109, 110, 112, 114, 129), BYTES32, NONE, F(u64, ptr))                                                                                           \
    X(SourceCode, (108, 109, 110, 111, 113, 115, 130), BYTES32, NONE, F(u64, ptr))                                                                                           \
    X(FiberName, (109, 110, 111, 112, 114, 116, 131), BYTES16, NONE, F(u64, ptr))

/* X(name, id in 63 and 64, id from 66 on): what the server (the collecting end) asks. A query has 13 bytes: u8 id,
 * u64 ptr, u32 extra; it is not framed. */
#define TD_WIRE_QUERIES(X)                                                                                             \
    X(Terminate, 0, 0)                                                                                                 \
    X(String, 1, 1)                                                                                                    \
    X(ThreadString, 2, 2)                                                                                              \
    X(SourceLocation, 3, 3)                                                                                            \
    X(PlotName, 4, 4)                                                                                                  \
    X(FrameName, 5, 5)                                                                                                 \
    X(Parameter, 6, 6)                                                                                                 \
    X(FiberName, 7, 7)                                                                                                 \
    X(ExternalName, 10, 8)                                                                                             \
    X(Disconnect, 8, 9)                                                                                                \
    X(CallstackFrame, 9, 10)                                                                                           \
    X(Symbol, 11, 11)                                                                                                  \
    X(SymbolCode, 12, 12)                                                                                              \
    X(SourceCode, 13, 13)                                                                                              \
    X(DataTransfer, 14, 14)                                                                                            \
    X(DataTransferPart, 15, 15)

/* The welcome message. F(type, name), U(type, name, until) as above, B(name, bytes): text padded with NUL. */
#define TD_WIRE_WELCOME(F, U, B)                                                                                       \
    F(f64, timerMul)       /* ns per tick */                                                                           \
    F(i64, initBegin)      /* tick that is time 0 */                                                                   \
    F(i64, initEnd)                                                                                                    \
    U(u64, delay, 74)                                                                                                  \
    F(u64, resolution)                                                                                                 \
    F(u64, epoch)          /* Unix seconds of the start */                                                             \
    F(u64, exectime)       /* 0: no source file queries */                                                             \
    F(u64, pid)                                                                                                        \
    F(i64, samplingPeriod)                                                                                             \
    F(u8, flags)           /* TD_WIRE_FLAG_* */                                                                        \
    F(u8, cpuArch)                                                                                                     \
    B(cpuManufacturer, 12)                                                                                             \
    F(u32, cpuId)                                                                                                      \
    B(programName, 64)                                                                                                 \
    B(hostInfo, 1024)

/* The UDP announcement, version 3; it ends after the name's NUL. */
#define TD_WIRE_BROADCAST(F, B)                                                                                        \
    F(u16, broadcastVersion)                                                                                           \
    F(u16, listenPort)                                                                                                 \
    F(u32, protocolVersion)                                                                                            \
    F(u64, pid)                                                                                                        \
    F(i32, activeTime)     /* seconds since the start, -1: gone */                                                     \
    B(programName, 64)
/* Those of releases before 0.9, which servers still take. Version 0 is of clients at TD_WIRE_PORT. */
#define TD_WIRE_BROADCAST_2(F, B)                                                                                      \
    F(u16, broadcastVersion) F(u16, listenPort) F(u32, protocolVersion) F(i32, activeTime) B(programName, 64)
#define TD_WIRE_BROADCAST_1(F, B)                                                                                      \
    F(u32, broadcastVersion) F(u32, protocolVersion) F(u32, listenPort) F(i32, activeTime) B(programName, 64)
#define TD_WIRE_BROADCAST_0(F, B)                                                                                      \
    F(u32, broadcastVersion) F(u32, protocolVersion) F(i32, activeTime) B(programName, 64)
/* clang-format on */

#define TD_WIRE_MAGIC             "TracyPrf"
#define TD_WIRE_MAGIC_BYTES       8
#define TD_WIRE_HELLO_BYTES       12 /* magic and u32 protocol version, server to client */
#define TD_WIRE_QUERY_BYTES       13
#define TD_WIRE_ONDEMAND_BYTES    16 /* after the welcome message when its flag is set */
#define TD_WIRE_BROADCAST_VERSION 3
#define TD_WIRE_PORT              8086
#define TD_WIRE_PORTS             20     /* a client tries this many, one after the other */
#define TD_WIRE_FRAME_MAX         262144 /* bytes of one frame, decompressed */
#define TD_WIRE_PACKED_MAX        263188 /* bytes of one frame, compressed */
#define TD_WIRE_TEXT_MAX          65535

/* Status byte, client to server. */
#define TD_WIRE_STATUS_WELCOME       1
#define TD_WIRE_STATUS_MISMATCH      2
#define TD_WIRE_STATUS_NOT_AVAILABLE 3

#define TD_WIRE_FLAG_ON_DEMAND        1
#define TD_WIRE_FLAG_IGNORE_MEMORY    2 /* without ignore_memory_flag: the program runs on an Apple system */
#define TD_WIRE_FLAG_CODE_TRANSFER    4
#define TD_WIRE_FLAG_COMBINE_SAMPLES  8
#define TD_WIRE_FLAG_IDENTIFY_SAMPLES 16

/* Metadata of a message: its source and severity. */
#define TD_WIRE_SOURCE_USER                0
#define TD_WIRE_SOURCE_PROFILER            1
#define TD_WIRE_SEVERITY_TRACE             0
#define TD_WIRE_SEVERITY_DEBUG             1
#define TD_WIRE_SEVERITY_INFO              2
#define TD_WIRE_SEVERITY_WARNING           3
#define TD_WIRE_SEVERITY_ERROR             4
#define TD_WIRE_SEVERITY_FATAL             5
#define TD_WIRE_METADATA(source, severity) ((uint8_t)((severity) << 4 | (source)))

#define TD_WIRE_ARCH_UNKNOWN 0
#define TD_WIRE_ARCH_X86     1
#define TD_WIRE_ARCH_X64     2
#define TD_WIRE_ARCH_ARM32   3
#define TD_WIRE_ARCH_ARM64   4
