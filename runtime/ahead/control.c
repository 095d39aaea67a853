#include "runtime/ahead/control.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/error.h"

static char *address(char *const *bases, ob_ahead_at at) {
    char *base = at.place == OB_AHEAD_NONE ? NULL : bases[at.place];
    return base ? base + at.offset : NULL;
}

static bool read_bool(char *const *bases, ob_ahead_at at) {
    return at.place == OB_AHEAD_NONE || *address(bases, at) != 0;
}

static int64_t read_int64(char *const *bases, ob_ahead_at at, int64_t index, int64_t otherwise) {
    int64_t n;
    if (at.place == OB_AHEAD_NONE) return otherwise;
    memcpy(&n, address(bases, at) + index * (int64_t)sizeof n, sizeof n);
    return n;
}

/* Where slice t of the sequence is. */
static char *slice_at(char *const *bases, const ob_ahead_sliced *sliced, int64_t batch, int64_t t) {
    char *whole = address(bases, sliced->whole);
    return whole ? whole + batch * sliced->batch_step + sliced->start + t * sliced->step : NULL;
}

static char *initial_at(char *const *bases, const ob_ahead_carried *carried, int64_t batch) {
    char *initial = address(bases, carried->initial);
    return initial ? initial + batch * carried->initial_step : NULL;
}

/* The area that iteration t writes. If the last iteration is known, it writes the result. */
static char *area_at(char *const *bases, const ob_ahead_carried *carried, int64_t batch, int64_t left) {
    bool spare = left & 1;
    return bases[carried->areas[spare]] + (spare ? 0 : batch * carried->n_bytes);
}

static void place_state(char **bases, const ob_ahead_control *control, int64_t batch, int64_t t, int64_t n_trips) {
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_ahead_carried *carried = &control->carried[i];
        char *in = t > 0 && carried->out != OB_AHEAD_NONE ? bases[carried->out] : initial_at(bases, carried, batch);
        bases[carried->in] = in;
    }
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_ahead_carried *carried = &control->carried[i];
        if (carried->out != OB_AHEAD_NONE) bases[carried->out] = area_at(bases, carried, batch, n_trips - 1 - t);
    }
    for (uint32_t i = 0; i < control->n_scanned; i++)
        bases[control->scanned[i].slice] = slice_at(bases, &control->scanned[i], batch, t);
    for (uint32_t i = 0; i < control->n_stacked; i++)
        bases[control->stacked[i].slice] = slice_at(bases, &control->stacked[i], batch, t);
    if (control->counter != OB_AHEAD_NONE) memcpy(bases[control->counter], &t, sizeof t);
}

/* The state after the last iteration, or the initial one, becomes the result. */
static void finish_state(char **bases, const ob_ahead_control *control, int64_t batch, bool ran) {
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_ahead_carried *carried = &control->carried[i];
        if (carried->out == OB_AHEAD_NONE || carried->n_bytes == 0) continue;
        const char *from = ran ? bases[carried->out] : initial_at(bases, carried, batch);
        char *result = area_at(bases, carried, batch, 0);
        if (from != result) memcpy(result, from, (size_t)carried->n_bytes);
    }
}

static ob_status run_sequence(const ob_ahead_control *control, const ob_bodies *bodies, int64_t batch, int64_t n_trips,
                              ob_error *error) {
    bool goes_on = read_bool(bodies->bases, control->condition);
    int64_t t = 0;
    for (; goes_on && t < n_trips; t++) {
        place_state(bodies->bases, control, batch, t, n_trips);
        OB_TRY(bodies->run(bodies, 0, error));
        goes_on = read_bool(bodies->bases, control->again);
    }
    finish_state(bodies->bases, control, batch, t > 0);
    return OB_OK;
}

/* Scan-8: elements after the end of a short sequence are 0. */
static void clear_stacked(char *const *bases, const ob_ahead_control *control) {
    for (uint32_t i = 0; i < control->n_stacked; i++) {
        const ob_ahead_sliced *stacked = &control->stacked[i];
        if (stacked->n_bytes) memset(address(bases, stacked->whole), 0, (size_t)stacked->n_bytes);
    }
}

ob_status ob__run_bodies(const ob_ahead_control *control, const ob_bodies *bodies, ob_error *error) {
    char **bases = bodies->bases;
    if (!control->is_loop) return bodies->run(bodies, read_bool(bases, control->condition) ? 0 : 1, error);
    const bool has_lengths = control->lengths.place != OB_AHEAD_NONE;
    int64_t n_trips = read_int64(bases, control->trips, 0, control->n_trips);
    if (n_trips > control->n_trips) n_trips = control->n_trips;
    if (has_lengths) clear_stacked(bases, control);
    for (int64_t batch = 0; batch < control->n_batches; batch++) {
        const int64_t length = read_int64(bases, control->lengths, batch, n_trips);
        OB_FAIL_IF(has_lengths && (length < 0 || length > n_trips), error, OB_E_SHAPE,
                   "sequence_lens[%lld] is %lld, but the sequences have %lld elements", (long long)batch, (long long)length,
                   (long long)n_trips);
        OB_TRY(run_sequence(control, bodies, batch, length, error));
    }
    return OB_OK;
}
