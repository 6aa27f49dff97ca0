/* Bands (band.h) of rows that have no zones: messages and samples of a track, points of a plot, frames of a set. */
#pragma once
#include "host/viewer/timeline/band.h"
#include "host/viewer/timeline/plot_pyramid.h"

#include <pthread.h>

/* The pyramids of the plots. Thread-safe. */
struct td_plot_source {
    pthread_mutex_t lock; /* for the list, and held while a pyramid is used */
    struct td_plot_pyramid *pyramids;
    size_t count, capacity;
};
void td_plot_source_init(struct td_plot_source *plots);
void td_plot_source_free(struct td_plot_source *plots);
size_t td_plot_source_bytes(const struct td_plot_source *plots);

/* The key's row is one of these. */
bool td_band_is_list(const struct td_band_key *key);
/* 0 or TD_E_NOMEM. */
int td_band_make_list_(const struct td_trace *trace, const struct td_messages *messages,
                       struct td_plot_source *plots, const struct td_band_key *key,
                       struct td_band_data *data);
