/* Control steps: choose the subplan, count iterations, and move buffers in between. They allocate nothing, and copy only state
 * that must change its place. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/names.h"
#include "runtime/plan/plan.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/stop.h"

static char *address(const ob_frame *frame, ob_place place) {
    char *base = frame->at.bases[place.buffer->number];
    return base ? base + place.offset : NULL;
}

static bool read_bool(const ob_frame *frame, ob_place place) {
    return !place.buffer || *address(frame, place) != 0;
}

static int64_t read_int64(const ob_frame *frame, ob_place place, int64_t index, int64_t otherwise) {
    int64_t n;
    if (!place.buffer) return otherwise;
    memcpy(&n, address(frame, place) + index * (int64_t)sizeof n, sizeof n);
    return n;
}

/* Where slice t of the sequence is. */
static char *slice_at(const ob_frame *frame, const ob_sliced *sliced, int64_t batch, int64_t t) {
    char *whole = address(frame, sliced->whole);
    return whole ? whole + batch * sliced->batch_step + sliced->start + t * sliced->step : NULL;
}

static char *initial_at(const ob_frame *frame, const ob_carried *carried, int64_t batch) {
    char *initial = address(frame, carried->initial);
    return initial ? initial + batch * carried->initial_step : NULL;
}

/* The area that iteration t writes. If the last iteration is known, it writes the result. */
static char *area_at(const ob_frame *frame, const ob_carried *carried, int64_t batch, int64_t left) {
    bool spare = left & 1;
    return frame->at.bases[carried->areas[spare]->number] + (spare ? 0 : batch * (int64_t)carried->n_bytes);
}

static void place_state(ob_frame *frame, const ob_control *control, int64_t batch, int64_t t, int64_t n_trips) {
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_carried *carried = &control->carried[i];
        char *in = t > 0 && carried->out ? frame->at.bases[carried->out->number] : initial_at(frame, carried, batch);
        frame->at.bases[carried->in->number] = in;
    }
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_carried *carried = &control->carried[i];
        if (carried->out) frame->at.bases[carried->out->number] = area_at(frame, carried, batch, n_trips - 1 - t);
    }
    for (uint32_t i = 0; i < control->n_scanned; i++)
        frame->at.bases[control->scanned[i].slice->number] = slice_at(frame, &control->scanned[i], batch, t);
    for (uint32_t i = 0; i < control->n_stacked; i++)
        frame->at.bases[control->stacked[i].slice->number] = slice_at(frame, &control->stacked[i], batch, t);
    if (control->counter) memcpy(frame->at.bases[control->counter->number], &t, sizeof t);
}

/* The state after the last iteration, or the initial one, becomes the result. */
static void finish_state(ob_frame *frame, const ob_control *control, int64_t batch, bool ran) {
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_carried *carried = &control->carried[i];
        if (!carried->out || carried->n_bytes == 0) continue;
        const char *from = ran ? frame->at.bases[carried->out->number] : initial_at(frame, carried, batch);
        char *result = area_at(frame, carried, batch, 0);
        if (from != result) memcpy(result, from, carried->n_bytes);
    }
}

static ob_status run_sequence(ob_frame *frame, const ob_control *control, int64_t batch, int64_t n_trips, ob_error *error) {
    bool goes_on = read_bool(frame, control->condition);
    int64_t t = 0;
    for (; goes_on && t < n_trips; t++) {
        if (ob__stopped(frame->threads)) return ob__stop_status(frame->session, frame->threads, error);
        place_state(frame, control, batch, t, n_trips);
        OB_TRY(ob__run_subplan(frame, &control->subplans[0], error));
        goes_on = read_bool(frame, control->again);
    }
    finish_state(frame, control, batch, t > 0);
    return OB_OK;
}

/* Scan-8: elements after the end of a short sequence are 0. */
static void clear_stacked(ob_frame *frame, const ob_control *control) {
    for (uint32_t i = 0; i < control->n_stacked; i++) {
        const ob_buffer *whole = control->stacked[i].whole.buffer;
        if (whole->n_bytes) memset(frame->at.bases[whole->number], 0, (size_t)whole->n_bytes);
    }
}

static ob_status refuse_length(const ob_step *step, int64_t batch, int64_t length, int64_t n_trips, ob_error *error) {
    ob__at_node(error, step->node, OB_E_SHAPE);
    return ob__fail(error, OB_E_SHAPE, "sequence_lens[%lld] is %lld, but the sequences have %lld elements", (long long)batch,
                    (long long)length, (long long)n_trips);
}

static ob_status run_loop(ob_frame *frame, const ob_step *step, ob_error *error) {
    const ob_control *control = step->control;
    int64_t n_trips = read_int64(frame, control->trips, 0, control->n_trips);
    if (n_trips > control->n_trips) n_trips = control->n_trips;
    if (control->lengths.buffer) clear_stacked(frame, control);
    for (int64_t batch = 0; batch < control->n_batches; batch++) {
        int64_t length = read_int64(frame, control->lengths, batch, n_trips);
        if (control->lengths.buffer && (length < 0 || length > n_trips))
            return refuse_length(step, batch, length, n_trips, error);
        OB_TRY(run_sequence(frame, control, batch, length, error));
    }
    return OB_OK;
}

ob_status ob__run_control(ob_frame *frame, const ob_step *step, ob_error *error) {
    const ob_control *control = step->control;
    if (!control->is_loop) return ob__run_subplan(frame, &control->subplans[read_bool(frame, control->condition) ? 0 : 1], error);
    return run_loop(frame, step, error);
}
