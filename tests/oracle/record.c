/* Records what the solver is asked and what it answers, at its boundary (core/solve/solve.h): a program that is linked with
 * --wrap for these functions (CMakeLists.txt) appends a line of JSON to the file $OB_RECORD for each call that succeeds.
 * contracts.py reads the lines and checks them. A line that the process has written before is left out. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "term_json.h"

enum { MOST_BYTES = 1 << 16, MOST_LINES = 1 << 16 }; /* of a line; of a process */

/* ---- Lines ---- */

static uint64_t hash_of(const char *text, size_t n) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

/* Test programs are one thread wherever they solve. */
static bool is_new(uint64_t hash) {
    static uint64_t seen[2 * MOST_LINES];
    static size_t n_seen;
    size_t at = hash % (2 * MOST_LINES);
    while (seen[at] && seen[at] != hash) at = (at + 1) % (2 * MOST_LINES);
    if (seen[at]) return false;
    seen[at] = hash;
    if (++n_seen > MOST_LINES) {
        fputs("more records than a process may have\n", stderr);
        exit(1);
    }
    return true;
}

typedef struct line {
    FILE *out;
    char *text;
    size_t n;
    const ob_dims *dims;
} line;

/* The stream knows the address of the line. False: nothing is recorded. */
static bool begin(line *made, const ob_dims *dims, const char *kind) {
    *made = (line){.dims = dims};
    if (!getenv("OB_RECORD")) return false;
    made->out = open_memstream(&made->text, &made->n);
    if (made->out) fprintf(made->out, "{\"kind\":\"%s\"", kind);
    return made->out;
}

/* One write for each line, so that several processes may share the file. A line that is too long becomes a note. */
static void end(line *made) {
    static const char note[] = "{\"kind\":\"long\"}\n";
    fputs("}\n", made->out);
    fclose(made->out);
    const bool is_long = made->n > MOST_BYTES;
    const char *text = is_long ? note : made->text;
    const size_t n = is_long ? sizeof note - 1 : made->n;
    if (is_long || is_new(hash_of(text, n))) {
        const int file = open(getenv("OB_RECORD"), O_WRONLY | O_APPEND | O_CREAT, 0666);
        if (file < 0 || write(file, text, n) != (ssize_t)n) {
            perror(getenv("OB_RECORD"));
            exit(1);
        }
        close(file);
    }
    free(made->text);
}

/* ---- Parts ---- */

static void put_literals(line *made, const ob_literal *literals, uint32_t n, uint32_t n_guard) {
    fprintf(made->out, "\"n_guard\":%" PRIu32 ",\"literals\":", n_guard);
    json_literals(made->out, made->dims, literals, n);
}

/* Those that a condition became: without its origin, so that equal conditions are equal lines. */
static void put_lowered(line *made, const ob_clause *clauses, uint32_t n) {
    fputs(",\"clauses\":[", made->out);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ",{" : "{", made->out);
        put_literals(made, clauses[i].literals, clauses[i].n, clauses[i].n_guard);
        putc('}', made->out);
    }
    putc(']', made->out);
}

static void put_clauses(line *made, const char *name, const ob_clause *clauses, uint32_t n) {
    fprintf(made->out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(made->out, "%s{\"origin\":%" PRIu32 ",\"assumed\":%s,", i ? "," : "", clauses[i].origin,
                clauses[i].assumed ? "true" : "false");
        put_literals(made, clauses[i].literals, clauses[i].n, clauses[i].n_guard);
        putc('}', made->out);
    }
    putc(']', made->out);
}

static void put_numbers(line *made, const char *name, const uint32_t *numbers, uint32_t n) {
    fprintf(made->out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < n; i++) fprintf(made->out, "%s%" PRIu32, i ? "," : "", numbers[i]);
    putc(']', made->out);
}

static void put_terms(line *made, const char *name, const ob_dim *terms, uint32_t n) {
    fprintf(made->out, ",\"%s\":", name);
    json_terms(made->out, made->dims, terms, n);
}

