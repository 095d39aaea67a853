/* Writes the initial inputs of fuzzing: fuzz_seeds FOLDER makes FOLDER/model (protobuf), /text, /format, /contract, /baseline,
 * /tensor, /tensor_set, /cell, /image and /plugin, out of the samples of the operators (samples.h), the models and tensors that
 * the machine has (corpus.h) and the cases of tests/graphs. */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "tests/corpus.h"
#include "tests/image_files.h"
#include "tests/samples.h"
#include "tests/variants.h"
#include "tests/zip_file.h"

enum { MAX_MODEL = 8 << 10, MAX_TENSOR = 2 << 10, MAX_TEXT = 8 << 10, MAX_FORMAT = 2 << 10 };

static const char *folder;
static size_t n_written;

static void put(const char *kind, const void *bytes, size_t n) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%016llx", folder, kind, (unsigned long long)fuzz_hash(bytes, n)); /* each content once */
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    n_written++;
}

static void put_model(const ob_model *model) {
    static byte_buffer buffer;
    buffer.n = 0;
    if (ob_model_write(model, OB_FORMAT_PROTOBUF, append_bytes, &buffer, NULL) == OB_OK && buffer.n <= MAX_MODEL)
        put("model", buffer.data, buffer.n);
    buffer.n = 0;
    if (ob_model_write_text(model, 0, append_bytes, &buffer, NULL) == OB_OK && buffer.n <= MAX_TEXT)
        put("text", buffer.data, buffer.n);
    for (int format = OB_FORMAT_PROTOBUF_TEXT; format <= OB_FORMAT_JSON; format++) {
        buffer.n = 0;
        if (ob_model_write(model, (ob_model_format)format, append_bytes, &buffer, NULL) == OB_OK && buffer.n <= MAX_FORMAT)
            put("format", buffer.data, buffer.n);
    }
}

static void put_cell(ob_type_kind kind, const ob_cell *cell) {
    static char bytes[MAX_TENSOR + 1];
    const char *path = fuzz_file();
    FILE *file = ob_cell_file_write(path, NULL, kind, cell, NULL) == OB_OK ? fopen(path, "rb") : NULL;
    if (!file) return;
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    remove(path);
    if (n <= MAX_TENSOR) put("cell", bytes, n);
}

/* What a small tensor can be put into. */
static void put_cells(const ob_view *view) {
    ob_cell *tensor = NULL, *sequence = NULL, *map = NULL;
    ob_view keys;
    const int64_t numbers[] = {1, 2};
    const ob_string names[] = {{"a", 1}, {"b", 1}};
    bool by_name = view->rank % 2;
    if (ob_cell_tensor(view, NULL, &tensor, NULL) != OB_OK) return;
    const ob_cell *const two[] = {tensor, tensor};
    if (ob_view_init(&keys, by_name ? (void *)(uintptr_t)names : (void *)(uintptr_t)numbers, by_name ? OB_STRING : OB_INT64, 1,
                     (const int64_t[]){2}) == OB_OK &&
        ob_cell_sequence(OB_NONE, two, 2, NULL, &sequence, NULL) == OB_OK &&
        ob_cell_map(&keys, two, 2, NULL, &map, NULL) == OB_OK) {
        put_cell(OB_TYPE_SEQUENCE, sequence);
        put_cell(OB_TYPE_OPTIONAL, tensor);
        put_cell(OB_TYPE_OPTIONAL, sequence);
        put_cell(OB_TYPE_MAP, map);
    }
    ob_cell_close(&map);
    ob_cell_close(&sequence);
    ob_cell_close(&tensor);
}

static void put_tensor(const char *path) {
    const char *npy = fuzz_file();
    static char bytes[MAX_TENSOR + 1];
    ob_file_tensor tensor = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    if (n == 0 || n > MAX_TENSOR || ob_tensor_file_read(path, NULL, &tensor, NULL) != OB_OK) return;
    put("tensor", bytes, n);
    if (n < MAX_TENSOR / 16) put_cells(&tensor.view);
    if (ob_npy_write(npy, &tensor.view, NULL) == OB_OK && (file = fopen(npy, "rb"))) {
        n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        if (n <= MAX_TENSOR) put("tensor", bytes, n);
        remove(npy);
    }
    ob_file_tensor_release(&tensor);
}

static void visit(void *context, const char *path) {
    struct stat info;
    ob_model *model = NULL;
    ++*(size_t *)context;
    if (stat(path, &info) == 0 && info.st_size <= MAX_MODEL && ob_model_load(path, NULL, &model, NULL) == OB_OK) put_model(model);
    ob_model_close(&model);
    static const char *const tensors[] = {"input_0", "output_0"};
    for (int i = 0; i < 2; i++) {
        char tensor[2048];
        const char *slash = strrchr(path, '/');
        snprintf(tensor, sizeof tensor, "%.*s/test_data_set_0/%s.pb", (int)(slash - path), path, tensors[i]);
        put_tensor(tensor);
    }
}

