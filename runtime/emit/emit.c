/* The files of an emitted model. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/integers.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/ahead.h"
#include "runtime/emit/emitter.h"
#include "runtime/memory.h"
#include "runtime/session.h"

enum { MOST_PLANS = 64, MOST_NAME = 32, MOST_COMMENT = 60 };

/* ---- Options ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Words of C23 and C++, and functions that the files or compilers call. */
static bool is_reserved(const char *name) {
    static const char *const words[] = {
        "alignas", "alignof",  "and",      "asm",      "auto",      "bool",      "break",    "case",      "catch",    "char",
        "class",   "compl",    "concept",  "const",    "constexpr", "continue",  "decltype", "default",   "delete",   "do",
        "double",  "else",     "enum",     "explicit", "export",    "extern",    "false",    "float",     "for",      "friend",
        "goto",    "if",       "inline",   "int",      "long",      "main",      "mutable",  "namespace", "new",      "noexcept",
        "not",     "nullptr",  "operator", "or",       "private",   "protected", "public",   "register",  "requires", "restrict",
        "return",  "short",    "signed",   "sizeof",   "static",    "struct",    "switch",   "template",  "this",     "throw",
        "true",    "try",      "typedef",  "typeid",   "typename",  "typeof",    "union",    "unsigned",  "using",    "virtual",
        "void",    "volatile", "while",    "xor",      "ob",        "obk"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return true;
    return false;
}

static bool is_good_name(const char *name) {
    size_t n = 0;
    if (!name || !is_letter(name[0])) return false;
    for (; name[n]; n++)
        if (n == MOST_NAME || !(is_letter(name[n]) || (name[n] >= '0' && name[n] <= '9') || name[n] == '_')) return false;
    return !is_reserved(name) && strncmp(name, "ob_", 3) != 0 && strncmp(name, "obk_", 4) != 0;
}

static ob_status check_options(const ob_session *session, size_t n_inputs, size_t n_plans, const ob_emit_options *options,
                               ob_error *error) {
    OB_FAIL_IF(!session->ahead_of_time, error, OB_E_ARGUMENT, "the session was created without ahead_of_time");
    OB_FAIL_IF(session->threads.n_threads > 1, error, OB_E_ARGUMENT, "the session has threads, and its plans memory for each");
    OB_FAIL_IF(session->numerics != OB_NUMERICS_EXACT, error, OB_E_ARGUMENT, "the session has relaxed numerics");
    OB_FAIL_IF(!is_good_name(options->name), error, OB_E_ARGUMENT,
               "the name \"%.40s\" is not a letter and up to %d letters, digits and underscores, or it is taken",
               options->name ? options->name : "", MOST_NAME - 1);
    OB_FAIL_IF(options->weights > OB_EMIT_WEIGHTS_BINARY, error, OB_E_ARGUMENT, "form %d of the weights", (int)options->weights);
    OB_FAIL_IF(n_inputs != session->n_inputs, error, OB_E_ARGUMENT, "the model has %u inputs, %zu are given", session->n_inputs,
               n_inputs);
    OB_FAIL_IF(n_plans < 1 || n_plans > MOST_PLANS || n_plans > session->max_plans, error, OB_E_ARGUMENT,
               "%zu plans: 1 to %u are possible (max_plans)", n_plans,
               session->max_plans < MOST_PLANS ? session->max_plans : MOST_PLANS);
    return OB_OK;
}

/* ---- Text of the model, in comments ---- */

/* Printable ASCII that can end no comment, join no lines and begin no trigraph. */
static void put_comment(ob_text *out, const char *text) {
    for (size_t i = 0; text[i] && i < MOST_COMMENT; i++) {
        const char c = text[i];
        const bool good = c >= ' ' && c <= '~' && !strchr("\\/*?\"%", c);
        ob__text_append(out, good ? &c : ".", 1);
    }
}

static const char *c_type(ob_dtype dtype) {
    switch (dtype) {
    case OB_FLOAT: return "float";
    case OB_DOUBLE: return "double";
    case OB_INT8: return "int8_t";
    case OB_INT16: return "int16_t";
    case OB_INT32: return "int32_t";
    case OB_INT64: return "int64_t";
    case OB_UINT16:
    case OB_FLOAT16:
    case OB_BFLOAT16: return "uint16_t";
    case OB_UINT32: return "uint32_t";
    case OB_UINT64: return "uint64_t";
    case OB_COMPLEX64: return "float";
    case OB_COMPLEX128: return "double";
    default: return "uint8_t";
    }
}

static void put_shape(ob_text *out, const ob_layout *layout) {
    ob__text_printf(out, "%s [", ob_dtype_name(layout->dtype));
    for (int32_t a = 0; a < layout->rank; a++) ob__text_printf(out, "%s%lld", a ? ", " : "", (long long)layout->sizes[a]);
    ob__text_puts(out, "]");
}

static uint64_t bytes_of(const ob_layout *layout) {
    uint64_t n = ob_dtype_size(layout->dtype);
    for (int32_t a = 0; a < layout->rank; a++) n *= (uint64_t)layout->sizes[a];
    return n;
}

/* ---- NAME.h ---- */

/* One plan: layouts of the inputs, then of the outputs. */
typedef struct signature {
    const ob_layout **inputs, **outputs;
} signature;

typedef struct files {
    ob_emitter e;
    signature plans[MOST_PLANS];
    size_t n_plans;
    ob_text header, source, example, cmake, binary, assembly;
} files;

static void put_upper(ob_text *out, const char *name) {
    for (; *name; name++) {
        const char c = *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
        ob__text_append(out, &c, 1);
    }
}

static void put_member(ob_text *out, const files *f, const char *what, uint32_t i, bool constant) {
    const bool is_input = constant;
    const ob_value *value = is_input ? f->e.session->inputs[i] : f->e.session->model->graph->outputs[i];
    const ob_layout *first = is_input ? f->plans[0].inputs[i] : f->plans[0].outputs[i];
    ob__text_printf(out, "    %s%s *%s%u; /* ", constant ? "const " : "", c_type(first->dtype), what, i);
    put_comment(out, value->name);
    ob__text_puts(out, ": ");
    for (size_t p = 0; p < f->n_plans; p++) {
        if (p) ob__text_puts(out, " or ");
        put_shape(out, is_input ? f->plans[p].inputs[i] : f->plans[p].outputs[i]);
    }
    ob__text_puts(out, " */\n");
}

static uint32_t count_sizes(const files *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->e.session->n_inputs; i++) n += (uint32_t)f->plans[0].inputs[i]->rank;
    return n;
}

