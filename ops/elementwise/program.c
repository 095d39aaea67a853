#include "ops/elementwise/program.h"

#include <string.h>

#include "core/base/error.h"
#include "kernels/kernels.h"
#include "ops/elementwise/element.h"
#include "ops/kernel/common.h"
#include "ops/kernel/functions.h"
#include "ops/kernel/members.h"

/* A program before its registers are chosen: the result of step i is value i. */
typedef struct draft {
    const ob_kernel_site *site;
    ob_arena *scratch;
    obk_program_step *steps;
    int32_t (*read)[3];    /* the steps that inputs come from; -1: not a step */
    obk_convert *converts; /* the conversions among the steps; NULL: a loop */
    bool *apart;           /* the result is in another register than the operands */
    uint32_t n, room;
    bool per_row, whole_rows; /* of the current node */
    ob_element_call call;     /* of the current node, unless it is a function of rows */
    ob_group_program *made;
} draft;

static obk_program_input from_scalar(const void *scalar, size_t size) {
    return (obk_program_input){.from = OBK_FROM_SCALAR, .size = (uint8_t)size, .scalar = scalar};
}

/* True if all operands are one element for each row, such as those of the first sum of Sum(mean, mean, x). */
static bool reads_rows_only(const draft *d, const obk_program_input *in, const int32_t *read, uint32_t n_in) {
    bool any = false;
    for (uint32_t k = 0; k < n_in; k++) {
        if (in[k].from == OBK_FROM_SCALAR) continue;
        if (read[k] < 0 || !d->steps[read[k]].per_row) return false;
        any = true;
    }
    return any;
}

/* False: too many steps. */
static bool add_step(draft *d, obk_loop loop, const void *params, const ob_struct *params_type, size_t out_size,
                     const obk_program_input *in, const int32_t *read, uint32_t n_in) {
    if (d->n == d->room) return false;
    obk_program_step *step = &d->steps[d->n];
    *step = (obk_program_step){
        .loop = loop, .params = params, .params_type = params_type, .n_in = (uint8_t)n_in, .out_size = (uint8_t)out_size};
    step->whole_rows = d->whole_rows;
    step->per_row = d->per_row || (!d->whole_rows && reads_rows_only(d, in, read, n_in));
    d->converts[d->n] = NULL;
    d->apart[d->n] = d->call.spec.apart;
    for (uint32_t k = 0; k < n_in; k++) {
        step->in[k] = in[k];
        d->read[d->n][k] = read[k];
    }
    d->n++;
    return true;
}

/* The program's operand for a value that the group reads. False: too many, or no memory. */
static bool find_operand(const draft *d, int32_t from, const ob_view *view, obk_program_input *in) {
    ob_group_program *made = d->made;
    ob_view *kept = NULL;
    uint32_t k = 0;
    while (k < made->n_operands && (from == OB_GROUP_MADE || made->operands[k].from != from)) k++;
    *in = (obk_program_input){.from = OBK_FROM_OPERAND, .index = (uint8_t)k};
    if (k < made->n_operands) return true;
    if (k == OBK_PROGRAM_OPERANDS) return false;
    if (from == OB_GROUP_MADE) {
        kept = ob__arena_alloc(d->scratch, sizeof *kept);
        if (!kept) return false;
        *kept = *view;
    }
    made->operands[made->n_operands++] = (ob_program_operand){from, kept};
    return true;
}

/* The register or operand that input k of the node comes from. */
static bool find_place(draft *d, const ob_group_node *node, const int32_t *last_step, uint32_t k, obk_program_input *in,
                       int32_t *read) {
    const int32_t from = node->from[k];
    *read = -1;
    if (from == OB_GROUP_OMITTED) return false;
    if (from >= 0) return find_operand(d, from, NULL, in);
    *read = last_step[~from];
    *in = (obk_program_input){.from = OBK_FROM_REGISTER};
    return true;
}

static bool is_made(const ob_element_call *call, uint32_t k) {
    return call->in == call->few && call->few_made[k];
}

/* Input k of the current node's loop. */
static bool find_input(draft *d, const ob_group_node *node, const int32_t *last_step, uint32_t k, obk_program_input *in,
                       int32_t *read) {
    const ob_element_call *call = &d->call;
    *read = -1;
    if (k < 3 && call->spec.fixed[k]) {
        *in = from_scalar(call->spec.fixed[k], ob_dtype_size(call->in[k].dtype));
        return true;
    }
    if (is_made(call, k)) return find_operand(d, OB_GROUP_MADE, &call->few[k], in);
    const bool found = find_place(d, node, last_step, k, in, read);
    in->size = (uint8_t)ob_dtype_size(call->in[k].dtype);
    return found;
}

