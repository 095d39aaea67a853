#include "onnx_broadcast/elementwise.h"

#include <stdatomic.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/graph/copy.h"
#include "ops/elementwise/params.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

/* INLINE_BYTES: a state and the other memory of a plan for three inputs. */
enum { MAX_OPTIONS = 16, MAX_INPUTS = 4096, INLINE_INPUTS = 3, INLINE_BYTES = 1664, STATE_BYTES = 4096 };

OB_KERNEL(mean);
OB_KERNEL(where);
OB_KERNEL(clip);
OB_KERNEL(cast);
OB_KERNEL(prelu);

struct ob_elementwise_plan {
    ob_allocator allocator;
    ob_arena strings;
    ob_arena tails; /* for memory that the state refers to */
    const ob_op *op;
    ob_kernel_args args; /* in, out and state point to memory after this struct */
    ob_view output;
    size_t n_bytes;
    size_t tile_bytes; /* of the tiles in the state, which only one thread may use at a time */
    char *tiles;       /* NULL: not in use */
    atomic_flag in_use;
};

/* A node without a graph that holds the options as attributes during a call. */
typedef struct lone_node {
    ob_node node;
    ob_attribute attributes[MAX_OPTIONS];
    ob_attribute *pointers[MAX_OPTIONS];
} lone_node;

static ob_status set_options(lone_node *lone, const ob_op *op, const ob_option *options, size_t n, ob_error *error) {
    OB_FAIL_IF(n > MAX_OPTIONS, error, OB_E_ARGUMENT, "%zu options; at most %d", n, MAX_OPTIONS);
    OB_FAIL_IF(n && !options, error, OB_E_ARGUMENT, "options must not be NULL");
    memset(lone, 0, sizeof *lone);
    lone->node.name = "";
    lone->node.op_type = op->name;
    lone->node.domain = op->domain;
    lone->node.op = op;
    lone->node.attributes = lone->pointers;
    lone->node.n_attributes = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        const ob_option *option = &options[i];
        OB_FAIL_IF(!option->name || (option->kind == OB_OPTION_TEXT && !option->text), error, OB_E_ARGUMENT,
                   "option %zu has no name or text", i);
        ob_attribute *attribute = lone->pointers[i] = &lone->attributes[i];
        *attribute = (ob_attribute){.name = option->name, .n = 1};
        switch (option->kind) {
        case OB_OPTION_INT:
            attribute->type = OB_ATTR_INT;
            attribute->u.i = option->integer;
            break;
        case OB_OPTION_REAL:
            attribute->type = OB_ATTR_FLOAT;
            attribute->u.f = option->real;
            break;
        default:
            attribute->type = OB_ATTR_STRING;
            attribute->u.s = (ob_string){option->text, strlen(option->text)};
            break;
        }
    }
    return OB_OK;
}

/* Ends a call that may fail: records the operator's name, which is not in the message. */
static ob_status at_operator(ob_error *error, ob_status status, const char *name) {
    if (status != OB_OK && error && name) ob__copy_text(error->op_type, sizeof error->op_type, name);
    return status;
}

static ob_status find_op(const char *name, int64_t opset, size_t n_inputs, const ob_op **found, ob_error *error) {
    OB_FAIL_IF(!name, error, OB_E_ARGUMENT, "op must not be NULL");
    const ob_op *op = ob__op_find("", name, opset);
    const ob_kernel *kernel = op ? op->kernel : NULL;
    bool elementwise = op && (op->loop.kind == OB_LOOP_UNARY || op->loop.kind == OB_LOOP_BINARY || kernel == &ob__kernel_mean ||
                              kernel == &ob__kernel_where || kernel == &ob__kernel_clip || kernel == &ob__kernel_cast ||
                              kernel == &ob__kernel_prelu);
    OB_FAIL_IF(!elementwise, error, OB_E_NOT_FOUND, "%.60s is not an elementwise operator of opset %lld", name, (long long)opset);
    OB_FAIL_IF(!ob__op_takes(op, n_inputs) || n_inputs > MAX_INPUTS, error, OB_E_ARGUMENT, "version %d does not take %zu inputs",
               (int)op->since, n_inputs);
    *found = op;
    return OB_OK;
}