static uint64_t most_bytes(const files *f, bool is_input, uint32_t i) {
    uint64_t most = 0;
    for (size_t p = 0; p < f->n_plans; p++) {
        const uint64_t n = bytes_of(is_input ? f->plans[p].inputs[i] : f->plans[p].outputs[i]);
        most = n > most ? n : most;
    }
    return most;
}

static uint32_t arena_align(void) {
    return ob__kernels_level() ? OB_ALIGNMENT : 16;
}

static void write_header(files *f) {
    ob_text *h = &f->header;
    const char *name = f->e.options->name;
    const ob_session *s = f->e.session;
    const uint32_t n_outputs = s->model->graph->n_outputs;
    ob__text_puts(h, "/* A model as C. Written by onnx-broadcast; do not edit. */\n#ifndef ");
    put_upper(h, name);
    ob__text_puts(h, "_EMITTED_H\n#define ");
    put_upper(h, name);
    ob__text_printf(
        h,
        "_EMITTED_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/* Bytes of the work memory, and their alignment. */\n#define %s_ARENA_BYTES %llu\n#define %s_ARENA_ALIGN %u\n"
        "/* Sets of sizes that are planned. */\n#define %s_PLANS %zu\n"
        "/* Sizes of all inputs, one after the other, that %s_admits takes. */\n#define %s_SIZES %u\n",
        name, (unsigned long long)f->e.arena_bytes, name, arena_align(), name, f->n_plans, name, name, count_sizes(f));
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < (side ? n_outputs : s->n_inputs); i++)
            ob__text_printf(h, "#define %s_%s_%u_BYTES %llu\n", name, side ? "OUTPUT" : "INPUT", i,
                            (unsigned long long)most_bytes(f, side == 0, i));
    ob__text_puts(h, "\n/* Contiguous elements. An output may not overlap an input. */\n");
    ob__text_printf(h, "typedef struct %s_inputs {\n", name);
    for (uint32_t i = 0; i < s->n_inputs; i++) put_member(h, f, "input", i, true);
    if (s->n_inputs == 0) ob__text_puts(h, "    const void *none;\n");
    ob__text_printf(h, "} %s_inputs;\ntypedef struct %s_outputs {\n", name, name);
    for (uint32_t i = 0; i < n_outputs; i++) put_member(h, f, "output", i, false);
    ob__text_printf(h, "} %s_outputs;\n\n", name);
    ob__text_printf(
        h,
        "/* The plan for these sizes of the inputs, 0 .. %s_PLANS - 1; -1: none. */\n"
        "int %s_admits(const int64_t *sizes);\n"
        "/* Computes the outputs with that plan. arena: %s_ARENA_BYTES, aligned to %s_ARENA_ALIGN; its contents do not matter\n"
        " * before and after. Returns 0, or an error of the model's operators that depends on elements, such as an index\n"
        " * outside its axis. Reentrant: all state is in the arena. */\n"
        "int %s_run_plan(int plan, const %s_inputs *inputs, const %s_outputs *outputs, void *arena);\n"
        "/* The same with plan 0. */\n"
        "int %s_run(const %s_inputs *inputs, const %s_outputs *outputs, void *arena);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
        name, name, name, name, name, name, name, name, name, name);
}