/* The model between "--- input" and the next "---". */
static void put_graph_case(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[n] = '\0';
    char *begin = strstr(text, "--- input\n"), *end = begin ? strstr(begin + 4, "\n--- ") : NULL;
    if (!end) return;
    begin += strlen("--- input\n");
    ob_model *model = NULL;
    put("text", begin, (size_t)(end - begin));
    if (ob_model_load_memory(begin, (size_t)(end - begin), path, NULL, &model, NULL) == OB_OK) put_model(model);
    ob_model_close(&model);
}

static void put_graph_cases(void) {
    DIR *graphs = opendir(OB_SOURCE_DIR "/tests/graphs");
    if (!graphs) return;
    for (struct dirent *entry; (entry = readdir(graphs));) {
        char path[2048];
        snprintf(path, sizeof path, OB_SOURCE_DIR "/tests/graphs/%s", entry->d_name);
        if (strstr(entry->d_name, ".txt")) put_graph_case(path);
    }
    closedir(graphs);
}

/* Bodies in bodies, state that is kept, swapped, stacked and scanned, sizes that only the run determines. */
static void put_bodies(void) {
    static const char head[] = "<ir_version: 8, opset_import: [\"\" : 16]>\n";
    static const char *const graphs[] = {
        "g (bool c, float[3] x) => (float[3] y, float[3] z) { y, z = If (c) <then_branch = t () => (a, b) { a = Add (x, x) b = "
        "Neg (a) }, "
        "else_branch = e () => (x, k) { k = Constant <value = float[3] {7, 8, 9}> () }> }",
        "g (int64 n, bool c, float[2] x) => (float[2] y, float[2] z) { y, z = Loop (n, c, x, x) <body = b (int64 i, bool k, "
        "float[2] p, "
        "float[2] q) => (k, q, r) { r = Add (p, q) }> }",
        "g (float[2] x) => (float[2] y, float[3, 2] a, int64[3] b) { n = Constant <value = int64 {3}> () y, a, b = Loop (n, , x) "
        "<body = b "
        "(int64 i, bool k, float[2] p) => (k, q, p, i) { two = Constant <value = int64 {2}> () q = Loop (two, , p) <body = b2 "
        "(int64 i2, bool "
        "k2, float[2] r) => (k2, t) { t = Add (r, x) }> }> }",
        "g (float[2] s, float[2, 3] x) => (float[2] y, float[2, 3] a) { y, a = Scan <num_scan_inputs = 1, scan_input_axes = [1], "
        "scan_input_directions = [1], scan_output_axes = [-1], body = b (float[2] p, float[2] c) => (q, q) { q = Add (p, c) }> "
        "(s, x) }",
        "g (float[6] x) => (float[N] y) { i = NonZero (x) f = Squeeze (i) p = Gather (x, f) r = Relu (p) j = NonZero (r) h = "
        "Squeeze (j) y = "
        "Gather (r, h) }",
        "g (int64 n, float[1] x) => (float[N] y, float[M] z) { y, z = Loop (n, , x) <body = b (int64 i, bool k, float[L] p) => "
        "(k, q, s) { q = "
        "Concat <axis = 0> (p, x) s = ReduceSum <keepdims = 0> (q) }> }"};
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        char text[2048];
        int n = snprintf(text, sizeof text, "%s%s", head, graphs[i]);
        ob_model *model = NULL;
        if (ob_model_load_memory(text, (size_t)n, "body", NULL, &model, NULL) != OB_OK) {
            fprintf(stderr, "seed of bodies %zu is no model\n", i);
            exit(1);
        }
        put("text", text, (size_t)n);
        put_model(model);
        ob_model_close(&model);
    }
}

/* A node of every operator, in every version. */
static void put_samples(void) {
    read_folders(OB_SOURCE_DIR);
    for (size_t i = 0; i < ob__op_count(); i++) {
        cell_case c;
        ob_text text;
        ob_model *model = NULL;
        if (!usual_case(ob__op_at(i), &c)) continue;
        ob__text_init(&text, NULL);
        write_model(&c, &text);
        if (text.n <= MAX_TEXT) put("text", text.data, text.n);
        if (ob_model_load_memory(text.data, text.n, "sample", NULL, &model, NULL) == OB_OK) put_model(model);
        ob_model_close(&model);
        ob__text_release(&text);
    }
}

/* The plugin's target reads its bytes as choices: any will do. */
static void put_choices(void) {
    uint8_t bytes[96];
    uint64_t state = 1;
    for (int i = 0; i < 64; i++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[k] = (uint8_t)(state >> 40);
        }
        put("plugin", bytes, sizeof bytes);
    }
}

