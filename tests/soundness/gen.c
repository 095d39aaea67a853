#include "gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const spelling plain_spelling = {"v", {"N", "M", "K"}, false};

/* ---- Choices and text ---- */

uint32_t draw(gen *g, uint32_t n) {
    if (g->at >= STREAM_CHOICES || n < 2) return 0;
    return g->choices->blocks[g->block][g->at++] % n;
}

int64_t draw_of(gen *g, const int64_t *numbers, uint32_t n) {
    return numbers[draw(g, n)];
}

void put(gen *g, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(g->body + g->n_body, sizeof g->body - g->n_body, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof g->body - g->n_body) abort();
    g->n_body += (size_t)n;
}

static void append(char *text, size_t n_bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t n_bytes, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text + used, n_bytes - used, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= n_bytes - used) abort();
}

/* ---- Values ---- */

value fresh(gen *g, char type, int rank) {
    value v = {.type = type, .rank = rank};
    snprintf(v.name, sizeof v.name, "%s%d", g->how->prefix, g->n_names++);
    for (int i = 0; i <= GEN_RANK; i++) v.tag[i] = TAG_OTHER;
    return v;
}

value *keep(gen *g, const value *v) {
    if (g->n_values == GEN_ROOM) abort();
    value *kept = &g->values[g->n_values++];
    *kept = *v;
    if (g->how->identities && !v->is_given && v->rank >= 0) {
        snprintf(kept->name, sizeof kept->name, "q%.10s", v->name);
        put(g, "  %s = Identity (%s)\n", kept->name, v->name);
    }
    return kept;
}

int tag_of_broadcast(int a, int b) {
    if (a == 1) return b;
    if (b == 1 || a == b) return a;
    return a > 1 ? a : b > 1 ? b : TAG_OTHER;
}

static const char *tag_text(const gen *g, int tag, char text[16]) {
    if (tag >= 0)
        snprintf(text, 16, "%d", tag);
    else
        snprintf(text, 16, "%s", tag == TAG_OTHER ? "?" : g->how->symbols[-1 - tag]);
    return text;
}

static void type_text(const gen *g, char *text, size_t n_bytes, char type, int rank, const int *tags) {
    append(text, n_bytes, "%s", type == 'f' ? "float" : type == 'i' ? "int64" : "bool");
    for (int i = 0; i < rank; i++) {
        char size[16];
        append(text, n_bytes, "%s%s%s", i ? "," : "[", tag_text(g, tags[i], size), i + 1 < rank ? "" : "]");
    }
}

static const value *new_input(gen *g, char type, int rank, const int *tags) {
    if (g->n_inputs == GEN_INPUTS || g->in_function) return NULL;
    value v = fresh(g, type, rank);
    if (rank) memcpy(v.tag, tags, (size_t)rank * sizeof *tags);
    type_text(g, g->input_text, sizeof g->input_text, type, rank, tags);
    append(g->input_text, sizeof g->input_text, " %s, ", v.name);
    v.is_given = true;
    g->inputs[g->n_inputs++] = v;
    return keep(g, &v);
}

/* Sizes of an input: symbols mostly. */
static int draw_tag(gen *g) {
    static const int numbers[] = {3, 4, 1, 2, 8, 5, 6, 0};
    uint32_t k = draw(g, 16);
    if (k < 10) return -1 - (int)(k % (uint32_t)g->n_symbols);
    if (k == 15) return TAG_OTHER;
    return numbers[draw(g, 8)];
}

static const value *draw_input(gen *g, int low, int high) {
    int tags[GEN_RANK], rank = low + (int)draw(g, (uint32_t)(high - low + 1));
    for (int i = 0; i < rank; i++) tags[i] = draw_tag(g);
    return new_input(g, 'f', rank, tags);
}

