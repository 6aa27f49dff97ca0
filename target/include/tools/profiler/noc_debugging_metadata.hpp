/* Kinds of locks of memory, by tt-metal's path and names of 2026. */
#ifndef TENDRIL_NOC_DEBUGGING_METADATA_HPP
#define TENDRIL_NOC_DEBUGGING_METADATA_HPP

struct NocDebuggingEventMetadata {
    enum class NocDebugEventType : unsigned char { CB_LOCK, CB_UNLOCK, MEM_LOCK, MEM_UNLOCK };
};

#endif