/* ---- Conversions ---- */

typedef struct converting {
    obk_convert convert;
} converting;

static const ob_member converting_members[] = {OB_FUNCTION(converting, convert)};
static const ob_struct converting_struct = OB_STRUCT(converting, converting_members);

void ob__convert_loop(char *const *pointers, const int64_t *step, int64_t n, const int64_t *row, int64_t rows,
                      const void *params) {
    const converting *s = params;
    (void)step;
    for (int64_t j = 0; j < rows; j++) s->convert(pointers[1] + j * row[1], pointers[0] + j * row[0], n);
}

/* The result of an earlier conversion of the same elements. */
static int32_t find_converted(const draft *d, obk_convert convert, const obk_program_input *in, int32_t read, bool per_row) {
    for (uint32_t s = 0; s < d->n; s++) {
        const obk_program_input *of = &d->steps[s].in[0];
        if (d->converts[s] == convert && d->read[s][0] == read && d->steps[s].per_row == per_row &&
            (read >= 0 || (of->from == in->from && of->index == in->index)))
            return (int32_t)s;
    }
    return -1;
}

/* The operand of a loop that computes in another type than that of the elements: a step converts them, once for all their
 * readers. False: too many steps, or no memory. */
static bool convert_input(draft *d, obk_convert convert, size_t size, obk_program_input *in, int32_t *read) {
    if (!convert) return true;
    if (in->from == OBK_FROM_SCALAR) {
        void *number = ob__tail(d->site, 1, 16);
        if (number) convert(number, in->scalar, 1);
        in->scalar = number;
        in->size = (uint8_t)size;
        return number != NULL;
    }
    const bool node_per_row = d->per_row, node_whole_rows = d->whole_rows;
    const bool per_row = *read >= 0 ? d->steps[*read].per_row : node_per_row;
    int32_t made = find_converted(d, convert, in, *read, per_row);
    if (made < 0) {
        converting *kept = ob__tail(d->site, 1, sizeof *kept);
        if (!kept) return false;
        kept->convert = convert;
        d->per_row = per_row;
        d->whole_rows = false;
        const bool added = add_step(d, ob__convert_loop, kept, &converting_struct, size, in, read, 1);
        d->per_row = node_per_row;
        d->whole_rows = node_whole_rows;
        if (!added) return false;
        made = (int32_t)d->n - 1;
        d->converts[made] = convert;
        d->apart[made] = true;
    }
    *in = (obk_program_input){.from = OBK_FROM_REGISTER, .size = (uint8_t)size};
    *read = made;
    return true;
}

/* The operand k of the current node's loop, in the loop's type. */
static bool find_converted_input(draft *d, const ob_group_node *node, const int32_t *last_step, uint32_t k, uint32_t at,
                                 obk_program_input *in, int32_t *read) {
    const obk_iteration_spec *spec = &d->call.spec;
    const uint32_t slot = spec->fold ? 0 : at;
    return find_input(d, node, last_step, k, in, read) &&
           convert_input(d, spec->in_convert[slot], ob_dtype_size(spec->in_loop_dtype[slot]), in, read);
}

/* Bytes of an element of the loop's result, which may then be converted. */
static size_t loop_size(const ob_group_node *node, const obk_iteration_spec *spec) {
    return ob_dtype_size(spec->out_convert ? spec->out_loop_dtype : node->out->dtype);
}

/* The conversion of the result of the last step. */
static bool convert_result(draft *d, const ob_group_node *node) {
    const obk_convert convert = d->call.spec.out_convert;
    int32_t read = (int32_t)d->n - 1;
    obk_program_input in = {.from = OBK_FROM_REGISTER, .size = (uint8_t)loop_size(node, &d->call.spec)};
    return convert_input(d, convert, ob_dtype_size(node->out->dtype), &in, &read);
}

/* ---- Nodes ---- */

