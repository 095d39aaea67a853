/* The contract as a C function: it needs only stdint.h and no library, and gives the same answers as
 * ob_report_contract_holds(). */
#include <inttypes.h>
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "onnx_broadcast/version.h"
#include "passes/report/guard.h"

static const struct {
    unsigned when; /* any of these */
    const char *text;
} helpers[] = {
    {OB_GUARD_OR, "/* 0 no, 1 yes, 2 unknown */\n"
                  "static int obg_or(int a, int b) {\n    return a == 1 || b == 1 ? 1 : a == 2 || b == 2 ? 2 : 0;\n}\n"},
    {OB_GUARD_BOUNDS, "static obg_value obg_bounded(obg_value a) {\n"
                      "    if (!a.bad && (a.v > OBG_MOST || a.v < -OBG_MOST)) a.bad = 2;\n"
                      "    return a;\n"
                      "}\n"},
    {OB_GUARD_ADD, "static obg_value obg_add(obg_value a, obg_value b) {\n"
                   "    if (a.bad) return a;\n"
                   "    if (b.bad) return b;\n"
                   "    if (b.v > 0 ? a.v > INT64_MAX - b.v : a.v < INT64_MIN - b.v) {\n"
                   "        a.bad = 2;\n"
                   "        return a;\n"
                   "    }\n"
                   "    a.v += b.v;\n"
                   "    return a;\n"
                   "}\n"},
    {OB_GUARD_MUL, "static obg_value obg_mul(obg_value a, obg_value b) {\n"
                   "    int over;\n"
                   "    if (a.bad) return a;\n"
                   "    if (b.bad) return b;\n"
                   "    if (a.v > 0)\n"
                   "        over = b.v > 0 ? a.v > INT64_MAX / b.v : b.v < INT64_MIN / a.v;\n"
                   "    else\n"
                   "        over = b.v > 0 ? a.v < INT64_MIN / b.v : a.v != 0 && b.v < INT64_MAX / a.v;\n"
                   "    if (over) {\n"
                   "        a.bad = 2;\n"
                   "        return a;\n"
                   "    }\n"
                   "    a.v *= b.v;\n"
                   "    return a;\n"
                   "}\n"},
    {OB_GUARD_DIV, "/* Rounds down, also below 0; b > 0. */\n"
                   "static obg_value obg_floor_div(obg_value a, int64_t b) {\n"
                   "    if (!a.bad) a.v = a.v / b - (a.v % b < 0);\n"
                   "    return a;\n"
                   "}\n"},
    {OB_GUARD_QUOTIENT, "/* Undefined if b is below 1. */\n"
                        "static obg_value obg_quotient(obg_value a, obg_value b) {\n"
                        "    if (a.bad) return a;\n"
                        "    if (b.bad) return b;\n"
                        "    if (b.v < 1)\n"
                        "        a.bad = 1;\n"
                        "    else\n"
                        "        a.v = a.v / b.v - (a.v % b.v < 0);\n"
                        "    return a;\n"
                        "}\n"},
    {OB_GUARD_MIN, "static obg_value obg_min(obg_value a, obg_value b) {\n"
                   "    return a.bad || (!b.bad && a.v <= b.v) ? a : b;\n"
                   "}\n"},
    {OB_GUARD_MAX, "static obg_value obg_max(obg_value a, obg_value b) {\n"
                   "    return a.bad || (!b.bad && a.v >= b.v) ? a : b;\n"
                   "}\n"},
    {OB_GUARD_BCAST, "/* The common size of two sizes that broadcast; undefined if they do not. */\n"
                     "static obg_value obg_bcast(obg_value a, obg_value b) {\n"
                     "    if (a.bad) return a;\n"
                     "    if (b.bad || a.v == 1) return b;\n"
                     "    if (b.v != 1 && b.v != a.v) a.bad = 1;\n"
                     "    return a;\n"
                     "}\n"},
    {OB_GUARD_ZERO, "static int obg_is_zero(obg_value p) {\n"
                    "    return p.bad ? (p.bad == 1 ? 0 : 2) : p.v == 0;\n"
                    "}\n"},
    {OB_GUARD_NONZERO, "static int obg_is_nonzero(obg_value p) {\n"
                       "    return p.bad ? (p.bad == 1 ? 0 : 2) : p.v != 0;\n"
                       "}\n"},
    {OB_GUARD_NONNEGATIVE, "static int obg_is_nonnegative(obg_value p) {\n"
                           "    return p.bad ? (p.bad == 1 ? 0 : 2) : p.v >= 0;\n"
                           "}\n"},
    {OB_GUARD_DIVIDES, "static int obg_divides(obg_value p, obg_value q) {\n"
                       "    if (!p.bad && q.bad) p = q;\n"
                       "    return p.bad ? (p.bad == 1 ? 0 : 2) : q.v >= 1 && p.v % q.v == 0;\n"
                       "}\n"},
    {OB_GUARD_NOT_DIVIDES, "static int obg_divides_not(obg_value p, obg_value q) {\n"
                           "    if (!p.bad && q.bad) p = q;\n"
                           "    return p.bad ? (p.bad == 1 ? 0 : 2) : q.v < 1 || p.v % q.v != 0;\n"
                           "}\n"},
};

