/* The critical path over wakeups (host/query/flows/critical.h) of the selected wait of a thread, or of the selected zone. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct td_view;

/* The thread and the time of which it is. False: no wait is selected, and no zone of a thread whose context switches are
 * known. */
bool td_view_critical_of(const struct td_view *view, uint64_t *thread, int64_t *from_ns, int64_t *to_ns);
/* Selects a wait of a track's thread, or any other time of it, in the place of a zone. */
void td_view_select_wait(struct td_view *view, uint32_t track, int64_t from_ns, int64_t to_ns);
/* Draws it if it leads over other threads. */
void td_draw_critical(struct td_view *view);
/* Goes to what woke the thread of the selected zone or wait last. False: no such thing is known. */
bool td_view_follow_waker(struct td_view *view);