/* A file of every format, and of the kinds of each that are made easily. */
static void put_images(void) {
    static image_file f;
    static void (*const makers[])(image_file *) = {
        if_bmp,      if_ppm, if_tiff,
#ifdef OB_WITH_PNG
        if_png,
#endif
#ifdef OB_WITH_WEBP
        if_webp,
#endif
#ifdef OB_WITH_JPEG
        if_jpeg,
#endif
#ifdef OB_WITH_OPENJPEG
        if_jpeg2000,
#endif
    };
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        makers[i](&f);
        put("image", f.bytes, f.n);
    }
    put("image", "P2 # grey\n2 2 9\n1 2 3 4", 24);
    put("image", "P4 9 1 \xa0\x80", 9);
#ifdef OB_WITH_OPENJPEG
    if_jpeg2000_of(&f, OPJ_CODEC_J2K, 1, 12, true, 1);
    put("image", f.bytes, f.n);
    if_jpeg2000_of(&f, OPJ_CODEC_JP2, 3, 8, false, 2);
    put("image", f.bytes, f.n);
#endif
#ifdef OB_WITH_JPEG
    if_jpeg_of(&f, JCS_CMYK, 4, (const uint8_t[]){255, 128, 0, 128});
    put("image", f.bytes, f.n);
#endif
}

/* What each kind of clause looks like. */
static void put_contracts(void) {
    static const char *const clauses[] = {"N = M or N = 1 or M = 1",
                                          "N = M = K = 5",
                                          "1 <= N <= 512 or N = 1024",
                                          "x[0] in {1, 3, 4}",
                                          "N % 6 in {1, 5}",
                                          "(H + 1) % 32 <= 7",
                                          "N % (M - 1) = 0",
                                          "if N >= 1 and M != 2: K = 4 or K % 3 != 0",
                                          "max(1, 32*ceil(H/64)) = floor((W + 2*H)/7)",
                                          "\"a b\" >= bcast(N, M) - min(K, 2*N)",
                                          "never"};
    char text[2000];
    size_t n = (size_t)snprintf(text, sizeof text, "version: 1\nstatus: partial");
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
        char one[200];
        put("contract", one, (size_t)snprintf(one, sizeof one, "version: 1\nstatus: complete\n%s", clauses[i]));
        n += (size_t)snprintf(text + n, sizeof text - n, "\n%s", clauses[i]);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "\nleft out: 3");
    put("contract", text, n);
}

static void put_baselines(void) {
    static const char *const files[] = {
        "{\"onnx_broadcast_baseline\":1,\n\"models\":[\n]}\n",
        "{\"onnx_broadcast_baseline\":1,\n\"models\":[\n{\"model\":\"m\",\"findings\":[\n"
        "{\"id\":\"OB0401\",\"node\":\"outer\",\"operator\":\"Sub\",\"fingerprint\":\"00112233445566778899aabbccddeeff\",\"n\":1}"
        ",\n"
        "{\"id\":\"OB0101\",\"node\":\"\\u00e9\\ud83d\\ude00\\/\",\"operator\":\"\",\"fingerprint\":"
        "\"ffeeddccbbaa99887766554433221100\",\"n\":12}\n]},\n"
        "{\"model\":\"../n.onnx\",\"findings\":[]}\n]}\n"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) put("baseline", files[i], strlen(files[i]));
}

static void put_tensor_sets(void) {
    static const char *const files[] = {
        "{\"x\": [[1, 2.5], [-3e2, NaN]], \"flag\": true, \"s\": [\"a\\u00e9\\n\", \"\\ud83d\\ude00\"]}",
        "{\"a\": {\"shape\": [0, 3], \"data\": [], \"type\": \"float16\"}, \"b\": {\"data\": [1, -Infinity], \"shape\": [2]}}",
        "[[[1], [2]], [[3], [4]]]", "[]"};
    static zip_file zip;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) put("tensor_set", files[i], strlen(files[i]));
    zip_example(&zip);
    put("tensor_set", zip.bytes, zip.n);
}

int main(int argc, char **argv) {
    static const char *const kinds[] = {"",       "model", "text",  "format", "contract",  "baseline",
                                        "tensor", "cell",  "image", "plugin", "tensor_set"};
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    folder = argv[1];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, kinds[i]);
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            fprintf(stderr, "%s: %s\n", path, strerror(errno));
            return 1;
        }
    }
    put_graph_cases();
    put_bodies();
    put_samples();
    corpus_each_model(visit);
    put_contracts();
    put_baselines();
    put_choices();
    put_images();
    put_tensor_sets();
    printf("%zu seeds\n", n_written);
    return 0;
}