typedef struct guard {
    ob_guard_body sizes, values;
    const ob_facts *facts;
    const ob_contract *contract;
    const char *name;
    ob_text file;
} guard;

static void write_symbol(guard *g, ob_dim symbol) {
    const ob_term *term = ob__term(g->sizes.dims, symbol);
    char text[32];
    const char *name = term && term->name ? term->name : text;
    if (name == text) ob_dim_format(g->sizes.dims, symbol, text, sizeof text);
    ob__guard_escaped(&g->file, name, strlen(name));
}

/* ---- Clauses ---- */

static void write_literal(ob_guard_body *g, const ob_literal *literal) {
    static const struct {
        const char *function;
        unsigned uses;
        bool divides;
    } kinds[] = {[OB_LITERAL_ZERO] = {"obg_is_zero", OB_GUARD_ZERO, false},
                 [OB_LITERAL_NONZERO] = {"obg_is_nonzero", OB_GUARD_NONZERO, false},
                 [OB_LITERAL_NONNEGATIVE] = {"obg_is_nonnegative", OB_GUARD_NONNEGATIVE, false},
                 [OB_LITERAL_DIVIDES] = {"obg_divides", OB_GUARD_DIVIDES, true},
                 [OB_LITERAL_NOT_DIVIDES] = {"obg_divides_not", OB_GUARD_NOT_DIVIDES, true}};
    g->uses |= kinds[literal->kind].uses;
    ob__text_printf(&g->body, "%s(", kinds[literal->kind].function);
    ob__guard_operand(g, literal->p);
    if (kinds[literal->kind].divides) {
        ob__text_puts(&g->body, ", ");
        ob__guard_operand(g, literal->q);
    }
    ob__text_puts(&g->body, ")");
}

static void write_clause(ob_guard_body *g, const ob_solved_clause *clause, uint32_t number) {
    ob_text text;
    ob__text_init(&text, &g->body.allocator);
    ob__solved_write(&text, g->dims, clause);
    g->failed |= text.failed;
    for (uint32_t i = 0; i < clause->n; i++) {
        ob__guard_require(g, clause->literals[i].p);
        if (clause->literals[i].q) ob__guard_require(g, clause->literals[i].q);
    }
    g->uses |= OB_GUARD_OR;
    ob__text_puts(&g->body, "    holds = 0;\n");
    for (uint32_t i = 0; i < clause->n; i++) {
        ob__text_puts(&g->body, "    holds = obg_or(holds, ");
        write_literal(g, &clause->literals[i]);
        ob__text_puts(&g->body, ");\n");
    }
    ob__text_puts(&g->body, "    if (holds == 0) {\n        if (clause) *clause = \"");
    ob__guard_escaped(&g->body, text.data ? text.data : "", text.n);
    ob__text_printf(&g->body, "\";\n        return %u;\n    }\n", number);
    if (g->contract->status != OB_CONTRACT_CONTRADICTORY) ob__text_puts(&g->body, "    if (holds == 2) all = -1;\n");
    ob__text_release(&text);
}

/* ---- The file ---- */