static void put_flag(line *made, const char *name, bool flag) {
    fprintf(made->out, ",\"%s\":%s", name, flag ? "true" : "false");
}

static void put_truths(line *made, const ob_truth *truths, uint32_t n) {
    static const char *const names[] = {[OB_FALSE] = "false", [OB_TRUE] = "true", [OB_UNDECIDED] = "undecided"};
    fputs(",\"truths\":[", made->out);
    for (uint32_t i = 0; i < n; i++) fprintf(made->out, "%s\"%s\"", i ? "," : "", names[truths[i]]);
    putc(']', made->out);
}

static void put_solved(line *made, const ob_solved_clause *clause) {
    putc('{', made->out);
    put_literals(made, clause->literals, clause->n, clause->n_guard);
    put_numbers(made, "origins", clause->origins, clause->n_origins);
    put_flag(made, "of_inputs", clause->of_inputs);
    fputs(",\"holds\":", made->out);
    json_sizes(made->out, made->dims, clause->holds, clause->n_holds);
    fputs(",\"fails\":", made->out);
    json_sizes(made->out, made->dims, clause->fails, clause->n_fails);
    putc('}', made->out);
}

static void put_solution(line *made, const ob_solution *solution, uint32_t n_given) {
    static const char *const fates[] = {
        [OB_CLAUSE_PROVED] = "proved", [OB_CLAUSE_KEPT] = "kept", [OB_CLAUSE_REFUTED] = "refuted"};
    put_flag(made, "contradictory", solution->contradictory);
    put_flag(made, "core_minimal", solution->core_minimal);
    put_numbers(made, "core", solution->core, solution->n_core);
    fputs(",\"fates\":[", made->out);
    for (uint32_t i = 0; i < n_given; i++) fprintf(made->out, "%s\"%s\"", i ? "," : "", fates[solution->fates[i]]);
    fputs("],\"clauses\":[", made->out);
    for (uint32_t i = 0; i < solution->n_clauses; i++) {
        if (i) putc(',', made->out);
        put_solved(made, &solution->clauses[i]);
    }
    putc(']', made->out);
}

/* ---- The functions ---- */

ob_status __real_ob__clauses_add(ob_clauses *clauses, ob_dims *dims, const ob_condition *condition, const ob_dim *guards,
                                 uint32_t n_guards, uint32_t origin, bool assumed, bool *stated);
ob_status __wrap_ob__clauses_add(ob_clauses *clauses, ob_dims *dims, const ob_condition *condition, const ob_dim *guards,
                                 uint32_t n_guards, uint32_t origin, bool assumed, bool *stated);
ob_status __wrap_ob__clauses_add(ob_clauses *clauses, ob_dims *dims, const ob_condition *condition, const ob_dim *guards,
                                 uint32_t n_guards, uint32_t origin, bool assumed, bool *stated) {
    const uint32_t n_before = clauses->n;
    const ob_status status = __real_ob__clauses_add(clauses, dims, condition, guards, n_guards, origin, assumed, stated);
    line made;
    if (status != OB_OK || !begin(&made, dims, "add")) return status;
    fputs(",\"condition\":", made.out);
    json_condition(made.out, dims, condition);
    put_terms(&made, "guards", guards, n_guards);
    put_flag(&made, "stated", *stated);
    put_lowered(&made, clauses->items ? clauses->items + n_before : NULL, clauses->n - n_before);
    end(&made);
    return status;
}

ob_status __real_ob__solve(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_dim *inputs, uint32_t n_inputs,
                           ob_arena *arena, ob_solution *out);
ob_status __wrap_ob__solve(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_dim *inputs, uint32_t n_inputs,
                           ob_arena *arena, ob_solution *out);
