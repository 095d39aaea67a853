/* usage: op_rows. Writes the operator table for tests/op_rows.py, a line for each row: domain, name, opset, least and most inputs
 * and outputs (-1: unbounded), whether deprecated; then, each after '|', the formal inputs, '>', the formal outputs: ? optional,
 * * variadic of one type, ~ of several; the letter of the type; ':'; the types; then a tab and, each after '|', the attributes:
 * name,
 * ':', number of the type, ':', "needed", "open" or '=' and the default. */
#include <stdio.h>
#include <string.h>

#include "ops/table/attributes.h"
#include "ops/table/op.h"

static void print_types(ob_types types) {
    const char *comma = "";
    for (int i = 1; i < OB_DTYPE_COUNT; i++)
        if (types >> i & 1) printf("%s%s", comma, ob_dtype_name((ob_dtype)i)), comma = ",";
    if (types & OB_T_SEQUENCE) printf("%sseq", comma), comma = ",";
    if (types & OB_T_OPTIONAL) printf("%soptional", comma), comma = ",";
    if (types & OB_T_MAP) printf("%smap", comma);
}

static void print_attribute(const ob_op_attribute *a) {
    printf("|%s:%d:%s", a->name, (int)a->type, a->needed ? "needed" : a->has_default ? "=" : "open");
    if (!a->has_default) return;
    if (a->type == OB_ATTR_INT) printf("%lld", (long long)a->i);
    if (a->type == OB_ATTR_FLOAT) printf("%.9g", (double)a->f);
    if (a->type == OB_ATTR_STRING) printf("%s", a->text);
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->type == OB_ATTR_INTS) printf("%s%lld", i ? "," : "", (long long)((const int64_t *)a->list)[i]);
        if (a->type == OB_ATTR_STRINGS) printf("%s%s", i ? "," : "", ((const char *const *)a->list)[i]);
    }
}

int main(void) {
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        printf("%s\t%s\t%d\t%d %d %d %d %d\t", op->domain[0] ? op->domain : "ai.onnx", op->name, op->since, op->in_min,
               op->in_max == INT16_MAX ? -1 : op->in_max, op->out_min, op->out_max == INT16_MAX ? -1 : op->out_max,
               op->deprecated);
        bool outputs = false;
        uint32_t at = 0;
        for (const char *s = op->signature; *s; s++) {
            if (*s == '>') {
                outputs = true;
                at = 0;
                printf(">");
                continue;
            }
            printf("|");
            char letter = *s;
            for (; s[1] && strchr("?*~", s[1]); s++) putchar(s[1]);
            if (letter >= 'A' && letter <= 'Z') putchar(letter);
            putchar(':');
            if (letter == '.')
                printf("any");
            else
                print_types(outputs ? ob__op_output_types(op, at) : ob__op_input_types(op, at));
            at++;
        }
        putchar('\t');
        for (const ob_op_attribute *a = op->attributes; a->name; a++) print_attribute(a);
        putchar('\n');
    }
    return 0;
}
