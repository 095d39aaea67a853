// The header as C++: an operator with a list attribute, a template for its types, and a table freed in release.
#include <onnx_broadcast/operator.h>

#include <new>
#include <vector>

namespace {

using table = std::vector<double>;

// Output: polynomial of x with the coefficients of attribute `c`.
ob_status plan(ob_operator_call *call) {
    size_t n = 0;
    const float *c = call->host->attribute_reals(call, "c", &n);
    table *t = new (std::nothrow) table(c, c + n);
    if (!t) return OB_E_MEMORY;
    *static_cast<table **>(call->state) = t;
    return OB_OK;
}

void release(ob_operator_call *call) {
    delete *static_cast<table **>(call->state);
}

template <typename T> void loop(char *const *at, const int64_t *strides, int64_t n, const void *parameters) {
    const table &c = *static_cast<const table *>(parameters);
    for (int64_t i = 0; i < n; i++) {
        double x = static_cast<double>(*reinterpret_cast<const T *>(at[0] + i * strides[0])), sum = 0;
        for (auto k = c.rbegin(); k != c.rend(); ++k) sum = sum * x + *k;
        *reinterpret_cast<T *>(at[1] + i * strides[1]) = static_cast<T>(sum);
    }
}

ob_status run(ob_operator_call *call) {
    ob_loop chosen = call->inputs[0].dtype == OB_FLOAT ? loop<float> : loop<double>;
    return call->host->for_each(call, call->inputs, 1, call->outputs, 1, chosen, *static_cast<table **>(call->state));
}

const float identity[] = {0, 1};
const ob_operator_attribute attributes[] = {
    {"c", OB_ATTRIBUTE_REALS, false, 0, 0, nullptr, identity, 2},
};

const ob_operator rows[] = {
    {sizeof(ob_operator), "test.cpp", "Polynomial", 1, "T>T", {OB_OPERATOR_TYPE(OB_FLOAT) | OB_OPERATOR_TYPE(OB_DOUBLE), 0, 0, 0},
     attributes, 1, OB_OPERATOR_BROADCASTS | OB_OPERATOR_STRIDED | OB_OPERATOR_IN_PLACE, sizeof(table *), nullptr, nullptr,
     plan, run, release},
};

const ob_operator_library library = {OB_OPERATOR_ABI, sizeof(ob_operator_library), "plain_cpp", "1.0", rows, 1};

} // namespace

OB_OPERATOR_EXPORT const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi) {
    return host_abi == OB_OPERATOR_ABI ? &library : nullptr;
}
