/* Why panels are empty: for `lacks` of struct td_panel. NULL: the trace has what the panel shows. */
#pragma once

struct td_view;

const char *td_lacks_locks(const struct td_view *view);
const char *td_lacks_memory(const struct td_view *view);
const char *td_lacks_plots(const struct td_view *view);
const char *td_lacks_messages(const struct td_view *view);
const char *td_lacks_frames(const struct td_view *view);
const char *td_lacks_images(const struct td_view *view);
const char *td_lacks_cpu_data(const struct td_view *view);
const char *td_lacks_waits(const struct td_view *view);
const char *td_lacks_flame(const struct td_view *view);
const char *td_lacks_samples(const struct td_view *view);
const char *td_lacks_wait_stacks(const struct td_view *view);
const char *td_lacks_stacks(const struct td_view *view);
const char *td_lacks_cores(const struct td_view *view);
const char *td_lacks_zones(const struct td_view *view);
const char *td_lacks_connection(const struct td_view *view);
const char *td_lacks_selection(const struct td_view *view);
