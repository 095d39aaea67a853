/* Runs parts: with a plan for the sizes of this run, which is kept, or node by node if sizes keep changing. A plan uses the
 * memory of its level, the number of active parts around it. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/interpret.h"
#include "runtime/run/steps.h"
#include "runtime/session.h"
#include "runtime/stop.h"
#include "runtime/tally.h"

enum {
    MOST_PLANS = 16, /* of a part */
    MOST_PLAN_BYTES = 1 << 22,
    MOST_MISSES = 8, /* in a row, then nodes run one by one until the same sizes come twice */
    MOST_LEVELS = 64
};

/* ---- Finding the plan ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    return (hash ^ word) * 0x9e3779b97f4a7c15u ^ (hash >> 29);
}

static uint64_t hash_layouts(const ob_view *views, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        hash = mix(hash, (uint64_t)views[i].dtype << 8 | (uint64_t)views[i].rank);
        for (int32_t k = 0; k < views[i].rank; k++)
            hash = mix(mix(hash, (uint64_t)views[i].dims[k]), (uint64_t)views[i].strides[k]);
    }
    return hash;
}

static bool plan_fits(const ob_part *part, const ob_plan *plan, const ob_view *views) {
    for (uint32_t i = 0; i < part->n_entries; i++)
        if (!ob__fits_layout(plan->inputs[i], &views[i])) return false;
    return true;
}

static void drop_last(ob_frame *frame, ob_part *part) {
    ob_plan **at = &part->plans;
    while ((*at)->next) at = &(*at)->next;
    ob_plan *dropped = *at;
    *at = NULL;
    ob__frame_forget_plan(frame, dropped);
    ob__plan_release(frame->session, dropped);
}

/* The latest plan comes first. */
static void make_room(ob_frame *frame, ob_part *part) {
    for (;;) {
        size_t n = 0, n_bytes = 0;
        for (const ob_plan *plan = part->plans; plan; plan = plan->next) n++, n_bytes += plan->arena.n_bytes;
        if (n < MOST_PLANS && n_bytes < MOST_PLAN_BYTES) return;
        drop_last(frame, part);
    }
}

/* A part that cannot be planned runs node by node, so that the error names the node and the reason. */
static ob_status make_plan(ob_frame *frame, ob_part *part, const ob_view *views, ob_plan **out, ob_error *error) {
    ob_session *session = frame->session;
    ob_error unheard;
    ob_error_clear(&unheard);
    *out = NULL;
    make_room(frame, part);
    if (ob__plan_create(session, part, views, out, &unheard) != OB_OK) {
        OB_TRY(ob__stop_status(session, frame->threads, error));
        ob__tally_refused(session->tally);
        return OB_OK;
    }
    (*out)->next = part->plans;
    part->plans = *out;
    return OB_OK;
}

/* *out NULL: node by node. */
static ob_status find_plan(ob_frame *frame, ob_part *part, const ob_view *views, ob_plan **out, ob_error *error) {
    for (ob_plan **at = &part->plans; *at; at = &(*at)->next) {
        if (!plan_fits(part, *at, views)) continue;
        *out = *at;
        *at = (*out)->next;
        (*out)->next = part->plans;
        part->plans = *out;
        part->n_misses = 0;
        return OB_OK;
    }
    uint64_t hash = hash_layouts(views, part->n_entries);
    bool again = part->n_misses > 0 && hash == part->missed;
    part->missed = hash;
    part->n_misses += part->n_misses < UINT32_MAX;
    *out = NULL;
    return part->n_misses <= MOST_MISSES || again ? make_plan(frame, part, views, out, error) : OB_OK;
}

/* ---- Levels ---- */

/* The frame's next level, with room for views of n entries; NULL: no memory, or too deep. */
static ob_level *next_level(ob_frame *frame, uint32_t n) {
    if (!frame->levels) {
        frame->levels = frame->allocator.alloc(frame->allocator.context, MOST_LEVELS * sizeof *frame->levels);
        if (!frame->levels) return NULL;
        memset(frame->levels, 0, MOST_LEVELS * sizeof *frame->levels);
    }
    if (frame->n_levels == MOST_LEVELS) return NULL;
    ob_level *level = &frame->levels[frame->n_levels];
    uint64_t n_bytes = (uint64_t)n * sizeof(ob_view) + 1;
    if (level->entries.n_bytes >= n_bytes) return level;
    ob__memory_free(&level->entries, &frame->allocator);
    return ob__memory_alloc(&level->entries, &frame->allocator, n_bytes) ? level : NULL;
}