static void write_head(guard *g) {
    const ob_contract *contract = g->contract;
    ob__text_printf(
        &g->file,
        "/* Tests whether a model admits sizes of its inputs. Written by onnx-broadcast %s; the contract is %s.\n *\n"
        " * %s(sizes, clause) returns\n"
        " *    0  if the sizes are admitted,\n"
        " *    N  (1 or more) if they break clause N; its text is in *clause, which may be NULL,\n"
        " *   -1  if a number leaves the range of 62 bits, so that the answer is unknown,\n"
        " *   -2  if they break no stated clause, but other requirements depend on data,\n"
        " *   -3  if a size is invalid (below 0, or beyond 62 bits).\n *\n"
        " * %s_values(sizes, data, types, counts, condition) returns\n"
        " *    0  if the elements of the inputs are admitted too,\n"
        " *    N  (1 or more) if they break condition on values N; its text is in *condition, which may be NULL,\n"
        " *   -1  if a number leaves the range,\n"
        " *   -3  if a size is invalid, or if a type or a count is not that of the input.\n"
        " * data, types and counts have an entry for each input that %s_input() names: its elements in row-major order,\n"
        " * ONNX's number of their type, and their number.\n *\n * Sizes, in their order:\n",
        ob_version(), ob_contract_status_name(contract->status), g->name, g->name, g->name);
    for (uint32_t i = 0; i < contract->n_inputs; i++) {
        ob__text_printf(&g->file, " *   %u  ", i);
        write_symbol(g, contract->inputs[i]);
        ob__text_puts(&g->file, "\n");
    }
    if (contract->n_inputs == 0) ob__text_puts(&g->file, " *   none, every size is fixed\n");
    ob__text_printf(&g->file,
                    " */\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                    "int %s(const int64_t *sizes, const char **clause);\n"
                    "/* The number of sizes. */\n"
                    "int %s_count(void);\n"
                    "/* The name of size `index`, or NULL. */\n"
                    "const char *%s_name(int index);\n"
                    "/* Tests the elements of the inputs at these sizes. */\n",
                    g->name, g->name, g->name);
    ob__guard_values_declare(&g->file, g->name);
    ob__text_puts(&g->file, "#ifdef __cplusplus\n}\n#endif\n\n");
}

static void write_names(guard *g) {
    const ob_contract *contract = g->contract;
    ob__text_printf(&g->file, "int %s_count(void) {\n    return %u;\n}\n\n", g->name, contract->n_inputs);
    ob__text_printf(&g->file, "const char *%s_name(int index) {\n    switch (index) {\n", g->name);
    for (uint32_t i = 0; i < contract->n_inputs; i++) {
        ob__text_printf(&g->file, "    case %u: return \"", i);
        write_symbol(g, contract->inputs[i]);
        ob__text_puts(&g->file, "\";\n");
    }
    ob__text_puts(&g->file, "    default: return 0;\n    }\n}\n\n");
}

static void write_helpers(guard *g) {
    const unsigned uses = g->sizes.uses | g->values.uses;
    if (!uses) return;
    ob__text_puts(&g->file, "/* bad: 1 undefined (sizes that do not broadcast), 2 out of range */\n"
                            "typedef struct obg_value {\n    int64_t v;\n    int bad;\n} obg_value;\n\n"
                            "static obg_value obg_number(int64_t v) {\n    obg_value a;\n    a.v = v;\n    a.bad = 0;\n"
                            "    return a;\n}\n");
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (uses & helpers[i].when) ob__text_puts(&g->file, helpers[i].text);
}

static void write_function(guard *g) {
    const ob_contract *contract = g->contract;
    ob_text *file = &g->file;
    bool contradictory = contract->status == OB_CONTRACT_CONTRADICTORY;
    ob__text_printf(file, "int %s(const int64_t *sizes, const char **clause) {\n", g->name);
    ob__text_printf(file, "    int all = %d;\n", contradictory ? (int)contract->n_clauses + 1 : contract->n_unverified ? -2 : 0);
    if (contract->n_clauses) ob__text_puts(file, "    int holds;\n");
    if (contract->n_inputs)
        ob__text_printf(file,
                        "    int i;\n    if (clause) *clause = 0;\n"
                        "    for (i = 0; i < %u; i++)\n        if (sizes[i] < 0 || sizes[i] > OBG_MOST) return -3;\n",
                        contract->n_inputs);
    else
        ob__text_puts(file, "    (void)sizes;\n    if (clause) *clause = 0;\n");
    if (g->sizes.body.n) ob__text_append(file, g->sizes.body.data, g->sizes.body.n);
    if (contradictory)
        ob__text_puts(file, "    if (clause) *clause = \"the requirements of the model contradict each other\";\n");
    ob__text_puts(file, "    return all;\n}\n");
}