const value *weight(gen *g, int rank, const int *tags) {
    int64_t count = 1;
    bool numbers = true;
    for (int i = 0; i < rank; i++) {
        numbers &= tags[i] >= 0;
        count *= tags[i];
    }
    bool as_input = !numbers || count > 300 || draw(g, 3) == 2;
    const value *input = as_input ? new_input(g, 'f', rank, tags) : NULL;
    if (input) return input;
    value v = fresh(g, 'f', rank);
    int sizes[GEN_RANK] = {0};
    count = 1;
    for (int i = 0; i < rank; i++) count *= sizes[i] = tags[i] < 0 ? 3 : tags[i];
    char type[80] = "";
    type_text(g, type, sizeof type, 'f', rank, sizes);
    memcpy(v.tag, sizes, sizeof sizes);
    if (g->in_function || draw(g, 3) == 2) {
        put(g, "  %s = Constant <value = %s {", v.name, type);
        for (int64_t i = 0; i < count; i++) put(g, "%s1", i ? ", " : "");
        put(g, "}> ()\n");
        return keep(g, &v);
    }
    append(g->weights, sizeof g->weights, "%s%s %s = {", g->weights[0] ? ", " : "", type, v.name);
    for (int64_t i = 0; i < count; i++) append(g->weights, sizeof g->weights, "%s1", i ? ", " : "");
    append(g->weights, sizeof g->weights, "}");
    v.is_given = true;
    return keep(g, &v);
}

/* The number of the value `back` places before the newest one. */
static value *nth(gen *g, uint32_t back) {
    return &g->values[g->n_values - 1 - (int)back];
}

const value *any(gen *g, int low, int high) {
    uint32_t n = (uint32_t)(g->n_values - g->first_value), start = n ? draw(g, n) : 0;
    for (uint32_t k = 0; k < n; k++) {
        value *v = nth(g, (start + k) % n);
        if (v->type != 'f' || v->rank < low || v->rank > high) continue;
        v->is_used = true;
        return v;
    }
    const value *made = draw_input(g, low, high);
    if (made) return made;
    const int tags[GEN_RANK] = {2, 3, 4, 2};
    return weight(g, low, tags);
}

const value *any_unread(gen *g, int low, int high) {
    bool is_used[GEN_ROOM];
    const int n = g->n_values;
    for (int i = 0; i < n; i++) is_used[i] = g->values[i].is_used;
    const value *v = any(g, low, high);
    for (int i = 0; i < n; i++) g->values[i].is_used = is_used[i];
    return v;
}

static bool fits(const value *a, const value *b) {
    for (int k = 1; k <= a->rank && k <= b->rank; k++) {
        int x = a->tag[a->rank - k], y = b->tag[b->rank - k];
        if (x != y && x != 1 && y != 1 && x != TAG_OTHER && y != TAG_OTHER) return false;
    }
    return true;
}

const value *like(gen *g, const value *x) {
    uint32_t n = (uint32_t)(g->n_values - g->first_value), start = n ? draw(g, n) : 0, how = draw(g, 8);
    if (how == 7 || (how == 6 && g->n_inputs < 4)) { /* a part of x's shape, with some sizes of 1 */
        int tags[GEN_RANK], rank = x->rank ? 1 + (int)draw(g, (uint32_t)x->rank) : 0;
        for (int i = 0; i < rank; i++) {
            int tag = x->tag[x->rank - rank + i];
            tags[i] = draw(g, 3) == 2 ? 1 : tag == TAG_OTHER ? 3 : tag;
        }
        return weight(g, rank, tags);
    }
    for (uint32_t k = 0; k < n; k++) {
        value *v = nth(g, (start + k) % n);
        if (v->type != 'f' || v->rank < 0 || (how && !fits(x, v))) continue;
        v->is_used = true;
        return v;
    }
    return x;
}

const char *ints(gen *g, int n, const int64_t *elems) {
    char *name = g->names[g->next_name++ % 16];
    snprintf(name, sizeof g->names[0], "c%d", g->n_names++);
    if (!g->in_function && g->n_inputs < GEN_INPUTS && strlen(g->input_text) < 1500 && draw(g, 32) == 31) {
        g->n_inputs++; /* with a default: the caller may give others */
        append(g->input_text, sizeof g->input_text, "int64[%d] %s = {", n, name);
        for (int i = 0; i < n; i++) append(g->input_text, sizeof g->input_text, "%s%lld", i ? ", " : "", (long long)elems[i]);
        append(g->input_text, sizeof g->input_text, "}, ");
        return name;
    }
    put(g, "  %s = Constant <value = int64[%d] {", name, n);
    for (int i = 0; i < n; i++) put(g, "%s%lld", i ? ", " : "", (long long)elems[i]);
    put(g, "}> ()\n");
    return name;
}

const char *number(gen *g, int64_t element) {
    char *name = g->names[g->next_name++ % 16];
    snprintf(name, sizeof g->names[0], "c%d", g->n_names++);
    put(g, "  %s = Constant <value = int64 {%lld}> ()\n", name, (long long)element);
    return name;
}

