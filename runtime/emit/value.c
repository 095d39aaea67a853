/* Values of described structs as C: a struct with members of the same types, and its initializer. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "kernels/kernels.h"
#include "kernels/names.h"
#include "ops/kernel/functions.h"
#include "passes/check/names.h"
#include "runtime/emit/emitter.h"

ob_status ob__emit_refuse(ob_emitter *e, const char *format, ...) {
    char text[300];
    va_list list;
    va_start(list, format);
    ob__vsentence(text, sizeof text, format, list);
    va_end(list);
    if (e->node) ob__at_node(e->error, e->node, OB_E_UNSUPPORTED);
    return ob__fail(e->error, OB_E_UNSUPPORTED, "cannot be written as C: %s", text);
}

const char *ob__emit_printf(ob_emitter *e, const char *format, ...) {
    char text[300];
    va_list list;
    va_start(list, format);
    const size_t n = ob__vsentence(text, sizeof text, format, list);
    va_end(list);
    return ob__arena_strndup(&e->arena, text, n);
}

/* ---- Numbers ---- */

uint64_t ob__read_number(const void *at, uint32_t width) {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (width) {
    case 1: return memcpy(&one, at, 1), one;
    case 2: return memcpy(&two, at, 2), two;
    case 4: return memcpy(&four, at, 4), four;
    default: return memcpy(&eight, at, 8), eight;
    }
}

static void put_number(ob_text *out, const void *at, uint32_t width, bool is_signed) {
    const uint64_t bits = ob__read_number(at, width);
    const unsigned shift = 64 - 8 * width;
    const int64_t value = (int64_t)(bits << shift) >> shift;
    if (!is_signed || value >= 0)
        ob__text_printf(out,
                        width == 8                       ? (is_signed ? "INT64_C(%llu)" : "UINT64_C(%llu)")
                        : width == 4 && bits > INT32_MAX ? "%lluu"
                                                         : "%llu",
                        (unsigned long long)bits);
    else if (value == INT64_MIN)
        ob__text_puts(out, "INT64_MIN");
    else if (value == INT32_MIN && width == 4)
        ob__text_puts(out, "INT32_MIN");
    else
        ob__text_printf(out, width == 8 ? "-INT64_C(%llu)" : "-%llu", (unsigned long long)-(uint64_t)value);
}

void ob__emit_numbers(ob_text *out, const void *at, uint64_t n, uint32_t width, bool is_signed) {
    for (uint64_t i = 0; i < n; i++) {
        ob__text_puts(out, i % 16 ? " " : "\n    ");
        put_number(out, (const char *)at + i * width, width, is_signed);
        ob__text_puts(out, ",");
    }
}

static const char *number_type(ob_emitter *e, uint32_t width, bool is_signed) {
    return ob__emit_printf(e, "%sint%u_t", is_signed ? "" : "u", 8 * width);
}

/* ---- Objects ---- */

static const ob_emitted *find(const ob_emitter *e, const void *at, const ob_struct *type, uint64_t n_bytes) {
    for (const ob_emitted *o = e->emitted; o; o = o->next)
        if (o->at == at && o->type == type && o->n_bytes == n_bytes) return o;
    return NULL;
}

/* The expression of its address: that of its first element. */
static const char *name_of(ob_emitter *e, const ob_emitted *o) {
    return ob__emit_printf(e, "%s_k%u", e->options->name, o->number);
}

static ob_emitted *add(ob_emitter *e, const void *at, const ob_struct *type, uint64_t n_bytes) {
    ob_emitted *o = OB_ARENA_NEW(&e->arena, ob_emitted);
    if (!o) return NULL;
    *o = (ob_emitted){at, type, n_bytes, e->n_objects++, e->emitted};
    e->emitted = o;
    return o;
}

static const char *no_memory(ob_emitter *e) {
    ob__fail(e->error, OB_E_MEMORY, "no memory for the text");
    return NULL;
}

static const char *emit_numbers(ob_emitter *e, const void *at, uint64_t n, uint32_t width, bool is_signed) {
    const ob_emitted *known = find(e, at, NULL, n * width);
    if (n == 0) return "0";
    if (!known) {
        known = add(e, at, NULL, n * width);
        if (!known) return no_memory(e);
        ob__text_printf(&e->objects, "static const %s %s_k%u[%llu] = {", number_type(e, width, is_signed), e->options->name,
                        known->number, (unsigned long long)n);
        ob__emit_numbers(&e->objects, at, n, width, is_signed);
        ob__text_puts(&e->objects, "};\n");
    }
    return name_of(e, known);
}

void ob__emit_declaration(ob_emitter *e, const char *name, bool is_run) {
    const ob_map_entry *known = ob__map_find(&e->declared, name, strlen(name));
    if (known) return;
    if (!ob__map_insert(&e->declared, name, strlen(name))) e->functions.failed = true;
    ob__text_printf(&e->functions, "%s %s(%s);\n", is_run ? "ob_status" : "void", name,
                    is_run ? "const struct ob_kernel_args *args, ob_error *error" : "void");
}

