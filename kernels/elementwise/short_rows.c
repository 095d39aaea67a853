#include "kernels/elementwise/short_rows.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "kernels/elementwise/iteration_layout.h"
#include "kernels/kernels.h"

struct obk_short_rows {
    int32_t axis;             /* blocks cover `chunk` indices of this axis and all axes inside it */
    int64_t chunk, n_chunks;  /* n_chunks: along `axis` */
    int64_t n_blocks, inner;  /* inner: rows per index of `axis` */
    int64_t n_bytes;          /* of a row of the result */
    int64_t most;             /* rows of a block */
    const int32_t *distances; /* of the rows of a block from its first one: [operands, then one for fixed scalars][most] */
    bool is_double;
    int n_links;
    const obk_chains *chains;
    bool is_vector[OBK_SHORT_LINKS][2];  /* of the links: not one element for each row */
    uint8_t operand[OBK_SHORT_LINKS][2]; /* of the links; FIXED: none */
    obk_link links[];
};

enum {
    MOST_ROW_BYTES = 64,  /* longer rows are as fast one by one */
    LEAST_ROW_BYTES = 32, /* shorter ones are faster in tiles, where vectors hold several */
    BLOCK_BYTES = 16384,  /* of the result */
    MOST_ROWS = 256,
    LEAST_ELEMS = 2048,
    FIXED = UINT8_MAX,
};

static bool has_short_rows(const obk_iteration *b, const obk_iteration_spec *spec) {
    const obk_nd *nd = &b->nd;
    const obk_iteration_operand *out = &b->operands[nd->n_inputs];
    if (spec->loops_only || nd->rank < 2 || nd->n_elems < LEAST_ELEMS || b->stream || nd->n_inputs > OBK_PROGRAM_OPERANDS)
        return false;
    const int64_t n_bytes = nd->dims[nd->rank - 1] * out->size;
    if (n_bytes < LEAST_ROW_BYTES || n_bytes > MOST_ROW_BYTES || n_bytes % OBK_LOOPS(chain)->unit) return false;
    for (uint32_t k = 0; k < 3; k++)
        if (spec->fixed[k] || spec->in_convert[k]) return false;
    for (uint32_t k = 0; k <= nd->n_inputs; k++) {
        const int64_t stride = obk_nd_stride(nd, nd->rank - 1, k);
        if (b->operands[k].size != out->size || (stride != out->size && (stride != 0 || k == nd->n_inputs))) return false;
    }
    return !spec->out_convert;
}

/* The blocks: as many rows as fit. */
static void choose_rows(const obk_iteration *b, obk_short_rows *s) {
    const obk_nd *nd = &b->nd;
    s->n_bytes = nd->dims[nd->rank - 1] * b->operands[nd->n_inputs].size;
    const int64_t most = ob__least(MOST_ROWS, BLOCK_BYTES / s->n_bytes);
    s->axis = nd->rank - 2;
    s->inner = 1;
    while (s->axis > 0 && s->inner * nd->dims[s->axis] * 2 <= most) s->inner *= nd->dims[s->axis--];
    s->chunk = most / s->inner;
    if (s->chunk > nd->dims[s->axis]) s->chunk = nd->dims[s->axis];
    s->n_chunks = ob__ceil_div(nd->dims[s->axis], s->chunk);
    s->most = s->chunk * s->inner;
    s->n_blocks = s->n_chunks;
    for (int32_t a = 0; a < s->axis; a++) s->n_blocks *= nd->dims[a];
}

/* False: a row is too far from the first one. */
static bool find_distances(const obk_iteration *b, const obk_short_rows *s, uint32_t k, int32_t *distances) {
    for (int64_t j = 0; j < s->most; j++) {
        int64_t rest = j, distance = 0;
        for (int32_t a = b->nd.rank - 2; a >= s->axis; a--) {
            const int64_t size = a == s->axis ? s->chunk : b->nd.dims[a], stride = obk_nd_stride(&b->nd, a, k);
            if (stride > INT32_MAX || stride < -INT32_MAX) return false;
            distance += rest % size * stride;
            rest /= size;
        }
        if (distance > INT32_MAX || distance < -INT32_MAX) return false;
        distances[j] = (int32_t)distance;
    }
    return true;
}

static void run_short_rows(const obk_iteration *b, char *const *data, const ob_threads *threads);