static ob_status check_types(const ob_op *op, const ob_view *inputs, size_t n, ob_error *error) {
    for (uint32_t k = 0; k < n; k++) {
        ob_dtype dtype = inputs[k].dtype;
        if (dtype == OB_NONE && k >= (uint32_t)op->in_min) continue;
        bool known = dtype > OB_NONE && dtype < OB_DTYPE_COUNT;
        OB_FAIL_IF(!known || !(ob__op_input_types(op, k) & UINT64_C(1) << dtype), error, OB_E_TYPE,
                   "version %d does not take %s as input %u", (int)op->since, ob_dtype_name(dtype), (unsigned)k);
    }
    return OB_OK;
}

static ob_status output_dtype(const ob_op *op, const ob_view *inputs, size_t n, const ob_node *node, ob_dtype *dtype,
                              ob_error *error) {
    if (op->kernel == &ob__kernel_cast && n == 1) {
        *dtype = ob__cast_target(node, op->since);
    } else {
        ob_dtype types[3] = {OB_NONE, OB_NONE, OB_NONE};
        for (size_t k = 0; k < n && k < 3; k++) types[k] = inputs[k].dtype;
        *dtype = ob__op_output_dtype(op, 0, types, n < 3 ? (uint32_t)n : 3);
    }
    OB_FAIL_IF(*dtype == OB_NONE || !(ob__op_output_types(op, 0) & UINT64_C(1) << *dtype), error, OB_E_TYPE,
               "version %d does not give %s", (int)op->since, ob_dtype_name(*dtype));
    return OB_OK;
}

static ob_status result_shape(const ob_op *op, const ob_view *inputs, size_t n, const ob_node *node, ob_dtype *dtype,
                              ob_broadcast_result *result, ob_error *error) {
    for (size_t k = 0; k < n; k++)
        OB_FAIL_IF(inputs[k].rank < 0 || inputs[k].rank > OB_MAX_RANK, error, OB_E_LIMIT, "input %zu has rank %d", k,
                   (int)inputs[k].rank);
    OB_TRY(check_types(op, inputs, n, error));
    OB_TRY(output_dtype(op, inputs, n, node, dtype, error));
    result->rank = inputs[0].rank;
    memcpy(result->dims, inputs[0].dims, sizeof result->dims);
    if (op->broadcast == OB_BCAST_MULTI) {
        for (size_t k = 1; k < n; k++) {
            ob_shape shapes[2] = {{.rank = result->rank, .dims = result->dims}, {.rank = inputs[k].rank, .dims = inputs[k].dims}};
            ob_broadcast_result both;
            OB_TRY(ob_broadcast_shapes(shapes, 2, NULL, NULL, NULL, &both, error));
            *result = both;
        }
    }
    uint64_t n_bytes;
    OB_FAIL_IF(!ob__tensor_bytes(*dtype, result->rank, result->dims, &n_bytes), error, OB_E_LIMIT, "the result is too large");
    return OB_OK;
}

ob_status ob_elementwise_output(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs, const ob_option *options,
                                size_t n_options, ob_view *output, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!inputs || !output, error, OB_E_ARGUMENT, "inputs and output must not be NULL");
    const ob_op *found = NULL;
    lone_node lone;
    ob_dtype dtype = OB_NONE;
    ob_broadcast_result result;
    ob_status status = find_op(op, opset, n_inputs, &found, error);
    if (status == OB_OK) status = set_options(&lone, found, options, n_options, error);
    if (status == OB_OK) status = result_shape(found, inputs, n_inputs, &lone.node, &dtype, &result, error);
    /* a view cannot be made without data */
    if (status == OB_OK) status = ob_view_init(output, (void *)(uintptr_t)op, dtype, result.rank, result.dims);
    if (status == OB_OK) output->data = NULL;
    return at_operator(error, status, op);
}