const char *ob__emit_function(ob_emitter *e, const char *what, void (*function)(void)) {
    bool is_run = false;
    if (!function) return "0";
    const char *level, *name = obk_loop_name(function, &level), *own = name ? NULL : ob__own_function_name(function, &is_run);
    if (name)
        name = ob__emit_printf(e, level ? "obk_%s__%s" : "obk_%s", name, level);
    else
        name = own;
    if (!name) {
        ob__emit_refuse(e, "its function `%s` has no name", what);
        return NULL;
    }
    ob__emit_declaration(e, name, is_run);
    return is_run ? ob__emit_printf(e, "(void (*)(void))%s", name) : name;
}

static const void *pointer_at(const void *at) {
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

static const char *emit_element(ob_emitter *e, const void *at, uint64_t n_bytes) {
    if (n_bytes == 1 || n_bytes == 2 || n_bytes == 4 || n_bytes == 8) return emit_numbers(e, at, 1, (uint32_t)n_bytes, false);
    ob__emit_refuse(e, "an element of %llu bytes", (unsigned long long)n_bytes);
    return NULL;
}

static const char *emit_table(ob_emitter *e, const ob_member *member, const void *owner, const void *const *rows) {
    const uint64_t n = (uint64_t)member->count(owner, 0);
    const char **names = OB_ARENA_ARRAY(&e->arena, const char *, n);
    if (!names) return no_memory(e);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = emit_numbers(e, rows[i], (uint64_t)member->each(owner, i), member->size, member->target == OB_MEMBER_SIGNED);
        if (!names[i]) return NULL;
    }
    const ob_emitted *o = add(e, rows, NULL, n * sizeof *rows);
    if (!o) return no_memory(e);
    ob__text_printf(&e->objects, "static const void *const %s_k%u[%llu] = {", e->options->name, o->number, (unsigned long long)n);
    for (uint32_t i = 0; i < n; i++) ob__text_printf(&e->objects, "%s%s", i ? ", " : "", names[i]);
    ob__text_puts(&e->objects, "};\n");
    return name_of(e, o);
}

/* The expression of a member that is one address. next: the member behind it. */
static const char *emit_pointer(ob_emitter *e, const ob_member *member, const ob_member *next, const void *owner, uint32_t i) {
    const char *at = (const char *)owner + member->offset;
    const void *to = pointer_at(at + (size_t)i * sizeof to);
    if (!to) return "0";
    switch ((ob_member_kind)member->kind) {
    case OB_MEMBER_POINTER: return ob__emit_struct(e, member->type, to, member->count ? (uint64_t)member->count(owner, i) : 1);
    case OB_MEMBER_NUMBERS:
        return emit_numbers(e, to, (uint64_t)member->count(owner, i), member->size, member->target == OB_MEMBER_SIGNED);
    case OB_MEMBER_ANY_NUMBERS: {
        const int64_t width = member->each(owner, i);
        if (width > 0) return emit_numbers(e, to, (uint64_t)member->count(owner, i), (uint32_t)width, false);
        ob__emit_refuse(e, "it keeps `%s`", member->name);
        return NULL;
    }
    case OB_MEMBER_TABLE: return emit_table(e, member, owner, to);
    case OB_MEMBER_ELEMENT: return emit_element(e, to, (uint64_t)member->count(owner, i));
    case OB_MEMBER_PARAMS: {
        const ob_struct *type = pointer_at((const char *)owner + next->offset);
        if (type) return ob__emit_struct(e, type, to, 1);
        ob__emit_refuse(e, "`%s` has no description", member->name);
        return NULL;
    }
    default: ob__emit_refuse(e, "it keeps `%s`", member->name); return NULL;
    }
}

/* ---- Structs ---- */

static uint64_t rest_count(const ob_member *member, const void *owner) {
    return (uint64_t)member->count(owner, 0);
}

static void put_name(ob_text *out, const char *name) {
    for (; *name; name++) ob__text_append(out, *name == '.' ? "_" : name, 1);
}

static void put_type(ob_text *out, const ob_struct *type, const void *value);