/* ---- NAME.c ---- */

static void put_pointers(ob_text *c, const char *what, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) ob__text_printf(c, "%s%ss->%s%u", i ? ", " : "", what, what, i);
    if (n == 0) ob__text_puts(c, "0");
}

static void write_admits(files *f) {
    ob_text *c = &f->source;
    const char *name = f->e.options->name;
    const uint32_t n = count_sizes(f);
    ob__text_printf(c, "static const int32_t %s_admitted[%zu][%u] = {\n", name, f->n_plans, n ? n : 1);
    for (size_t p = 0; p < f->n_plans; p++) {
        ob__text_puts(c, "    {");
        for (uint32_t i = 0; i < f->e.session->n_inputs; i++)
            for (int32_t a = 0; a < f->plans[p].inputs[i]->rank; a++)
                ob__text_printf(c, "%lld, ", (long long)f->plans[p].inputs[i]->sizes[a]);
        ob__text_puts(c, n ? "},\n" : "0},\n");
    }
    ob__text_printf(c,
                    "};\n\nint %s_admits(const int64_t *sizes) {\n"
                    "    for (int plan = 0; plan < %s_PLANS; plan++) {\n"
                    "        int i = 0;\n"
                    "        while (i < %s_SIZES && sizes[i] == %s_admitted[plan][i]) i++;\n"
                    "        if (i == %s_SIZES) return plan;\n"
                    "    }\n    return -1;\n}\n\n",
                    name, name, name, name, name);
}

static void write_source(files *f) {
    ob_text *c = &f->source;
    ob_emitter *e = &f->e;
    const char *name = e->options->name;
    ob__text_append(c, e->functions.data ? e->functions.data : "", e->functions.n);
    ob__text_append(c, e->objects.data ? e->objects.data : "", e->objects.n);
    ob__text_printf(c, "static const void *const %s_constants[%u] = {", name, e->n_constants ? e->n_constants : 1);
    for (uint32_t i = 0; i < e->n_constants; i++) ob__text_printf(c, "%s%s_c%u", i ? ", " : "", name, i);
    ob__text_puts(c, e->n_constants ? "};\n" : "0};\n");
    ob__text_append(c, e->plans.data ? e->plans.data : "", e->plans.n);
    write_admits(f);
    ob__text_printf(c,
                    "int %s_run_plan(int plan, const %s_inputs *inputs, const %s_outputs *outputs, void *arena) {\n"
                    "    static const ob_ahead_plan *const plans[%s_PLANS] = {",
                    name, name, name, name);
    for (size_t p = 0; p < f->n_plans; p++) ob__text_printf(c, "%s&%s_plan%zu", p ? ", " : "", name, p);
    ob__text_printf(c, "};\n    ob_view views[%u];\n    char *bases[%u];\n", e->most_views ? e->most_views : 1,
                    e->most_places ? e->most_places : 1);
    ob__text_printf(c, "    if (plan < 0 || plan >= %s_PLANS || !inputs || !outputs) return OB_E_ARGUMENT;\n", name);
    ob__text_puts(c, "    const void *const in[] = {");
    put_pointers(c, "input", e->session->n_inputs);
    ob__text_puts(c, "};\n    void *const out[] = {");
    put_pointers(c, "output", e->session->model->graph->n_outputs);
    ob__text_printf(c,
                    "};\n    return (int)ob_ahead_run(plans[plan], in, out, arena, views, bases);\n}\n\n"
                    "int %s_run(const %s_inputs *inputs, const %s_outputs *outputs, void *arena) {\n"
                    "    return %s_run_plan(0, inputs, outputs, arena);\n}\n",
                    name, name, name, name);
}