/* ---- The model ---- */

void make_any(gen *g) {
    static const struct {
        const maker *makers;
        const uint32_t *n;
        uint32_t weight;
    } families[] = {{broadcast_makers, &n_broadcast_makers, 6}, {move_makers, &n_move_makers, 7},
                    {content_makers, &n_content_makers, 3},     {window_makers, &n_window_makers, 3},
                    {late_makers, &n_late_makers, 4},           {control_makers, &n_control_makers, 3}};
    if (g->choices->guards) {
        make_guard(g);
        return;
    }
    uint32_t at = draw(g, g->depth ? 23 : 26);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (at < families[i].weight) {
            families[i].makers[draw(g, *families[i].n)](g);
            return;
        }
        at -= families[i].weight;
    }
}

/* A claim about the shape of a value: from its known sizes, sometimes wrong on purpose. */
static void put_claim(gen *g, char *text, size_t n_bytes, const value *v) {
    uint32_t how = draw(g, 8);
    const char *type = v->type == 'f' ? "float" : v->type == 'i' ? "int64" : "bool";
    if (how < 4 || v->rank < 0) {
        append(text, n_bytes, "%s[]", type);
        return;
    }
    int tags[GEN_RANK + 1], rank = v->rank;
    memcpy(tags, v->tag, sizeof tags);
    if (how == 7 && rank) tags[draw(g, (uint32_t)rank)] = draw_tag(g);
    type_text(g, text, n_bytes, v->type, rank, tags);
}

char *gen_model(gen *g, const stream *choices, const spelling *how) {
    static const int opsets[] = {17, 17, 13, 17, 18, 21, 11, 17, 13, 14, 9, 6};
    memset(g, 0, sizeof *g);
    g->choices = choices;
    g->how = how;
    g->opset = opsets[draw(g, sizeof opsets / sizeof *opsets)];
    if (choices->guards && g->opset < 13) g->opset = 17; /* every comparison */
    g->n_symbols = 1 + (int)draw(g, 3);
    for (uint32_t i = 1 + draw(g, 3); i > 0; i--) draw_input(g, 1, GEN_RANK);
    for (g->block = 1; g->block < choices->n_blocks && g->n_values < GEN_VALUES / 2; g->block++) {
        g->at = 0;
        make_any(g);
    }
    g->block = 0;
    g->at = STREAM_CHOICES / 2;
    bool makes_any = false;
    for (int i = 0; i < g->n_values; i++) makes_any |= !g->values[i].is_given && !g->values[i].is_used;
    if (!makes_any) {
        const value *x = any(g, 0, GEN_RANK);
        value v = fresh(g, 'f', x->rank);
        memcpy(v.tag, x->tag, sizeof v.tag);
        put(g, "  %s = Identity (%s)\n", v.name, x->name);
        keep(g, &v);
    }
    size_t room = GEN_TEXT * 2, inputs = strlen(g->input_text);
    char *text = calloc(1, room);
    if (!text) abort();
    if (inputs) g->input_text[inputs - 2] = '\0';
    append(text, room, "<ir_version: 10, opset_import: [\"\" : %d, \"own\" : 1, \"onnx_broadcast\" : 1]>\ng (%s) => (", g->opset,
           g->input_text);
    int n_outputs = 0;
    for (int i = g->n_values - 1; i >= 0; i--) {
        const value *v = &g->values[i];
        if (v->is_used || v->is_given) continue;
        append(text, room, "%s", n_outputs++ ? ", " : "");
        put_claim(g, text, room, v);
        append(text, room, " %s", v->name);
    }
    append(text, room, ")\n");
    char claims[2000] = "";
    for (int i = 0; i < g->n_values; i++) {
        const value *v = &g->values[i];
        if (!v->is_used || v->rank < 0 || draw(g, 12) != 11) continue;
        if (strlen(claims) > 1800) break;
        append(claims, sizeof claims, "%s", claims[0] ? ", " : "");
        put_claim(g, claims, sizeof claims, v);
        append(claims, sizeof claims, " %s", v->name);
    }
    if (g->weights[0] || claims[0]) append(text, room, "<%s%s%s>\n", g->weights, g->weights[0] && claims[0] ? ", " : "", claims);
    append(text, room, "{\n%s}\n%s", g->body, g->function_text);
    return text;
}
