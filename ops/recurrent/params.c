#include "ops/recurrent/params.h"

#include <string.h>

#include "core/base/error.h"
#include "ops/table/attributes.h"

ob_recurrent_params ob__recurrent_params(const ob_node *node, const ob_op *op) {
    const char *way = ob__attribute_text(node, "direction");
    ob_recurrent_params p = {.directions = strcmp(way, "bidirectional") == 0 ? 2 : 1,
                             .reverse = strcmp(way, "reverse") == 0,
                             .batch_first = ob__attribute_flag(node, "layout"),
                             .linear_before_reset = ob__attribute_flag(node, "linear_before_reset"),
                             .input_forget = ob__attribute_flag(node, "input_forget"),
                             .hidden = ob__attribute_int_or(node, "hidden_size", -1),
                             .clip = (double)ob__attribute_float(node, "clip")};
    p.cell = strcmp(op->name, "RNN") == 0   ? OB_RECURRENT_RNN
             : strcmp(op->name, "GRU") == 0 ? OB_RECURRENT_GRU
                                            : OB_RECURRENT_LSTM;
    p.quantized = strcmp(op->name, "DynamicQuantizeLSTM") == 0;
    p.gates = p.cell == OB_RECURRENT_RNN ? 1 : p.cell == OB_RECURRENT_GRU ? 3 : 4;
    return p;
}

static const struct {
    const char *name;
    obk_unary function;
    int n_parameters;
    double alpha, beta;
} functions[] = {
    {"relu", OBK_U_RELU, 0, 0, 0},
    {"tanh", OBK_U_TANH, 0, 0, 0},
    {"sigmoid", OBK_U_SIGMOID, 0, 0, 0},
    {"softsign", OBK_U_SOFTSIGN, 0, 0, 0},
    {"softplus", OBK_U_SOFTPLUS, 0, 0, 0},
    {"affine", OBK_U_AFFINE, 2, 1, 0},
    {"leakyrelu", OBK_U_LEAKY_RELU, 1, (double)0.01f, 0},
    {"thresholdedrelu", OBK_U_THRESHOLDED_RELU, 1, 1, 0},
    {"scaledtanh", OBK_U_SCALED_TANH, 2, 1, 1},
    {"hardsigmoid", OBK_U_HARD_SIGMOID, 2, (double)0.2f, 0.5},
    {"elu", OBK_U_ELU, 1, 1, 0},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static bool same_name(ob_string text, const char *name) {
    size_t n = strlen(name);
    if (text.n != n) return false;
    for (size_t i = 0; i < n; i++) {
        char c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name[i]) return false;
    }
    return true;
}

/* Parameters are taken from the lists in order, by the functions that have parameters. */
ob_status ob__recurrent_activations(const ob_node *node, const ob_recurrent_params *p, ob_activation activations[2][3],
                                    ob_error *error) {
    static const char *const usual[3][3] = {{"tanh"}, {"sigmoid", "tanh"}, {"sigmoid", "tanh", "tanh"}};
    const ob_attribute *names = ob__node_attribute(node, "activations");
    const ob_attribute *alphas = ob__node_attribute(node, "activation_alpha"),
                       *betas = ob__node_attribute(node, "activation_beta");
    const uint32_t per_direction = (uint32_t)p->cell + 1, n = per_direction * (uint32_t)p->directions;
    uint32_t n_alpha = 0, n_beta = 0;
    bool bad = (names && (names->type != OB_ATTR_STRINGS || names->n != n)) || (alphas && alphas->type != OB_ATTR_FLOATS) ||
               (betas && betas->type != OB_ATTR_FLOATS);
    OB_FAIL_IF(bad, error, OB_E_ARGUMENT, "activations must be %u names, activation_alpha and activation_beta numbers", n);
    for (uint32_t k = 0; k < n; k++) {
        const char *name = usual[p->cell][k % per_direction];
        size_t i = 0;
        while (i < N_FUNCTIONS &&
               !(names ? same_name(names->u.strings[k], functions[i].name) : strcmp(name, functions[i].name) == 0))
            i++;
        OB_FAIL_IF(i == N_FUNCTIONS, error, OB_E_ARGUMENT, "activation %u is \"%.*s\", which this operator does not have", k,
                   (int)names->u.strings[k].n, names->u.strings[k].data);
        ob_activation *a = &activations[k / per_direction][k % per_direction];
        *a = (ob_activation){functions[i].function, {.alpha = functions[i].alpha, .beta = functions[i].beta}};
        if (functions[i].n_parameters > 0 && alphas && n_alpha < alphas->n) a->params.alpha = (double)alphas->u.floats[n_alpha++];
        if (functions[i].n_parameters > 1 && betas && n_beta < betas->n) a->params.beta = (double)betas->u.floats[n_beta++];
    }
    return OB_OK;
}
