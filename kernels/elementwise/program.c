#include "kernels/elementwise/program.h"

#include <string.h>

#include "kernels/kernels.h"

/* A call of a program. */
typedef struct call {
    const obk_program *program;
    char *const *p;
    const int64_t *step, *row;
    uint32_t n_operands;
    int64_t n, rows;
    char *registers;
    int64_t register_bytes;
    obk_link_shape shape; /* of chains: OBK_LINK_WIDE or OBK_LINK_ROWS */
    /* Of each register: */
    uint8_t size[OBK_PROGRAM_REGISTERS]; /* bytes of an element */
    bool per_row[OBK_PROGRAM_REGISTERS]; /* one element for each row */
} call;

/* An operand of a step: the distances of its elements and rows, as obk_loop has them. */
typedef struct place {
    char *p;
    int64_t step, row;
} place;

static place in_register(const call *c, uint8_t index, int64_t size, bool per_row) {
    return (place){c->registers + index * c->register_bytes, per_row ? 0 : size, per_row ? size : size * c->n};
}

static place find_input(const call *c, const obk_program_input *in) {
    switch (in->from) {
    case OBK_FROM_OPERAND: return (place){c->p[in->index], c->step[in->index], c->row[in->index]};
    case OBK_FROM_REGISTER: return in_register(c, in->index, c->size[in->index], c->per_row[in->index]);
    default: return (place){(char *)(uintptr_t)in->scalar, 0, 0};
    }
}

static place find_result(const call *c, const obk_program_step *step) {
    const uint32_t k = c->n_operands;
    if (step->out == OBK_PROGRAM_RESULT) return (place){c->p[k], step->out_size, c->row[k]};
    return in_register(c, step->out, step->out_size, step->per_row);
}

static void note_result(call *c, const obk_program_step *step) {
    if (step->out == OBK_PROGRAM_RESULT) return;
    c->size[step->out] = step->out_size;
    c->per_row[step->out] = step->per_row;
}

/* The loop of a step for the elements of each row from `first` on. */
static void run_loop(call *c, const obk_program_step *step, int64_t first) {
    char *q[4];
    int64_t steps[4], rows[4];
    for (uint32_t k = 0; k <= step->n_in; k++) {
        const place at = k < step->n_in ? find_input(c, &step->in[k]) : find_result(c, step);
        q[k] = at.p + first * at.step;
        steps[k] = at.step;
        rows[k] = at.row;
    }
    note_result(c, step);
    step->loop(q, steps, c->n - first, rows, c->rows, step->params);
}

/* The loop of a step with one element for each row: one row of them, if they are dense. */
static void run_per_row(call *c, const obk_program_step *step) {
    static const int64_t none[4];
    char *q[4];
    int64_t rows[4];
    bool dense = true, any = c->rows == 1;
    for (uint32_t k = 0; k < step->n_in; k++) {
        const place at = find_input(c, &step->in[k]);
        q[k] = at.p;
        rows[k] = at.row;
        dense &= at.row == 0 || at.row == step->in[k].size;
        any |= at.row != 0;
    }
    q[step->n_in] = find_result(c, step).p;
    rows[step->n_in] = step->out_size;
    note_result(c, step);
    if (dense && any)
        step->loop(q, rows, c->rows, none, 1, step->params);
    else
        step->loop(q, none, 1, rows, c->rows, step->params);
}

static void set_operand(obk_link *link, int k, const place *at) {
    link->p[k] = at->p;
    link->row[k] = at->row;
}

/* False: there is no code. */
static bool set_code(const call *c, obk_link *link, const obk_link_code *code) {
    link->code[0] = code[c->shape];
    link->code[1] = code[c->shape + 1];
    return code[0] != NULL;
}

static bool set_step(const call *c, obk_link *link, const obk_program_step *step, obk_link_kind kind) {
    link->params = step->params;
    return set_code(c, link, step->form->code[kind]);
}

/* The link that loads or stores. */
static obk_link end_link(const call *c, const obk_link_code *code, const place *at) {
    obk_link link = {.params = NULL};
    set_code(c, &link, code);
    set_operand(&link, 0, at);
    return link;
}

/* The link of a step that gets operand `got` in registers; both operands: got is 2. */
static bool make_link(const call *c, const obk_program_step *step, uint32_t got, obk_link *link) {
    if (step->n_in == 1 || got == 2) return set_step(c, link, step, OBK_LINK_SELF);
    const place other = find_input(c, &step->in[got == 0 ? 1 : 0]);
    set_operand(link, 0, &other);
    if (step->n_in == 3) {
        const place third = find_input(c, &step->in[2]);
        set_operand(link, 1, &third);
        if ((third.step == 0) != (other.step == 0)) return false;
    }
    const obk_link_kind after = other.step ? OBK_LINK_VECTOR : OBK_LINK_SCALAR,
                        before = other.step ? OBK_LINK_VECTOR_FIRST : OBK_LINK_SCALAR_FIRST;
    return set_step(c, link, step, got == 0 ? after : before);
}

static uint32_t got_by(const obk_program_step *step) {
    return step->n_in > 1 && step->gets == 3 ? 2 : step->gets >> 1;
}

/* The links of the chain that begins with the step; returns their number. 0: a step has no code for its operands. */
static int make_links(const call *c, const obk_program_step *first, obk_link *links) {
    const bool is_double = first->form->is_double;
    const obk_chains *chains = c->program->chains;
    int n = 0;
    place at = find_input(c, &first->in[0]);
    uint32_t got = 0;
    if (!at.step && first->n_in == 2) at = find_input(c, &first->in[got = 1]);
    if (!at.step) return 0;
    links[n++] = end_link(c, chains->load[is_double], &at);
    for (uint32_t s = 0; s < first->joined; s++) {
        links[n] = (obk_link){.params = NULL};
        if (!make_link(c, &first[s], s == 0 ? got : got_by(&first[s]), &links[n++])) return 0;
    }
    const place result = find_result(c, &first[first->joined - 1]);
    links[n++] = end_link(c, chains->store[is_double], &result);
    return n;
}