static bool same_axes(const ob_view *a, const ob_view *b) {
    return ob__count(b) == 1 || (a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

/* An operand on other axes (versions before 7) has no program. */
static bool is_plain(const ob_group_node *node, const ob_element_call *call) {
    const obk_iteration_spec *spec = &call->spec;
    for (uint32_t k = 0; k < call->n_in; k++)
        if (!(k < 3 && spec->fixed[k]) && !is_made(call, k) &&
            (node->from[k] == OB_GROUP_OMITTED || !same_axes(&call->in[k], &node->in[k])))
            return false;
    return spec->loop && call->n_in >= 1 && (spec->fold || call->n_in <= 3);
}

static bool add_fold(draft *d, const ob_group_node *node, const int32_t *last_step) {
    const ob_element_call *call = &d->call;
    const size_t size = loop_size(node, &call->spec);
    obk_program_input in[2];
    int32_t read[2];
    if (call->n_in < 2) return false; /* a copy */
    if (!find_converted_input(d, node, last_step, 0, 0, &in[0], &read[0])) return false;
    for (uint32_t k = 1; k < call->n_in; k++) {
        if (!find_converted_input(d, node, last_step, k, k, &in[1], &read[1])) return false;
        if (!add_step(d, call->spec.loop, call->spec.params, call->spec.params_type, size, in, read, 2)) return false;
        in[0] = (obk_program_input){.from = OBK_FROM_REGISTER};
        read[0] = (int32_t)d->n - 1;
    }
    in[1] = from_scalar(call->spec.finish_operand, size);
    read[1] = -1;
    return !call->spec.finish || add_step(d, call->spec.finish, call->spec.params, call->spec.params_type, size, in, read, 2);
}

static bool add_loop(draft *d, const ob_group_node *node, const int32_t *last_step) {
    const ob_element_call *call = &d->call;
    obk_program_input in[3];
    int32_t read[3];
    for (uint32_t k = 0; k < call->n_in; k++)
        if (!find_converted_input(d, node, last_step, call->spec.swap ? 1 - k : k, k, &in[k], &read[k])) return false;
    return add_step(d, call->spec.loop, call->spec.params, call->spec.params_type, loop_size(node, &call->spec), in, read,
                    call->n_in);
}

/* Chooses registers: the result of a loop may replace an input that is not read again, if its elements have the same size.
 * Conversions have another register. False: there are too few. */
static bool choose_registers(draft *d, obk_program *program) {
    int32_t holds[OBK_PROGRAM_REGISTERS], last_read[OBK_PROGRAM_STEPS];
    for (int r = 0; r < OBK_PROGRAM_REGISTERS; r++) holds[r] = -1;
    for (uint32_t s = 0; s < d->n; s++) {
        last_read[s] = -1;
        for (uint32_t k = 0; k < d->steps[s].n_in; k++)
            if (d->read[s][k] >= 0) last_read[d->read[s][k]] = (int32_t)s;
    }
    for (uint32_t s = 0; s < d->n; s++) {
        obk_program_step *step = &d->steps[s];
        int32_t chosen = -1;
        for (uint32_t k = 0; k < step->n_in; k++) {
            const int32_t read = d->read[s][k];
            if (read < 0) continue;
            step->in[k].index = d->steps[read].out;
            const bool fits =
                !d->apart[s] && d->steps[read].out_size == step->out_size && d->steps[read].per_row == step->per_row;
            if (last_read[read] == (int32_t)s && fits) chosen = d->steps[read].out;
        }
        if (s + 1 == d->n) {
            step->out = OBK_PROGRAM_RESULT;
            continue;
        }
        for (int r = 0; r < OBK_PROGRAM_REGISTERS && chosen < 0; r++)
            if (holds[r] < 0 || last_read[holds[r]] < (int32_t)s) chosen = r;
        if (chosen < 0) return false;
        holds[chosen] = (int32_t)s;
        step->out = (uint8_t)chosen;
        if ((uint32_t)chosen >= program->n_registers) program->n_registers = (uint32_t)chosen + 1;
        if (step->out_size > program->largest) program->largest = step->out_size;
    }
    return true;
}

/* A function of rows reads its first input. */
static ob_status draft_row(const ob_kernel_site *site, const ob_group_node *node, draft *d, const ob_kernel_args *args,
                           const int32_t *last_step, bool *fits, ob_error *error) {
    ob_row_call call = {.loop = NULL};
    obk_program_input in;
    int32_t read;
    const ob_status status = site->op->kernel->row(site, args, &call, NULL);
    OB_FAIL_IF(status == OB_E_MEMORY, error, status, "no memory for a plan");
    *fits = status == OB_OK && call.loop && find_place(d, node, last_step, 0, &in, &read);
    if (!*fits) return OB_OK;
    in.size = (uint8_t)ob_dtype_size(args->in[0].dtype);
    *fits = add_step(d, call.loop, call.params, call.params_type, ob_dtype_size(args->out[0].dtype), &in, &read, 1);
    return OB_OK;
}

static ob_status draft_node(const ob_kernel_site *site, const ob_group_node *node, draft *d, const int32_t *last_step, bool *fits,
                            ob_error *error) {
    ob_kernel_site of_node = *site;
    of_node.node = node->node;
    of_node.op = node->node->op;
    ob_kernel_args args = {.n_in = node->node->n_inputs, .n_out = 1, .in = node->in, .out = node->out};
    d->per_row = node->per_row;
    d->whole_rows = of_node.op->kernel->row != NULL;
    d->call.spec.apart = false;
    if (d->whole_rows) return draft_row(&of_node, node, d, &args, last_step, fits, error);
    ob_element_call *call = &d->call;
    *call = (ob_element_call){.n_in = args.n_in, .in = args.in};
    call->numbers = ob__tail(site, 1, sizeof *call->numbers);
    OB_FAIL_IF(!call->numbers, error, OB_E_MEMORY, "no memory for a plan");
    const ob_status status = of_node.op->kernel->element(&of_node, &args, call, NULL);
    if (status == OB_E_MEMORY) return status;
    *fits = status == OB_OK && is_plain(node, call) &&
            (call->spec.fold ? add_fold(d, node, last_step) : add_loop(d, node, last_step)) && convert_result(d, node);
    return OB_OK;
}

/* The most steps of a program of the nodes: for each a conversion of every input, a loop for every input, and two for the result.
 * A loop may have three inputs where the node has attributes. */
static uint32_t most_steps(const ob_group_node *nodes, uint32_t n) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++) most += 2 + 2 * (uint64_t)(nodes[i].node->n_inputs < 3 ? 3 : nodes[i].node->n_inputs);
    return most < OBK_PROGRAM_STEPS ? (uint32_t)most : OBK_PROGRAM_STEPS;
}

