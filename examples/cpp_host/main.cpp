/* The library in a C++17 program: what it hands out is owned by std::unique_ptr, what fails is an exception.
 *
 *     $ c++ -std=c++17 -o cpp_host main.cpp $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./cpp_host */
#include <onnx_broadcast/onnx_broadcast.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ob {

struct failure : std::runtime_error {
    failure(ob_status status, const ob_error &error)
        : std::runtime_error(error.message[0] ? error.message : ob_status_text(status)), status(status) {}
    ob_status status;
};

// Every close function takes the address of the pointer.
template <auto close> struct closer {
    template <class T> void operator()(T *object) const {
        close(&object);
    }
};
using model = std::unique_ptr<ob_model, closer<ob_model_close>>;
using session = std::unique_ptr<ob_session, closer<ob_session_close>>;

// call([](..., &error)): runs it and throws what it reports.
template <class F> void call(F function) {
    ob_error error;
    ob_error_clear(&error);
    if (ob_status status = function(&error); status != OB_OK) throw failure(status, error);
}

model load(std::string_view text) { // the bytes must outlive the model
    ob_model *out = nullptr;
    call([&](ob_error *error) { return ob_model_load_memory(text.data(), text.size(), "text", nullptr, &out, error); });
    return model(out);
}

session open(const model &from) {
    ob_session *out = nullptr;
    call([&](ob_error *error) { return ob_session_create(from.get(), nullptr, &out, error); });
    return session(out);
}

ob_view view(std::vector<float> &elements, const std::vector<int64_t> &dims) {
    ob_view out;
    call([&](ob_error *) {
        return ob_view_init(&out, elements.data(), OB_FLOAT, static_cast<int32_t>(dims.size()), dims.data());
    });
    if (ob_view_count(&out) != static_cast<int64_t>(elements.size()))
        throw std::invalid_argument("elements do not fill the shape");
    return out;
}

} // namespace ob

static constexpr std::string_view source = R"(
<ir_version: 8, opset_import: ["" : 17]>
outer (float[rows,1] a, float[columns] b) => (float[rows,columns] y) { [product] y = Mul (a, b) }
)";

static void multiply(const ob::session &session, std::vector<float> a, std::vector<float> b, const std::vector<int64_t> &b_dims) {
    const ob_view inputs[] = {ob::view(a, {static_cast<int64_t>(a.size()), 1}), ob::view(b, b_dims)};
    ob_view y = {}; // the session provides the memory
    ob::call([&](ob_error *error) { return ob_session_run(session.get(), inputs, 2, &y, 1, error); });
    const float *elements = static_cast<const float *>(y.data);
    for (int64_t i = 0; i < ob_view_count(&y); i++) std::printf("%s%.1f", i ? " " : "", static_cast<double>(elements[i]));
    std::printf("\n");
}

int main() {
    try {
        const ob::model model = ob::load(source); // closed in reverse order: the session before its model
        const ob::session session = ob::open(model);
        multiply(session, {1, 2, 3}, {10, 0.5f}, {2});
        try {
            multiply(session, {1, 2, 3}, {1, 2, 3, 4}, {2, 2}); // the model wants one axis
        } catch (const ob::failure &refused) {
            std::printf("%s: %s\n", ob_status_text(refused.status), refused.what());
        }
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "cpp_host: %s\n", problem.what());
        return 1;
    }
    return 0;
}