static void begin_source(files *f) {
    ob__text_printf(&f->source,
                    "/* A model as C. Written by onnx-broadcast; do not edit. */\n#include \"%s.h\"\n\n#include <stddef.h>\n\n"
                    "#include \"onnx_broadcast/ahead.h\"\n\n"
                    "#if OB_AHEAD_FORM != %d\n#error \"this file was written by another release of onnx-broadcast\"\n#endif\n",
                    f->e.options->name, OB_AHEAD_FORM);
}

/* ---- The example ---- */

static void write_example(files *f) {
    ob_text *m = &f->example;
    const char *name = f->e.options->name;
    const uint32_t n_inputs = f->e.session->n_inputs, n_outputs = f->e.session->model->graph->n_outputs;
    ob__text_printf(m,
                    "/* Runs the model once on inputs of zeros. */\n#include <stdio.h>\n\n#include \"%s.h\"\n\n"
                    "static _Alignas(%s_ARENA_ALIGN) unsigned char arena[%s_ARENA_BYTES + 1];\n",
                    name, name, name);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < (side ? n_outputs : n_inputs); i++)
            ob__text_printf(m, "static _Alignas(16) unsigned char %s%u[%s_%s_%u_BYTES + 1];\n", side ? "output" : "input", i,
                            name, side ? "OUTPUT" : "INPUT", i);
    ob__text_printf(m, "\nint main(void) {\n    const %s_inputs inputs = {", name);
    for (uint32_t i = 0; i < n_inputs; i++) ob__text_printf(m, "%s(const void *)input%u", i ? ", " : "", i);
    ob__text_printf(m, "%s};\n    const %s_outputs outputs = {", n_inputs ? "" : "0", name);
    for (uint32_t i = 0; i < n_outputs; i++) ob__text_printf(m, "%s(void *)output%u", i ? ", " : "", i);
    ob__text_printf(m,
                    "};\n    const int status = %s_run(&inputs, &outputs, arena);\n"
                    "    printf(\"status %%d\\n\", status);\n    return status != 0;\n}\n",
                    name);
}

static void write_cmake(files *f) {
    const char *name = f->e.options->name;
    const bool has_binary = f->binary.n > 0;
    ob__text_printf(
        &f->cmake,
        "cmake_minimum_required(VERSION 3.16)\nproject(%s LANGUAGES C%s)\n\n"
        "# The kernels: an installed package, or this project's source in ONNX_BROADCAST_SOURCE, built for the target.\n"
        "if(ONNX_BROADCAST_SOURCE)\n"
        "  set(OB_WITH_PROTOBUF OFF CACHE BOOL \"\")\n"
        "  add_subdirectory(${ONNX_BROADCAST_SOURCE} onnx_broadcast EXCLUDE_FROM_ALL)\n"
        "else()\n  find_package(onnx_broadcast REQUIRED)\nendif()\n\n"
        "add_library(%s STATIC %s.c%s%s%s)\n"
        "target_include_directories(%s PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
        "target_link_libraries(%s PUBLIC onnx_broadcast::ahead)\n",
        name, has_binary ? " ASM" : "", name, name, has_binary ? " " : "", has_binary ? name : "", has_binary ? "_weights.S" : "",
        name, name);
    if (has_binary)
        ob__text_printf(
            &f->cmake,
            "set_source_files_properties(%s_weights.S PROPERTIES OBJECT_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/%s_weights.bin\n"
            "                            COMPILE_OPTIONS \"-I${CMAKE_CURRENT_SOURCE_DIR}\")\n",
            name, name);
    ob__text_printf(&f->cmake, "\nadd_executable(%s_main %s_main.c)\ntarget_link_libraries(%s_main PRIVATE %s)\n", name, name,
                    name, name);
}

