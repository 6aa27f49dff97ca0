/* Tracy's network protocol: the queue items, messages and queries as tables.
 *
 * Encoder, decoder and tests are made from these tables. Integers are little-endian, structures packed. An
 * item is its id byte, its fields in order and, by its tail, variable bytes. Protocol 69 is Tracy 0.11.1.
 * Another release is one more id column in the item and query tables (TD_WIRE_NONE where it lacks the item),
 * one line in TD_WIRE_RELEASES, and a row of its own for an item whose fields differ there.
 */
#ifndef TD_PROTO_WIRE_ITEMS_H
#define TD_PROTO_WIRE_ITEMS_H

#define TD_WIRE_NONE 255

/* X(protocol, bytes of its welcome message) */
#define TD_WIRE_RELEASES(X) X(69, 1178)

/* Tails: FIXED nothing follows, BYTES16 a u16 count and that many bytes, BYTES32 the same with u32, NEVER not
 * sent. Clocks of the first time field: ABSOLUTE ticks; else the difference to the item before on the same
 * clock: THREAD (starts at 0 at every ThreadContext), SERIAL, SWITCH and GPU (start at 0 with the session).
 */

/* clang-format off */
/* X(name, id in 69, tail, clock, fields F(type, name)) */
#define TD_WIRE_ITEMS(X, F)                                                                                           \
    X(ZoneText, 0, FIXED, NONE, )                                                                                     \
    X(ZoneName, 1, FIXED, NONE, )                                                                                     \
    X(Message, 2, FIXED, ABSOLUTE, F(i64, time))                                                                      \
    X(MessageColor, 3, FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r))                                      \
    X(MessageCallstack, 4, FIXED, ABSOLUTE, F(i64, time))                                                             \
    X(MessageColorCallstack, 5, FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r))                             \
    X(MessageAppInfo, 6, FIXED, ABSOLUTE, F(i64, time))                                                               \
    X(ZoneBeginAllocSrcLoc, 7, FIXED, THREAD, F(i64, time))                                                           \
    X(ZoneBeginAllocSrcLocCallstack, 8, FIXED, THREAD, F(i64, time))                                                  \
    X(CallstackSerial, 9, FIXED, NONE, )                                                                              \
    X(Callstack, 10, FIXED, NONE, )                                                                                   \
    X(CallstackAlloc, 11, FIXED, NONE, )                                                                              \
    X(CallstackSample, 12, FIXED, SWITCH, F(i64, time) F(u32, thread))                                                \
    X(CallstackSampleContextSwitch, 13, FIXED, SWITCH, F(i64, time) F(u32, thread))                                   \
    X(FrameImage, 14, FIXED, NONE, F(u32, frame) F(u16, w) F(u16, h) F(u8, flip))                                     \
    X(ZoneBegin, 15, FIXED, THREAD, F(i64, time) F(u64, srcloc))                                                      \
    X(ZoneBeginCallstack, 16, FIXED, THREAD, F(i64, time) F(u64, srcloc))                                             \
    X(ZoneEnd, 17, FIXED, THREAD, F(i64, time))                                                                       \
    X(LockWait, 18, FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                            \
    X(LockObtain, 19, FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                          \
    X(LockRelease, 20, FIXED, SERIAL, F(u32, id) F(i64, time))                                                        \
    X(LockSharedWait, 21, FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                      \
    X(LockSharedObtain, 22, FIXED, SERIAL, F(u32, thread) F(u32, id) F(i64, time))                                    \
    X(LockSharedRelease, 23, FIXED, SERIAL, F(u32, id) F(i64, time) F(u32, thread))                                   \
    X(LockName, 24, FIXED, NONE, F(u32, id))                                                                          \
    X(MemAlloc, 25, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                              \
    X(MemAllocNamed, 26, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                         \
    X(MemFree, 27, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                            \
    X(MemFreeNamed, 28, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                       \
    X(MemAllocCallstack, 29, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                     \
    X(MemAllocCallstackNamed, 30, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr) F(u48, size))                \
    X(MemFreeCallstack, 31, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                                   \
    X(MemFreeCallstackNamed, 32, FIXED, SERIAL, F(i64, time) F(u32, thread) F(u64, ptr))                              \
    X(GpuZoneBegin, 33, FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context) F(u64, srcloc))  \
    X(GpuZoneBeginCallstack, 34, FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context) F(u64, srcloc))\
    X(GpuZoneBeginAllocSrcLoc, 35, FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context))      \
    X(GpuZoneBeginAllocSrcLocCallstack, 36, FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context))\
    X(GpuZoneEnd, 37, FIXED, THREAD, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context))                   \
    X(GpuZoneBeginSerial, 38, FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context) F(u64, srcloc))\
    X(GpuZoneBeginCallstackSerial, 39, FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context) F(u64, srcloc))\
    X(GpuZoneBeginAllocSrcLocSerial, 40, FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context))\
    X(GpuZoneBeginAllocSrcLocCallstackSerial, 41, FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context))\
    X(GpuZoneEndSerial, 42, FIXED, SERIAL, F(i64, cpuTime) F(u32, thread) F(u16, queryId) F(u8, context))             \
    X(PlotDataInt, 43, FIXED, THREAD, F(u64, name) F(i64, time) F(i64, val))                                          \
    X(PlotDataFloat, 44, FIXED, THREAD, F(u64, name) F(i64, time) F(f32, val))                                        \
    X(PlotDataDouble, 45, FIXED, THREAD, F(u64, name) F(i64, time) F(f64, val))                                       \
    X(ContextSwitch, 46, FIXED, SWITCH, F(i64, time) F(u32, oldThread) F(u32, newThread) F(u8, cpu) F(u8, reason) F(u8, state))\
    X(ThreadWakeup, 47, FIXED, SWITCH, F(i64, time) F(u32, thread))                                                   \
    X(GpuTime, 48, FIXED, GPU, F(i64, gpuTime) F(u16, queryId) F(u8, context))                                        \
    X(GpuContextName, 49, FIXED, NONE, F(u8, context))                                                                \
    X(CallstackFrameSize, 50, FIXED, NONE, F(u64, ptr) F(u8, size))                                                   \
    X(SymbolInformation, 51, FIXED, NONE, F(u32, line) F(u64, symAddr))                                               \
    X(ExternalNameMetadata, 52, NEVER, NONE, )                                                                        \
    X(SymbolCodeMetadata, 53, NEVER, NONE, )                                                                          \
    X(SourceCodeMetadata, 54, NEVER, NONE, )                                                                          \
    X(FiberEnter, 55, FIXED, THREAD, F(i64, time) F(u64, fiber) F(u32, thread) F(i32, groupHint))                     \
    X(FiberLeave, 56, FIXED, THREAD, F(i64, time) F(u32, thread))                                                     \
    X(Terminate, 57, FIXED, NONE, )                                                                                   \
    X(KeepAlive, 58, FIXED, NONE, )                                                                                   \
    X(ThreadContext, 59, FIXED, NONE, F(u32, thread))                                                                 \
    X(GpuCalibration, 60, FIXED, ABSOLUTE, F(i64, gpuTime) F(i64, cpuTime) F(i64, cpuDelta) F(u8, context))           \
    X(GpuTimeSync, 61, FIXED, ABSOLUTE, F(i64, gpuTime) F(i64, cpuTime) F(u8, context))                               \
    X(Crash, 62, FIXED, NONE, )                                                                                       \
    X(CrashReport, 63, FIXED, ABSOLUTE, F(i64, time) F(u64, text))                                                    \
    X(ZoneValidation, 64, FIXED, NONE, F(u32, id))                                                                    \
    X(ZoneColor, 65, FIXED, NONE, F(u8, b) F(u8, g) F(u8, r))                                                         \
    X(ZoneValue, 66, FIXED, NONE, F(u64, value))                                                                      \
    X(FrameMarkMsg, 67, FIXED, ABSOLUTE, F(i64, time) F(u64, name))                                                   \
    X(FrameMarkMsgStart, 68, FIXED, ABSOLUTE, F(i64, time) F(u64, name))                                              \
    X(FrameMarkMsgEnd, 69, FIXED, ABSOLUTE, F(i64, time) F(u64, name))                                                \
    X(FrameVsync, 70, FIXED, ABSOLUTE, F(i64, time) F(u32, id))                                                       \
    X(SourceLocation, 71, FIXED, NONE, F(u64, name) F(u64, function) F(u64, file) F(u32, line) F(u8, b) F(u8, g) F(u8, r))\
    X(LockAnnounce, 72, FIXED, ABSOLUTE, F(u32, id) F(i64, time) F(u64, lckloc) F(u8, type))                          \
    X(LockTerminate, 73, FIXED, ABSOLUTE, F(u32, id) F(i64, time))                                                    \
    X(LockMark, 74, FIXED, NONE, F(u32, thread) F(u32, id) F(u64, srcloc))                                            \
    X(MessageLiteral, 75, FIXED, ABSOLUTE, F(i64, time) F(u64, text))                                                 \
    X(MessageLiteralColor, 76, FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r) F(u64, text))                 \
    X(MessageLiteralCallstack, 77, FIXED, ABSOLUTE, F(i64, time) F(u64, text))                                        \
    X(MessageLiteralColorCallstack, 78, FIXED, ABSOLUTE, F(i64, time) F(u8, b) F(u8, g) F(u8, r) F(u64, text))        \
    X(GpuNewContext, 79, FIXED, ABSOLUTE, F(i64, cpuTime) F(i64, gpuTime) F(u32, thread) F(f32, period) F(u8, context) F(u8, flags) F(u8, type))\
    X(CallstackFrame, 80, FIXED, NONE, F(u32, line) F(u64, symAddr) F(u32, symLen))                                   \
    X(SysTimeReport, 81, FIXED, ABSOLUTE, F(i64, time) F(f32, sysTime))                                               \
    X(SysPowerReport, 82, FIXED, ABSOLUTE, F(i64, time) F(u64, delta) F(u64, name))                                   \
    X(TidToPid, 83, FIXED, NONE, F(u64, tid) F(u64, pid))                                                             \
    X(HwSampleCpuCycle, 84, FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                 \
    X(HwSampleInstructionRetired, 85, FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                       \
    X(HwSampleCacheReference, 86, FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                           \
    X(HwSampleCacheMiss, 87, FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                                \
    X(HwSampleBranchRetired, 88, FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                            \
    X(HwSampleBranchMiss, 89, FIXED, ABSOLUTE, F(u64, ip) F(i64, time))                                               \
    X(PlotConfig, 90, FIXED, NONE, F(u64, name) F(u8, type) F(u8, step) F(u8, fill) F(u32, color))                    \
    X(ParamSetup, 91, FIXED, NONE, F(u32, idx) F(u64, name) F(u8, isBool) F(i32, val))                                \
    X(AckServerQueryNoop, 92, FIXED, NONE, )                                                                          \
    X(AckSourceCodeNotAvailable, 93, FIXED, NONE, F(u32, id))                                                         \
    X(AckSymbolCodeNotAvailable, 94, FIXED, NONE, )                                                                   \
    X(CpuTopology, 95, FIXED, NONE, F(u32, package) F(u32, die) F(u32, core) F(u32, thread))                          \
    X(SingleStringData, 96, BYTES16, NONE, )                                                                          \
    X(SecondStringData, 97, BYTES16, NONE, )                                                                          \
    X(MemNamePayload, 98, FIXED, NONE, F(u64, name))                                                                  \
    X(ThreadGroupHint, 99, FIXED, NONE, F(u32, thread) F(i32, groupHint))                                             \
    X(StringData, 100, BYTES16, NONE, F(u64, ptr))                                                                    \
    X(ThreadName, 101, BYTES16, NONE, F(u64, ptr))                                                                    \
    X(PlotName, 102, BYTES16, NONE, F(u64, ptr))                                                                      \
    X(SourceLocationPayload, 103, BYTES16, NONE, F(u64, ptr))                                                         \
    X(CallstackPayload, 104, BYTES16, NONE, F(u64, ptr))                                                              \
    X(CallstackAllocPayload, 105, BYTES16, NONE, F(u64, ptr))                                                         \
    X(FrameName, 106, BYTES16, NONE, F(u64, ptr))                                                                     \
    X(FrameImageData, 107, BYTES32, NONE, F(u64, ptr))                                                                \
    X(ExternalName, 108, BYTES16, NONE, F(u64, ptr))                                                                  \
    X(ExternalThreadName, 109, BYTES16, NONE, F(u64, ptr))                                                            \
    X(SymbolCode, 110, BYTES32, NONE, F(u64, ptr))                                                                    \
    X(SourceCode, 111, BYTES32, NONE, F(u64, ptr))                                                                    \
    X(FiberName, 112, BYTES16, NONE, F(u64, ptr))                                                                                                

/* X(name, id in 69): what the server (the collecting end) asks; 13 bytes u8 id, u64 ptr, u32 extra, not framed. */
#define TD_WIRE_QUERIES(X)                                                                                            \
    X(Terminate, 0)                                                                                                   \
    X(String, 1)                                                                                                      \
    X(ThreadString, 2)                                                                                                \
    X(SourceLocation, 3)                                                                                              \
    X(PlotName, 4)                                                                                                    \
    X(FrameName, 5)                                                                                                   \
    X(Parameter, 6)                                                                                                   \
    X(FiberName, 7)                                                                                                   \
    X(ExternalName, 8)                                                                                                \
    X(Disconnect, 9)                                                                                                  \
    X(CallstackFrame, 10)                                                                                             \
    X(Symbol, 11)                                                                                                     \
    X(SymbolCode, 12)                                                                                                 \
    X(SourceCode, 13)                                                                                                 \
    X(DataTransfer, 14)                                                                                               \
    X(DataTransferPart, 15)

/* The welcome message of protocol 69. F(type, name), B(name, bytes): text padded with NUL. */
#define TD_WIRE_WELCOME(F, B)                                                                                         \
    F(f64, timerMul)       /* ns per tick */                                                                          \
    F(i64, initBegin)      /* tick that is time 0 */                                                                  \
    F(i64, initEnd)                                                                                                   \
    F(u64, delay)                                                                                                     \
    F(u64, resolution)                                                                                                \
    F(u64, epoch)          /* Unix seconds of the start */                                                            \
    F(u64, exectime)       /* 0: no source file queries */                                                            \
    F(u64, pid)                                                                                                       \
    F(i64, samplingPeriod)                                                                                            \
    F(u8, flags)           /* TD_WIRE_FLAG_* */                                                                       \
    F(u8, cpuArch)                                                                                                    \
    B(cpuManufacturer, 12)                                                                                            \
    F(u32, cpuId)                                                                                                     \
    B(programName, 64)                                                                                                \
    B(hostInfo, 1024)

/* The UDP announcement, version 3; cut off behind the name's NUL. */
#define TD_WIRE_BROADCAST(F, B)                                                                                       \
    F(u16, broadcastVersion)                                                                                          \
    F(u16, listenPort)                                                                                                \
    F(u32, protocolVersion)                                                                                           \
    F(u64, pid)                                                                                                       \
    F(i32, activeTime)     /* seconds since the start, -1: gone */                                                    \
    B(programName, 64)
/* clang-format on */

#define TD_WIRE_MAGIC             "TracyPrf"
#define TD_WIRE_MAGIC_BYTES       8
#define TD_WIRE_HELLO_BYTES       12 /* magic and u32 protocol version, server to client */
#define TD_WIRE_QUERY_BYTES       13
#define TD_WIRE_ONDEMAND_BYTES    16 /* behind the welcome message when its flag is set */
#define TD_WIRE_BROADCAST_VERSION 3
#define TD_WIRE_PORT              8086
#define TD_WIRE_PORTS             20     /* a client tries that many, one after the other */
#define TD_WIRE_FRAME_MAX         262144 /* bytes of one frame, decompressed */
#define TD_WIRE_PACKED_MAX        263188 /* and compressed */
#define TD_WIRE_TEXT_MAX          65535

/* Status byte, client to server. */
#define TD_WIRE_STATUS_WELCOME       1
#define TD_WIRE_STATUS_MISMATCH      2
#define TD_WIRE_STATUS_NOT_AVAILABLE 3

#define TD_WIRE_FLAG_ON_DEMAND        1
#define TD_WIRE_FLAG_IS_APPLE         2
#define TD_WIRE_FLAG_CODE_TRANSFER    4
#define TD_WIRE_FLAG_COMBINE_SAMPLES  8
#define TD_WIRE_FLAG_IDENTIFY_SAMPLES 16

#define TD_WIRE_ARCH_UNKNOWN 0
#define TD_WIRE_ARCH_X86     1
#define TD_WIRE_ARCH_X64     2
#define TD_WIRE_ARCH_ARM32   3
#define TD_WIRE_ARCH_ARM64   4

#endif
