/* Samples of a board's cores on their way into the trace: rows of the tables SAMPLE, STACK, SYMBOL and CODE.
 *
 * A call stack has one frame, the program counter's, with the functions that are inlined there; the kernels'
 * ELFs say which. The trace has an address of a kernel as
 *
 *   address = space << 48 | kernel << 32 | address on the core
 *
 * because kernels share the cores' addresses: `space` is a number that no other process or board of the
 * trace has (client_space.h), `kernel` counts the images. The image of such a frame or symbol has a name
 * that begins with TD_KERNEL_IMAGE (proto/kernel_image.h). Not thread-safe. */
#pragma once
#include "host/agent/board/core_sampler.h"
#include "host/agent/client/client_space.h"

struct td_lane_names;
struct td_core_samples;
/* names: of the board's lanes (lane_events.h), which finds ELFs; spaces: of the trace, or NULL if it has
 * no other sources. All must outlive it. NULL: no memory. */
struct td_core_samples *td_core_samples_create(struct td_dict *dict, struct td_lane_names *names,
                                               struct td_client_spaces *spaces);
void td_core_samples_destroy(struct td_core_samples *samples); /* NULL is allowed */
/* Keeps a sample. 0 or TD_E_NOMEM. */
int td_core_samples_add(struct td_core_samples *samples, const struct td_core_sample *sample,
                        struct td_err *err);
/* True: there was a sample of this image before. */
bool td_core_samples_knows(const struct td_core_samples *samples, uint64_t build_id);
/* Bytes of samples that wait. */
size_t td_core_samples_waiting(const struct td_core_samples *samples);

struct td_core_samples_to {
    struct td_hub *hub;
    void *self;
    uint32_t (*track)(void *self, uint32_t lane);              /* UINT32_MAX: no memory */
    int64_t (*time)(void *self, uint32_t lane, int64_t ticks); /* ns since the trace's start */
};
/* Passes the samples that wait to the hub. 0 or a negative enum td_e. */
int td_core_samples_push(struct td_core_samples *samples, const struct td_core_samples_to *to,
                         struct td_err *err);
/* Samples so far; those at which no function is known: the ELF is missing, or does not have the address. */
uint64_t td_core_samples_count(const struct td_core_samples *samples);
uint64_t td_core_samples_unnamed(const struct td_core_samples *samples);