/* Plans into args->state, which has state_bytes; the memory that the state does not use is given to the arena. */
static ob_status plan_call(ob_kernel_args *args, size_t state_bytes, ob_arena *arena, const ob_op **found, const char *name,
                           int64_t opset, const ob_option *options, size_t n_options, size_t *tile_bytes, ob_error *error) {
    const ob_op *op = NULL;
    lone_node lone;
    OB_TRY(find_op(name, opset, args->n_in, &op, error));
    OB_TRY(set_options(&lone, op, options, n_options, error));
    ob_dtype dtype;
    ob_broadcast_result expected;
    OB_TRY(result_shape(op, args->in, args->n_in, &lone.node, &dtype, &expected, error));
    OB_FAIL_IF(args->out->dtype != dtype, error, OB_E_TYPE, "version %d gives %s, the output has %s", (int)op->since,
               ob_dtype_name(dtype), ob_dtype_name(args->out->dtype));
    bool same = args->out->rank == expected.rank;
    for (int32_t i = 0; same && i < expected.rank; i++) same = args->out->dims[i] == expected.dims[i];
    OB_FAIL_IF(!same, error, OB_E_SHAPE, "the output does not have the shape of the result");
    for (int32_t i = 0; i < expected.rank; i++)
        OB_FAIL_IF(expected.dims[i] > 1 && args->out->strides[i] == 0, error, OB_E_ARGUMENT,
                   "the output has stride 0 along axis %d", (int)i);
    ob_kernel_needs needs = {0};
    ob_kernel_site site = {.node = &lone.node, .op = op, .arena = arena};
    size_t n_bytes = (op->kernel->state_bytes + 15) / 16 * 16;
    OB_FAIL_IF(n_bytes > state_bytes, error, OB_E_INTERNAL, "a state of %zu bytes", op->kernel->state_bytes);
    ob__arena_lend(arena, (char *)args->state + n_bytes, state_bytes - n_bytes);
    *found = op;
    ob_status status = op->kernel->plan(&site, args, &needs, error);
    *tile_bytes = needs.lane_bytes;
    return status;
}

ob_status ob_elementwise(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs, const ob_option *options,
                         size_t n_options, const ob_view *output, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!inputs || !output, error, OB_E_ARGUMENT, "inputs and output must not be NULL");
    if (n_inputs > INLINE_INPUTS) {
        ob_elementwise_plan *plan;
        OB_TRY(ob_elementwise_create(op, opset, inputs, n_inputs, options, n_options, output, NULL, &plan, error));
        ob_status status = ob_elementwise_run(plan, inputs, output, error);
        ob_elementwise_destroy(&plan);
        return status;
    }
    /* kernels of these operators do not change views; tiles are on the stack, because there are no lanes */
    _Alignas(16) unsigned char state[INLINE_BYTES] = {0};
    ob_kernel_args args = {.n_in = (uint32_t)n_inputs,
                           .n_out = 1,
                           .in = (ob_view *)(uintptr_t)inputs,
                           .out = (ob_view *)(uintptr_t)output,
                           .state = state,
                           .conversions = &ob__all_conversions};
    size_t tile_bytes;
    ob_arena tails;
    ob__arena_init(&tails, ob_allocator_default());
    const ob_op *found = NULL;
    ob_status status = plan_call(&args, sizeof state, &tails, &found, op, opset, options, n_options, &tile_bytes, error);
    if (status == OB_OK) status = found->kernel->run(&args, error);
    ob__arena_release(&tails);
    return at_operator(error, status, op);
}

