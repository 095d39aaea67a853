/* Constants of emitted plans: as numbers, which any compiler lays out, or as bytes in a file of their own. */
#include "core/base/error.h"
#include "core/base/integers.h"
#include "runtime/emit/emitter.h"

enum { CONSTANT_ALIGN = 64 };

ob_emitted_constant *ob__emit_constant(ob_emitter *e, const void *at, uint64_t n_bytes, uint32_t width) {
    const char *first = at;
    for (ob_emitted_constant *c = e->constants; c; c = c->next)
        if (c->width == width && first >= c->at && first + n_bytes <= c->at + c->n_bytes) return c;
    ob_emitted_constant *made = OB_ARENA_NEW(&e->arena, ob_emitted_constant);
    if (!made) return NULL;
    *made = (ob_emitted_constant){
        .at = at, .n_bytes = n_bytes, .width = width, .number = e->n_constants++, .offset = e->weights_bytes};
    e->weights_bytes = ob__round_up_u64(e->weights_bytes + n_bytes, CONSTANT_ALIGN);
    *e->constants_end = made;
    e->constants_end = &made->next;
    return made;
}

static void put_hexadecimal(ob_text *out, const char *at, uint64_t n, uint32_t width) {
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = ob__read_number(at + i * width, width);
        ob__text_puts(out, i % 12 ? " " : "\n    ");
        ob__text_printf(out, bits ? "0x%llx," : "0,", (unsigned long long)bits);
    }
}

static void put_numbers(const ob_emitter *e, ob_text *source) {
    const char *name = e->options->name;
    for (const ob_emitted_constant *c = e->constants; c; c = c->next) {
        ob__text_printf(source, "static const _Alignas(16) uint%u_t %s_c%u[%llu] = {", 8 * c->width, name, c->number,
                        (unsigned long long)(c->n_bytes / c->width));
        put_hexadecimal(source, c->at, c->n_bytes / c->width, c->width);
        ob__text_puts(source, "};\n");
    }
}

/* Little-endian: the first byte of a number is its lowest. */
static void put_bytes(const ob_emitter *e, ob_text *binary) {
    static const char zeros[CONSTANT_ALIGN];
    for (const ob_emitted_constant *c = e->constants; c; c = c->next) {
        ob__text_append(binary, zeros, (size_t)(c->offset - binary->n));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        ob__text_append(binary, c->at, (size_t)c->n_bytes);
#else
        for (uint64_t i = 0; i < c->n_bytes; i++)
            ob__text_append(binary, c->at + i / c->width * c->width + (c->width - 1 - i % c->width), 1);
#endif
    }
}

ob_status ob__emit_weights(ob_emitter *e, ob_text *source, ob_text *binary, ob_text *assembly) {
    enum { MOST_NUMBERS = 256 << 10 };
    const char *name = e->options->name;
    const ob_emit_weights form = e->options->weights;
    const bool numbers = form == OB_EMIT_WEIGHTS_C || (form == OB_EMIT_WEIGHTS_AUTO && e->weights_bytes <= MOST_NUMBERS);
    if (numbers || !e->constants) {
        put_numbers(e, source);
        return source->failed ? OB_E_MEMORY : OB_OK;
    }
    put_bytes(e, binary);
    ob__text_printf(assembly,
                    "    .section .rodata.%s_weights, \"a\", %%progbits\n"
                    "    .balign 64\n"
                    "    .global %s_weights\n"
                    "%s_weights:\n"
                    "    .incbin \"%s_weights.bin\"\n"
                    "    .section .note.GNU-stack, \"\", %%progbits\n",
                    name, name, name, name);
    ob__text_printf(source,
                    "#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
                    "#error \"the bytes of the weights are little-endian: emit them as C\"\n"
                    "#endif\n"
                    "extern const unsigned char %s_weights[];\n",
                    name);
    for (const ob_emitted_constant *c = e->constants; c; c = c->next)
        ob__text_printf(source, "#define %s_c%u (%s_weights + %llu)\n", name, c->number, name, (unsigned long long)c->offset);
    return source->failed || binary->failed || assembly->failed ? OB_E_MEMORY : OB_OK;
}
