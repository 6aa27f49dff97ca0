/* Messages of proto/sim/umd.h. FlatBuffers for two requests and two answers: Debian has no library of it for C.
 * Bytes from outside are checked before they are used. */
#pragma once
#include "proto/sim/umd.h"

#include <stddef.h>
#include <stdint.h>

/* The PCI device of a chip of enum td_umd_arch; 0: it is none. */
uint32_t td_umd_pci_device(int32_t arch);

/* Bytes of a message before the data of its vector, with the length that is before each message. */
enum { TD_UMD_REQUEST_BYTES = 4 + 56, TD_UMD_ANSWER_BYTES = 4 + 28, TD_UMD_INFO_BYTES = 4 + 72 };

struct td_umd_request {
    uint8_t command;
    uint32_t x, y, size;
    uint64_t address;
    uint32_t data_bytes; /* of the vector `data`, which may have other bytes than `size` says */
    const uint8_t *data;
};
struct td_umd_answer {
    int32_t status;
    uint32_t data_bytes;
    const uint8_t *data;
};
struct td_umd_info {
    int32_t status, arch;
    uint8_t backend, translation;
    uint32_t tensix, dram, ethernet, l2cpu, pcie;
    uint32_t layout_bytes;
    const uint8_t *layout;
};

/* The message up to the data; the caller sends data_bytes after it, or layout_bytes and a 0. */
void td_umd_put_request(uint8_t to[TD_UMD_REQUEST_BYTES], const struct td_umd_request *request);
void td_umd_put_answer(uint8_t to[TD_UMD_ANSWER_BYTES], const struct td_umd_answer *answer);
void td_umd_put_info(uint8_t to[TD_UMD_INFO_BYTES], const struct td_umd_info *info);

/* The bytes of a message, from the 4 bytes before it. */
size_t td_umd_message_bytes(const uint8_t length[4]);
/* Reads a message without its length. Data and layout are in `from`. 0, or TD_E_FORMAT: it is none. */
int td_umd_get_request(const void *from, size_t bytes, struct td_umd_request *request);
int td_umd_get_answer(const void *from, size_t bytes, struct td_umd_answer *answer);
int td_umd_get_info(const void *from, size_t bytes, struct td_umd_info *info);