ob_status ob_elementwise_create(const char *op, int64_t opset, const ob_view *inputs, size_t n_inputs, const ob_option *options,
                                size_t n_options, const ob_view *output, const ob_allocator *allocator,
                                ob_elementwise_plan **plan, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!inputs || !output || !plan, error, OB_E_ARGUMENT, "inputs, output and plan must not be NULL");
    OB_FAIL_IF(n_inputs > MAX_INPUTS, error, OB_E_ARGUMENT, "%zu inputs; at most %d", n_inputs, MAX_INPUTS);
    if (!allocator) allocator = ob_allocator_default();
    size_t head = (sizeof(ob_elementwise_plan) + 15) / 16 * 16;
    size_t n_bytes = head + STATE_BYTES + n_inputs * sizeof(ob_view);
    char *memory = allocator->alloc(allocator->context, n_bytes);
    OB_FAIL_IF(!memory, error, OB_E_MEMORY, "no memory for a plan");
    memset(memory, 0, n_bytes);
    ob_elementwise_plan *made = (ob_elementwise_plan *)(void *)memory;
    made->allocator = *allocator;
    made->n_bytes = n_bytes;
    made->output = *output;
    ob_view *in = (ob_view *)(void *)(memory + head + STATE_BYTES);
    memcpy(in, inputs, n_inputs * sizeof *in);
    ob__arena_init(&made->strings, &made->allocator);
    ob__arena_init(&made->tails, &made->allocator);
    made->args = (ob_kernel_args){.n_in = (uint32_t)n_inputs,
                                  .n_out = 1,
                                  .in = in,
                                  .out = &made->output,
                                  .state = memory + head,
                                  .conversions = &ob__all_conversions};
    atomic_flag_clear(&made->in_use);
    ob_status status =
        plan_call(&made->args, STATE_BYTES, &made->tails, &made->op, op, opset, options, n_options, &made->tile_bytes, error);
    if (status == OB_OK && made->tile_bytes > 0) {
        made->tiles = allocator->alloc(allocator->context, made->tile_bytes);
        if (!made->tiles) status = ob__fail(error, OB_E_MEMORY, "no memory for a plan");
    }
    if (status == OB_OK) {
        *plan = made;
        return OB_OK;
    }
    ob__arena_release(&made->tails);
    allocator->free(allocator->context, memory, n_bytes);
    return at_operator(error, status, op);
}

/* The tiles of the plan serve one thread at a time. Other threads use small tiles on their stacks, or allocate them if there are
 * many inputs. */
static ob_status run_tiled(ob_elementwise_plan *plan, ob_kernel_args *args, ob_error *error) {
    const bool own = plan->tiles && !atomic_flag_test_and_set_explicit(&plan->in_use, memory_order_acquire);
    const bool more = plan->tiles && !own && args->n_in > INLINE_INPUTS;
    const ob_allocator *allocator = ob_allocator_default();
    args->lanes = own ? plan->tiles : more ? allocator->alloc(allocator->context, plan->tile_bytes) : NULL;
    OB_FAIL_IF(more && !args->lanes, error, OB_E_MEMORY, "no memory for a run");
    ob_status status = plan->op->kernel->run(args, error);
    if (own) atomic_flag_clear_explicit(&plan->in_use, memory_order_release);
    if (more) allocator->free(allocator->context, args->lanes, plan->tile_bytes);
    return status;
}

ob_status ob_elementwise_run(ob_elementwise_plan *plan, const ob_view *inputs, const ob_view *output, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!plan || !inputs || !output, error, OB_E_ARGUMENT, "plan, inputs and output must not be NULL");
    ob_kernel_args args = plan->args;
    ob_view out = plan->output;
    out.data = output->data;
    args.out = &out;
    /* kernels use shapes and strides of the plan, but this data */
    args.in = (ob_view *)(uintptr_t)inputs;
    if (out.dtype == OB_STRING) {
        ob__arena_restart(&plan->strings);
        args.strings = &plan->strings;
    }
    return at_operator(error, run_tiled(plan, &args, error), plan->op->name);
}

void ob_elementwise_destroy(ob_elementwise_plan **plan) {
    if (!plan || !*plan) return;
    ob_elementwise_plan *p = *plan;
    ob_allocator allocator = p->allocator;
    ob__arena_release(&p->strings);
    ob__arena_release(&p->tails);
    if (p->tiles) allocator.free(allocator.context, p->tiles, p->tile_bytes);
    allocator.free(allocator.context, p, p->n_bytes);
    *plan = NULL;
}