ob_status __wrap_ob__solve(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_dim *inputs, uint32_t n_inputs,
                           ob_arena *arena, ob_solution *out) {
    const ob_status status = __real_ob__solve(dims, clauses, n, inputs, n_inputs, arena, out);
    line made;
    if (status != OB_OK || !begin(&made, dims, "solve")) return status;
    put_clauses(&made, "given", clauses, n);
    put_terms(&made, "inputs", inputs, n_inputs);
    put_solution(&made, out, n);
    end(&made);
    return status;
}

static void record_implied(const ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *goals, uint32_t n_goals,
                           const ob_truth *truths) {
    line made;
    if (!begin(&made, dims, "implied")) return;
    put_clauses(&made, "given", clauses, n);
    put_clauses(&made, "goals", goals, n_goals);
    put_truths(&made, truths, n_goals);
    end(&made);
}

ob_status __real_ob__implied(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *clause, ob_arena *arena,
                             ob_truth *out);
ob_status __wrap_ob__implied(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *clause, ob_arena *arena,
                             ob_truth *out);
ob_status __wrap_ob__implied(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *clause, ob_arena *arena,
                             ob_truth *out) {
    const ob_status status = __real_ob__implied(dims, clauses, n, clause, arena, out);
    if (status == OB_OK) record_implied(dims, clauses, n, clause, 1, out);
    return status;
}

ob_status __real_ob__implied_all(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *goals, uint32_t n_goals,
                                 ob_arena *arena, ob_truth *truths);
ob_status __wrap_ob__implied_all(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *goals, uint32_t n_goals,
                                 ob_arena *arena, ob_truth *truths);
ob_status __wrap_ob__implied_all(ob_dims *dims, const ob_clause *clauses, uint32_t n, const ob_clause *goals, uint32_t n_goals,
                                 ob_arena *arena, ob_truth *truths) {
    const ob_status status = __real_ob__implied_all(dims, clauses, n, goals, n_goals, arena, truths);
    if (status == OB_OK) record_implied(dims, clauses, n, goals, n_goals, truths);
    return status;
}

ob_status __real_ob__implied_groups(ob_dims *dims, const ob_clauses *clauses, const ob_clauses *goals, ob_arena *arena,
                                    bool *holds);
ob_status __wrap_ob__implied_groups(ob_dims *dims, const ob_clauses *clauses, const ob_clauses *goals, ob_arena *arena,
                                    bool *holds);
/* A group holds only if all its goals were proved; of one that does not hold nothing is known. */
ob_status __wrap_ob__implied_groups(ob_dims *dims, const ob_clauses *clauses, const ob_clauses *goals, ob_arena *arena,
                                    bool *holds) {
    const ob_status status = __real_ob__implied_groups(dims, clauses, goals, arena, holds);
    ob_truth *truths = status == OB_OK && goals->n ? malloc(goals->n * sizeof *truths) : NULL;
    for (uint32_t i = 0; truths && i < goals->n; i++) truths[i] = holds[goals->items[i].origin] ? OB_TRUE : OB_UNDECIDED;
    if (truths) record_implied(dims, clauses->items, clauses->n, goals->items, goals->n, truths);
    free(truths);
    return status;
}

ob_status __real_ob__equivalent(ob_dims *dims, const ob_clause *left, uint32_t n_left, const ob_clause *right, uint32_t n_right,
                                ob_arena *arena, ob_truth *out);
ob_status __wrap_ob__equivalent(ob_dims *dims, const ob_clause *left, uint32_t n_left, const ob_clause *right, uint32_t n_right,
                                ob_arena *arena, ob_truth *out);
ob_status __wrap_ob__equivalent(ob_dims *dims, const ob_clause *left, uint32_t n_left, const ob_clause *right, uint32_t n_right,
                                ob_arena *arena, ob_truth *out) {
    const ob_status status = __real_ob__equivalent(dims, left, n_left, right, n_right, arena, out);
    line made;
    if (status != OB_OK || !begin(&made, dims, "equivalent")) return status;
    put_clauses(&made, "left", left, n_left);
    put_clauses(&made, "right", right, n_right);
    put_truths(&made, out, 1);
    end(&made);
    return status;
}