static ob_status make_rows(obk_iteration *b, const obk_link *links, int n_links, bool is_double, ob_arena *arena,
                           ob_error *error) {
    const uint32_t n_in = b->nd.n_inputs;
    obk_short_rows *s = ob__arena_alloc(arena, sizeof *s + (size_t)n_links * sizeof *links);
    OB_FAIL_IF(!s, error, OB_E_MEMORY, "no memory for a plan");
    *s = (obk_short_rows){.is_double = is_double, .n_links = n_links, .chains = OBK_LOOPS(chain)};
    choose_rows(b, s);
    int32_t *distances = OB_ARENA_ARRAY(arena, int32_t, (n_in + 2) * (size_t)s->most);
    OB_FAIL_IF(!distances, error, OB_E_MEMORY, "no memory for a plan");
    for (uint32_t k = 0; k <= n_in; k++)
        if (!find_distances(b, s, k, distances + k * s->most)) return OB_OK;
    memset(distances + (n_in + 1) * s->most, 0, (size_t)s->most * sizeof *distances);
    s->distances = distances;
    for (int i = 0; i < n_links; i++) {
        s->links[i] = links[i];
        for (int k = 0; k < 2; k++) {
            const int64_t number = links[i].row[k] - 1, inner = b->nd.rank - 1; /* see obk_short_rows_plan */
            s->operand[i][k] = number < 0 ? FIXED : (uint8_t)number;
            s->is_vector[i][k] = number >= 0 && obk_nd_stride(&b->nd, (int32_t)inner, (uint32_t)number) != 0;
            s->links[i].rows[k] = distances + (number < 0 ? n_in + 1 : number) * s->most;
        }
    }
    b->short_rows = s;
    b->run_short_rows = run_short_rows;
    return OB_OK;
}

ob_status obk_short_rows_plan(obk_iteration *b, const obk_iteration_spec *spec, ob_arena *arena, ob_error *error) {
    const uint32_t n_in = b->nd.n_inputs;
    if (!has_short_rows(b, spec)) return OB_OK;
    const obk_program *program = spec->program;
    if (!program) OB_TRY(obk_fold_program(spec, n_in, b->operands[n_in].size, arena, &program, error));
    if (!program || !obk_program_is_chain(program)) return OB_OK;
    int64_t step[OBK_PROGRAM_OPERANDS + 1], number[OBK_PROGRAM_OPERANDS + 1];
    for (uint32_t k = 0; k <= n_in; k++) {
        step[k] = obk_nd_stride(&b->nd, b->nd.rank - 1, k);
        number[k] = k + 1; /* links say by it which operand they have */
    }
    obk_link links[OBK_MOST_LINKS];
    const int n_links = obk_program_links(program, n_in, step, number, links);
    return n_links == 0 || n_links > OBK_SHORT_LINKS
               ? OB_OK
               : make_rows(b, links, n_links, program->steps[0].form->is_double, arena, error);
}

typedef struct run {
    const obk_iteration *b;
    char *const *data;
} run;

static void rows_range(void *context, int64_t begin, int64_t end) {
    const run *r = context;
    const obk_nd *nd = &r->b->nd;
    const obk_short_rows *s = r->b->short_rows;
    obk_link links[OBK_SHORT_LINKS];
    memcpy(links, s->links, (size_t)s->n_links * sizeof *links);
    for (int64_t block = begin; block < end; block++) {
        char *p[OBK_PROGRAM_OPERANDS + 1];
        const int64_t first = block % s->n_chunks * s->chunk;
        for (uint32_t k = 0; k <= nd->n_inputs; k++) {
            int64_t rest = block / s->n_chunks, distance = first * obk_nd_stride(nd, s->axis, k);
            for (int32_t a = s->axis - 1; a >= 0; a--) {
                distance += rest % nd->dims[a] * obk_nd_stride(nd, a, k);
                rest /= nd->dims[a];
            }
            p[k] = r->data[k] + distance;
        }
        for (int i = 0; i < s->n_links; i++)
            for (int k = 0; k < 2; k++)
                if (s->operand[i][k] != FIXED) links[i].p[k] = p[s->operand[i][k]];
        s->chains->run_rows(links, s->is_vector, s->n_links, s->is_double, s->n_bytes,
                            ob__least(s->chunk, nd->dims[s->axis] - first) * s->inner);
    }
}

static void run_short_rows(const obk_iteration *b, char *const *data, const ob_threads *threads) {
    const obk_short_rows *s = b->short_rows;
    run r = {b, data};
    ob__parallel(threads, s->n_blocks, ob__ceil_div(GRAIN_ELEMS, s->most * b->nd.dims[b->nd.rank - 1]), rows_range, &r);
}