/* ---- The whole ---- */

static ob_status note_signature(files *f, const ob_plan *plan, signature *out) {
    const ob_session *s = f->e.session;
    out->inputs = plan->inputs;
    out->outputs = OB_ARENA_ARRAY(&f->e.arena, const ob_layout *, s->model->graph->n_outputs + 1);
    OB_FAIL_IF(!out->outputs, f->e.error, OB_E_MEMORY, "no memory for the text");
    for (uint32_t i = 0; i < s->model->graph->n_outputs; i++) out->outputs[i] = plan->outputs[i].slot->layout;
    return OB_OK;
}

static ob_status write_plans(files *f, const ob_view *inputs, size_t n_inputs) {
    ob_session *s = f->e.session;
    for (size_t p = 0; p < f->n_plans; p++) {
        OB_TRY(ob_session_prepare(s, inputs + p * n_inputs, n_inputs, f->e.error));
        OB_TRY(ob__emit_plan(&f->e, s->current, (uint32_t)p));
        OB_TRY(note_signature(f, s->current, &f->plans[p]));
    }
    begin_source(f);
    OB_TRY(ob__emit_weights(&f->e, &f->source, &f->binary, &f->assembly));
    write_header(f);
    write_source(f);
    write_example(f);
    write_cmake(f);
    return OB_OK;
}

static ob_status send(files *f, ob_emit_write write, void *context) {
    const struct {
        const char *suffix;
        const ob_text *text;
    } all[] = {{".h", &f->header}, {".c", &f->source},           {"_main.c", &f->example},
               {NULL, &f->cmake},  {"_weights.bin", &f->binary}, {"_weights.S", &f->assembly}};
    const size_t n = sizeof all / sizeof *all;
    bool failed = f->e.functions.failed || f->e.objects.failed || f->e.plans.failed;
    for (size_t i = 0; i < n; i++) failed |= all[i].text->failed;
    OB_FAIL_IF(failed, f->e.error, OB_E_MEMORY, "no memory for the text");
    for (size_t i = 0; i < n; i++) {
        char file[MOST_NAME + 20];
        if (!all[i].text->n) continue;
        if (all[i].suffix)
            ob__sentence(file, sizeof file, "%s%s", f->e.options->name, all[i].suffix);
        else
            ob__sentence(file, sizeof file, "CMakeLists.txt");
        OB_FAIL_IF(!write(context, file, all[i].text->data, all[i].text->n), f->e.error, OB_E_IO, "%s cannot be written", file);
    }
    return OB_OK;
}

ob_status ob_session_emit(ob_session *session, const ob_view *inputs, size_t n_inputs, size_t n_plans,
                          const ob_emit_options *options, ob_emit_write write, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || !options || !write || (n_inputs && !inputs), error, OB_E_ARGUMENT, "a NULL argument");
    OB_TRY(check_options(session, n_inputs, n_plans, options, error));
    ob_arena arena;
    ob__arena_init(&arena, &session->allocator);
    files *f = OB_ARENA_NEW(&arena, files);
    if (!f) {
        ob__arena_release(&arena);
        return ob__fail(error, OB_E_MEMORY, "no memory for the text");
    }
    ob_error own;
    ob_error_clear(&own);
    f->n_plans = n_plans;
    f->e = (ob_emitter){.session = session, .options = options, .error = &own};
    f->e.constants_end = &f->e.constants;
    ob__arena_init(&f->e.arena, &session->allocator);
    ob__map_init(&f->e.declared, &f->e.arena);
    ob_text *texts[] = {&f->header,   &f->source,      &f->example,   &f->cmake,  &f->binary,
                        &f->assembly, &f->e.functions, &f->e.objects, &f->e.plans};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ob__text_init(texts[i], &session->allocator);
    ob_status status = write_plans(f, inputs, n_inputs);
    if (status == OB_OK) status = send(f, write, context);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ob__text_release(texts[i]);
    ob__arena_release(&f->e.arena);
    ob__arena_release(&arena);
    if (status != OB_OK && error) *error = own;
    return status;
}