void ob__release_levels(ob_frame *frame) {
    for (uint32_t i = 0; frame->levels && i < MOST_LEVELS; i++) {
        ob__memory_free(&frame->levels[i].entries, &frame->allocator);
        ob__memory_free(&frame->levels[i].at.tables, &frame->allocator);
        ob__memory_free(&frame->levels[i].at.work, &frame->allocator);
    }
    if (frame->levels) frame->allocator.free(frame->allocator.context, frame->levels, MOST_LEVELS * sizeof *frame->levels);
    frame->levels = NULL;
}

void ob__forget_in_levels(ob_frame *frame, const ob_plan *plan) {
    for (uint32_t i = 0; frame->levels && i < MOST_LEVELS; i++)
        if (frame->levels[i].at.plan == plan) frame->levels[i].at.plan = NULL;
}

/* Memory for the results, which outlives the level, and views of them for their readers. */
static ob_status place_results(ob_frame *frame, const ob_part *part, const ob_plan *plan, ob_view **out) {
    ob_view *views = OB_ARENA_ARRAY(&frame->dynamic_arena, ob_view, part->n_results);
    char *data = ob__own_result(&frame->session->allocator, &frame->dynamic_owned, &frame->spare, plan->memory.output_bytes);
    if (!views || !data) return OB_E_MEMORY;
    for (uint32_t i = 0; i < part->n_results; i++) {
        const ob_slot *slot = plan->outputs[i].slot;
        if (!slot) continue; /* made by the next part */
        ob__layout_view(slot->layout, data + slot->buffer->offset, &views[i]);
    }
    *out = views;
    return OB_OK;
}

static ob_status run_planned(ob_frame *frame, const ob_part *part, ob_plan *plan, const ob_view *views, ob_error *error) {
    ob_view *results;
    OB_TRY(ob__frame_reserve(frame, plan, error));
    OB_TRY(place_results(frame, part, plan, &results));
    ob_run_data data = {.inputs = views, .outputs = results, .n_outputs = part->n_results};
    OB_TRY(ob__frame_steps(frame, plan, &data, error));
    for (uint32_t i = 0; i < part->n_results; i++)
        if (plan->outputs[i].slot) frame->dynamic[part->results[i]->id] = &results[i];
    return OB_OK;
}

static ob_status run_on_level(ob_frame *frame, const ob_part *part, ob_plan *plan, ob_level *level, ob_error *error) {
    ob_frame_place outer = frame->at;
    frame->at = level->at;
    frame->n_levels++;
    ob_status status = run_planned(frame, part, plan, (const ob_view *)(const void *)level->entries.data, error);
    frame->n_levels--;
    level->at = frame->at;
    frame->at = outer;
    return status;
}

/* ---- The whole ---- */

static ob_status run_one_by_one(ob_frame *frame, const ob_part *part, ob_error *error) {
    for (uint32_t i = 0; i < part->n_nodes; i++) {
        OB_TRY(ob__stop_ask(frame->session, frame->threads, error));
        OB_TRY(ob__run_node(frame, part->nodes[i], error));
    }
    return OB_OK;
}

ob_status ob__run_part(ob_frame *frame, ob_part *part, ob_error *error) {
    ob_level *level = part->is_plain ? next_level(frame, part->n_entries) : NULL;
    if (!level) return run_one_by_one(frame, part, error);
    ob_view *views = (ob_view *)(void *)level->entries.data;
    bool all = true;
    for (uint32_t i = 0; i < part->n_entries && all; i++) {
        OB_TRY(ob__find_view(frame, part->entries[i], &views[i], error));
        all = views[i].dtype != OB_NONE;
    }
    ob_plan *plan = NULL;
    if (all) OB_TRY(find_plan(frame, part, views, &plan, error));
    return plan ? run_on_level(frame, part, plan, level, error) : run_one_by_one(frame, part, error);
}