/* Runs the chain that begins with the step; returns the elements of a row that are done. Not inlined: its links are large. */
static __attribute__((noinline)) int64_t run_chain(const void *of, const obk_program_step *first) {
    const call *c = of;
    enum { SHORT_BYTES = 512 }; /* for shorter rows the links cost more than they save */
    obk_link links[OBK_MOST_LINKS];
    const bool is_double = first->form->is_double;
    const int64_t size = is_double ? 8 : 4;
    if (c->n * size < SHORT_BYTES) return 0;
    const int n = make_links(c, first, links);
    return n == 0 ? 0 : c->program->chains->run(links, n, is_double, c->n * size, c->rows) / size;
}

int obk_program_links(const obk_program *program, uint32_t n_operands, const int64_t *step, const int64_t *row, obk_link *links) {
    static char *const no_data[OBK_PROGRAM_OPERANDS + 1];
    const call c = {.program = program, .p = no_data, .step = step, .row = row, .n_operands = n_operands, .shape = OBK_LINK_ROWS};
    return obk_program_is_chain(program) ? make_links(&c, program->steps, links) : 0;
}

void obk_program_join(obk_program *program, const int32_t (*reads)[3]) {
    uint32_t n_readers[OBK_PROGRAM_STEPS] = {0}, first = 0;
    program->run_chain = run_chain;
    for (uint32_t s = 0; s < program->n_steps; s++)
        for (uint32_t k = 0; k < program->steps[s].n_in; k++) {
            const int32_t read = reads[s][k];
            bool again = false;
            for (uint32_t j = 0; j < k; j++) again |= reads[s][j] == read;
            if (read >= 0 && !again) n_readers[read]++;
        }
    for (uint32_t s = 0; s < program->n_steps; s++) {
        obk_program_step *step = &program->steps[s];
        const obk_link_form *before = s > 0 ? program->steps[s - 1].form : NULL;
        step->form = OBK_LOOPS(form)->find(step->loop);
        if (step->per_row || step->whole_rows || (step->form && step->form->n_in != step->n_in)) step->form = NULL;
        step->joined = step->gets = 0;
        for (uint32_t k = 0; k < step->n_in && s > 0; k++)
            if (reads[s][k] == (int32_t)s - 1) step->gets |= (uint8_t)(1 << k);
        if (!before || !step->form || before->is_double != step->form->is_double || !step->gets || n_readers[s - 1] != 1 ||
            (step->n_in == 3 && step->gets != 1) || s - first + 1 > OBK_MOST_LINKS - 2)
            first = s;
        else
            program->steps[first].joined = (uint8_t)(s - first + 1);
    }
}

/* Runs the loops of a chain behind the elements that are done, in pieces, since blocks may be larger than registers. */
static void run_behind(const call *c, int64_t done) {
    const int64_t most = c->register_bytes / c->program->largest;
    const int64_t width = c->n - done < most ? c->n - done : most, height = most / width;
    char *q[OBK_PROGRAM_OPERANDS + 1];
    call piece = *c;
    piece.p = q;
    for (int64_t j = 0; j < c->rows; j += height)
        for (int64_t i = done; i < c->n; i += width) {
            for (uint32_t k = 0; k <= c->n_operands; k++) q[k] = c->p[k] + j * c->row[k] + i * c->step[k];
            piece.rows = c->rows - j < height ? c->rows - j : height;
            piece.n = c->n - i < width ? c->n - i : width;
            for (uint32_t s = 0; s < c->program->n_steps; s++) run_loop(&piece, &c->program->steps[s], 0);
        }
}

/* Rows become one row where all operands allow it. */
static void join_rows(call *c) {
    for (uint32_t k = 0; k <= c->n_operands; k++)
        if (c->row[k] != c->step[k] * c->n) return;
    c->n *= c->rows;
    c->rows = 1;
}

/* Several rows may come as one. */
static void split_rows(call *c, int64_t *row) {
    const int64_t length = c->program->row;
    if (c->n == length) return;
    for (uint32_t k = 0; k <= c->n_operands; k++) row[k] = c->step[k] * length;
    c->row = row;
    c->rows = c->n / length;
    c->n = length;
}

void obk_program_run(const obk_program *program, uint32_t n_operands, char *const *p, const int64_t *step, int64_t n,
                     const int64_t *row, int64_t rows, char *registers, int64_t register_bytes) {
    call c = {.program = program,
              .p = p,
              .step = step,
              .row = row,
              .n_operands = n_operands,
              .n = n,
              .rows = rows,
              .registers = registers,
              .register_bytes = register_bytes};
    int64_t split[OBK_PROGRAM_OPERANDS + 1];
    if (program->row)
        split_rows(&c, split);
    else if (rows > 1)
        join_rows(&c);
    if (obk_program_is_chain(program)) {
        const int64_t done = program->run_chain(&c, program->steps);
        if (done < c.n) run_behind(&c, done);
        return;
    }
    for (uint32_t s = 0; s < program->n_steps;) {
        const obk_program_step *at = &program->steps[s];
        const uint32_t some = at->joined ? at->joined : 1;
        const int64_t done = at->joined ? program->run_chain(&c, at) : 0;
        for (uint32_t i = 0; i < some; i++)
            if (at[i].per_row && !at[i].whole_rows)
                run_per_row(&c, &at[i]);
            else if (done < c.n)
                run_loop(&c, &at[i], done);
            else
                note_result(&c, &at[i]);
        s += some;
    }
}