static draft *new_draft(ob_arena *scratch, uint32_t room) {
    draft *d = OB_ARENA_NEW(scratch, draft);
    if (!d) return NULL;
    d->scratch = scratch;
    d->room = room;
    d->steps = OB_ARENA_ARRAY(scratch, obk_program_step, room);
    d->read = ob__arena_calloc(scratch, room, sizeof *d->read);
    d->converts = OB_ARENA_ARRAY(scratch, obk_convert, room);
    d->apart = OB_ARENA_ARRAY(scratch, bool, room);
    return d->steps && d->read && d->converts && d->apart ? d : NULL;
}

ob_status ob__group_program(const ob_kernel_site *site, const ob_group_node *nodes, uint32_t n, bool has_head, int64_t row,
                            ob_arena *scratch, ob_group_program *out, ob_error *error) {
    draft *d = new_draft(scratch, most_steps(nodes, n));
    int32_t *last_step = OB_ARENA_ARRAY(scratch, int32_t, n);
    OB_FAIL_IF(!d || !last_step, error, OB_E_MEMORY, "no memory for a plan");
    out->program = NULL;
    out->n_operands = has_head;
    out->operands[0] = (ob_program_operand){OB_GROUP_HEAD, NULL};
    d->made = out;
    d->site = site;
    for (uint32_t i = 0; i < n; i++) {
        bool fits;
        OB_TRY(draft_node(site, &nodes[i], d, last_step, &fits, error));
        if (!fits) return OB_OK;
        last_step[i] = (int32_t)d->n - 1;
    }
    obk_program *made = ob__tail(site, 1, sizeof *made + d->n * sizeof d->steps[0]);
    OB_FAIL_IF(!made, error, OB_E_MEMORY, "no memory for a plan");
    made->n_steps = d->n;
    made->largest = 1;
    made->row = row;
    if (!choose_registers(d, made)) return OB_OK;
    memcpy(made->steps, d->steps, d->n * sizeof d->steps[0]);
    if (!site->loops_only) {
        made->chains = OBK_LOOPS(chain);
        obk_program_join(made, (const int32_t(*)[3])d->read);
    }
    out->program = made;
    return OB_OK;
}

/* ---- The kernel ---- */

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    OB_FAIL_IF(!site->program || args->n_in > OBK_PROGRAM_OPERANDS, error, OB_E_INTERNAL, "a group without a program");
    for (uint32_t k = 0; k < args->n_in; k++) /* a bound of Clip: one element with any number of axes */
        if (args->in[k].rank > args->out[0].rank) args->in[k].rank = 0;
    const obk_iteration_spec spec = {.program = site->program, .loops_only = site->loops_only};
    return obk_iteration_plan(args->state, args->in, args->n_in, &args->out[0], &spec, site->arena, &needs->lane_bytes, error);
}

const ob_kernel ob__kernel_program = {.name = "program",
                                      .flags = OB_KERNEL_STRIDED | OB_KERNEL_INPLACE,
                                      .state_bytes = sizeof(obk_iteration),
                                      .plan = plan,
                                      OB_RUNS(ob__element_run),
                                      .state = &obk_iteration_struct};