static void put_member_type(ob_text *out, const ob_member *member, const void *owner) {
    uint64_t n = member->n;
    switch ((ob_member_kind)member->kind) {
    case OB_MEMBER_SIGNED: ob__text_printf(out, "int%u_t ", 8u * member->size); break;
    case OB_MEMBER_UNSIGNED:
    case OB_MEMBER_REAL: ob__text_printf(out, "uint%u_t ", 8u * member->size); break;
    case OB_MEMBER_SIZE: ob__text_puts(out, "size_t "); break;
    case OB_MEMBER_FUNCTION: ob__text_puts(out, "void (*"); break;
    case OB_MEMBER_REST:
        n = rest_count(member, owner);
        put_type(out, member->type, (const char *)owner + member->offset);
        break;
    case OB_MEMBER_STRUCT: put_type(out, member->type, (const char *)owner + member->offset); break;
    case OB_MEMBER_UNREAD_TO_END: return;
    default: ob__text_puts(out, "const void *");
    }
    put_name(out, member->name);
    if (n != 1 || member->kind == OB_MEMBER_REST) ob__text_printf(out, "[%llu]", (unsigned long long)n);
    ob__text_puts(out, member->kind == OB_MEMBER_FUNCTION ? ")(void); " : "; ");
}

static void put_type(ob_text *out, const ob_struct *type, const void *value) {
    ob__text_puts(out, "struct { ");
    for (uint32_t i = 0; i < type->n_members; i++) put_member_type(out, &type->members[i], value);
    ob__text_puts(out, "} ");
}

static bool put_value(ob_emitter *e, ob_text *out, const ob_struct *type, const void *value);

static bool put_values(ob_emitter *e, ob_text *out, const ob_struct *type, const char *values, uint64_t n) {
    ob__text_puts(out, "{");
    for (uint64_t i = 0; i < n; i++) {
        if (i) ob__text_puts(out, ", ");
        if (!put_value(e, out, type, values + i * type->n_bytes)) return false;
    }
    ob__text_puts(out, "}");
    return true;
}

static bool put_one(ob_emitter *e, ob_text *out, const ob_member *member, const ob_member *next, const void *owner, uint32_t i) {
    const char *at = (const char *)owner + member->offset + (size_t)i * member->size, *expression = "0";
    void (*function)(void);
    size_t size;
    switch ((ob_member_kind)member->kind) {
    case OB_MEMBER_SIGNED: put_number(out, at, member->size, true); return true;
    case OB_MEMBER_UNSIGNED:
    case OB_MEMBER_REAL: put_number(out, at, member->size, false); return true;
    case OB_MEMBER_SIZE:
        memcpy(&size, at, sizeof size);
        ob__text_printf(out, "%zuu", size);
        if (size <= UINT32_MAX) return true;
        ob__fail(e->error, OB_E_LIMIT, "`%s` has %zu bytes: written plans have less than 4 GiB", member->name, size);
        return false;
    case OB_MEMBER_STRUCT: return put_value(e, out, member->type, at);
    case OB_MEMBER_FUNCTION:
        if (member->count && !member->count(owner, i)) break;
        memcpy(&function, at, sizeof function);
        expression = ob__emit_function(e, member->name, function);
        break;
    case OB_MEMBER_TYPE:
    case OB_MEMBER_UNREAD: break;
    default: expression = emit_pointer(e, member, next, owner, i);
    }
    if (expression) ob__text_puts(out, expression);
    return expression != NULL;
}

static bool put_value(ob_emitter *e, ob_text *out, const ob_struct *type, const void *value) {
    ob__text_puts(out, "{");
    for (uint32_t i = 0; i < type->n_members; i++) {
        const ob_member *member = &type->members[i], *next = member + 1;
        if (member->kind == OB_MEMBER_UNREAD_TO_END) break;
        if (i) ob__text_puts(out, ", ");
        if (member->kind == OB_MEMBER_REST) {
            if (!put_values(e, out, member->type, (const char *)value + member->offset, rest_count(member, value))) return false;
            continue;
        }
        if (member->n > 1) ob__text_puts(out, "{");
        for (uint32_t k = 0; k < member->n; k++) {
            if (k) ob__text_puts(out, ", ");
            if (!put_one(e, out, member, next, value, k)) return false;
        }
        if (member->n > 1) ob__text_puts(out, "}");
    }
    ob__text_puts(out, "}");
    return true;
}

const char *ob__emit_struct(ob_emitter *e, const ob_struct *type, const void *at, uint64_t count) {
    if (!at || count == 0) return "0";
    const ob_emitted *known = find(e, at, type, count * type->n_bytes);
    if (known) return name_of(e, known);
    ob_text text; /* apart from the objects that it points to, which come first */
    ob__text_init(&text, &e->arena.allocator);
    const bool done = put_values(e, &text, type, at, count);
    const ob_emitted *o = done ? add(e, at, type, count * type->n_bytes) : NULL;
    if (o) {
        ob__text_printf(&e->objects, "/* %s */\nstatic const ", type->name);
        put_type(&e->objects, type, at);
        ob__text_printf(&e->objects, "%s_k%u[%llu] = ", e->options->name, o->number, (unsigned long long)count);
        ob__text_append(&e->objects, text.data ? text.data : "", text.n);
        ob__text_puts(&e->objects, ";\n");
    }
    const bool failed = text.failed || (done && !o);
    ob__text_release(&text);
    if (failed) return no_memory(e);
    return o ? name_of(e, o) : NULL;
}