static void write_all(guard *g) {
    const ob_contract *contract = g->contract;
    write_head(g);
    if (contract->n_clauses) ob__guard_symbols(&g->sizes);
    for (uint32_t i = 0; i < contract->n_clauses && !g->sizes.failed; i++) write_clause(&g->sizes, contract->clauses[i], i + 1);
    ob__guard_values(&g->values, g->facts);
    if (contract->n_inputs || ((g->sizes.uses | g->values.uses) & OB_GUARD_BOUNDS))
        ob__text_printf(&g->file, "#define OBG_MOST INT64_C(%" PRId64 ")\n\n", OB_DIM_CONST_MAX);
    write_names(g);
    write_helpers(g);
    write_function(g);
    ob__guard_values_write(&g->file, &g->values, g->facts, g->name);
}

/* A name that C and C++ allow for a function, and that no helper has. */
static bool is_usable(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    static const char *const taken[] = {
        "alignas",  "alignof",  "and",      "and_eq",       "asm",       "auto",     "bitand",   "bitor",     "bool",
        "break",    "case",     "catch",    "char",         "class",     "compl",    "const",    "constexpr", "const_cast",
        "continue", "decltype", "default",  "delete",       "do",        "double",   "else",     "enum",      "dynamic_cast",
        "explicit", "export",   "extern",   "false",        "float",     "for",      "friend",   "goto",      "if",
        "inline",   "int",      "long",     "mutable",      "new",       "noexcept", "not",      "not_eq",    "namespace",
        "nullptr",  "operator", "or",       "or_eq",        "private",   "public",   "register", "restrict",  "protected",
        "return",   "short",    "signed",   "sizeof",       "static",    "struct",   "switch",   "template",  "reinterpret_cast",
        "this",     "throw",    "true",     "try",          "typedef",   "typeid",   "union",    "unsigned",  "static_assert",
        "using",    "virtual",  "void",     "volatile",     "wchar_t",   "while",    "xor",      "xor_eq",    "static_cast",
        "typename", "char16_t", "char32_t", "thread_local", "main",      "sizes",    "clause",   "all",       "holds",
        "i",        "data",     "types",    "counts",       "condition", "asked"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0) return false;
    return n > 0 && n <= 200 && strspn(name, letters) == n && !(name[0] >= '0' && name[0] <= '9') && name[0] != '_' &&
           strncmp(name, "obg_", 4) != 0 && strncmp(name, "OBG_", 4) != 0;
}

static void body_init(ob_guard_body *g, const ob_report *report) {
    *g = (ob_guard_body){.dims = report->model->dims, .contract = &report->contract};
    ob__arena_init(&g->arena, &report->allocator);
    ob__map_init(&g->terms, &g->arena);
    ob__text_init(&g->body, &report->allocator);
}

static void body_release(ob_guard_body *g) {
    ob__text_release(&g->body);
    ob__arena_release(&g->arena);
}

ob_status ob_report_guard_write(const ob_report *report, const char *name, ob_write_sink sink, void *context, ob_error *error) {
    OB_FAIL_IF(!report || !name || !sink, error, OB_E_ARGUMENT, "a parameter is NULL");
    OB_FAIL_IF(!is_usable(name), error, OB_E_ARGUMENT, "\"%.100s\" is not a valid name of a C function", name);
    guard g = {.facts = &report->facts, .contract = &report->contract, .name = name};
    body_init(&g.sizes, report);
    body_init(&g.values, report);
    ob__text_init(&g.file, &report->allocator);
    write_all(&g);
    const bool failed = g.sizes.failed || g.sizes.body.failed || g.values.failed || g.values.body.failed || g.file.failed;
    ob_status status = failed ? OB_E_MEMORY : sink(context, g.file.data, g.file.n);
    ob__text_release(&g.file);
    body_release(&g.sizes);
    body_release(&g.values);
    return ob__described(error, status, "the guard cannot be written");
}
