/* Compares whole models in a session with ONNX Runtime: time of a run, time to create a session, peak memory of a process.
 *
 *     ort_models LIBRARY [--threads N] [--rounds R] [--milliseconds M] [--most X] [--text] [--relaxed | --plugin PLUGIN]
 *                [--dim NAME=SIZE]... MODEL...
 *
 * MODEL is a file; its inputs come from test_data_set_0/input_K.pb beside it, otherwise they are random. With --text it is a file
 * of small models, one per line: name | opset, domains with theirs | graph in ONNX's text form; lines that begin with # are
 * comments. Each model is measured in separate processes: one in which the two take turns in every round, and one for each alone,
 * for its peak memory. With several threads there is a pause between turns, so that no thread of the other side still spins.
 * With --plugin "ours" is ONNX Runtime with the fused form of the model and this project's plugin, PLUGIN.
 * Each turn begins with a run that is not measured. Times are the best of all rounds; the ratio is the median over the rounds.
 * Exit status 1 if a ratio exceeds --most (default: no limit), 2 if a model cannot be measured. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum { MAX_DIMS = 16, MAX_INPUTS = 64, MAX_ROUNDS = 201, MAX_LINES = 512, MAX_TEXT = 1 << 26 };

typedef struct settings {
    const char *library;
    int threads, rounds;
    bool relaxed;       /* our numerics */
    const char *plugin; /* NULL: ours is a session */
    ob_named_size dims[MAX_DIMS];
    size_t n_dims;
    double milliseconds, most;
    bool text;
} settings;

typedef struct figures {
    double ours, theirs, ratio;        /* a run: seconds, and the median of ours / theirs */
    double ours_create, theirs_create; /* from bytes to a session: seconds */
    long ours_kib, theirs_kib;         /* peak of a process that makes a session and runs once */
    char error[256];                   /* "": measured */
} figures;

typedef struct subject {
    const char *path;
    char *bytes;
    size_t n_bytes, n_inputs;
    ob_file_tensor files[MAX_INPUTS];
    ob_view inputs[MAX_INPUTS];
} subject;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Failures: a measuring process writes the message and ends ---- */

static figures result;
static int answer = -1; /* the pipe to the parent process */

static void answer_and_exit(void) {
    ssize_t written = write(answer, &result, sizeof result);
    _exit(written == (ssize_t)sizeof result ? 0 : 1);
}

static void give_up(const char *what, const char *why) {
    snprintf(result.error, sizeof result.error, "%s: %s", what, why);
    answer_and_exit();
}

/* ---- Models and inputs ---- */

static void read_bytes(subject *s) {
    FILE *file = fopen(s->path, "rb");
    if (!file) give_up("the model", strerror(errno));
    fseek(file, 0, SEEK_END);
    long n = ftell(file);
    rewind(file);
    s->bytes = malloc(n > 0 ? (size_t)n : 1);
    if (!s->bytes || fread(s->bytes, 1, (size_t)n, file) != (size_t)n) give_up("the model", "cannot be read");
    s->n_bytes = (size_t)n;
    fclose(file);
}

/* The model in a line of text, as bytes. */
static void read_text(subject *s, const char *line) {
    char name[256], opsets[256], *text = malloc(strlen(line) + 1024);
    int at = 0;
    ob_model *model = NULL;
    ob_error error;
    byte_buffer bytes = {0};
    if (!text || sscanf(line, " %255[^|] | %255[^|] | %n", name, opsets, &at) != 2 || at == 0)
        give_up("the line", "not name | opset | graph");
    sprintf(text, "<ir_version: 8, opset_import: [\"\" : %s]>\ng %s", opsets, line + at);
    if (ob_model_load_memory(text, strlen(text), "text", NULL, &model, &error) != OB_OK ||
        ob_model_write(model, OB_FORMAT_PROTOBUF, append_bytes, &bytes, &error) != OB_OK)
        give_up("the text", error.message);
    s->bytes = (char *)bytes.data;
    s->n_bytes = bytes.n;
    ob_model_close(&model);
    free(text);
}

/* Numbers between 0 and 1, 0 and 1 in turn for integers, words. */
static void make_up_element(ob_dtype dtype, int64_t i, char *to) {
    static const ob_string words[] = {{"the", 3}, {"Quick", 5}, {"BROWN", 5}, {"fox jumps", 9}, {"over", 4}};
    unsigned hash = (unsigned)(i * 2654435761u >> 8);
    float number = (float)(hash % 1000) / 1000;
    double wide = number;
    uint16_t half = (uint16_t)(0x3800 + hash % 1024); /* 0.5 to 1 */
    uint16_t brain = (uint16_t)(0x3f00 + hash % 128);
    switch (dtype) {
    case OB_FLOAT: memcpy(to, &number, sizeof number); break;
    case OB_DOUBLE: memcpy(to, &wide, sizeof wide); break;
    case OB_FLOAT16: memcpy(to, &half, sizeof half); break;
    case OB_BFLOAT16: memcpy(to, &brain, sizeof brain); break;
    case OB_STRING: memcpy(to, &words[hash % 5], sizeof *words); break;
    default: *to = (char)(i % 2);
    }
}

static void make_up(const ob_view *shape, ob_view *out) {
    int64_t n = ob_view_count(shape);
    size_t size = ob_dtype_size(shape->dtype);
    char *data = calloc((size_t)n + 1, size);
    if (!data) give_up("an input", "no memory");
    *out = *shape;
    out->data = data;
    for (int64_t i = 0; i < n; i++) make_up_element(shape->dtype, i, data + (size_t)i * size);
}

/* The size that --dim gives, or the size itself. */
static ob_dim given_size(const settings *set, const ob_session *session, ob_dim d) {
    char name[256];
    ob_dim_format(ob_session_dims(session), d, name, sizeof name);
    for (size_t i = 0; i < set->n_dims; i++)
        if (strcmp(set->dims[i].name, name) == 0) return set->dims[i].size;
    return d;
}

static void shape_input(const settings *set, const ob_session *session, size_t i, ob_view *shape) {
    ob_session_value value;
    ob_error error;
    int64_t dims[OB_MAX_RANK];
    if (!ob_session_input(session, i, &value) || value.shape.rank < 0) give_up("an input", "its rank is open");
    for (int32_t a = 0; a < value.shape.rank; a++) {
        dims[a] = given_size(set, session, value.shape.dims[a]);
        snprintf(error.message, sizeof error.message, "%s: %s: --dim gives the open size", value.name, value.shape_text);
        if (!ob_dim_is_const(dims[a])) give_up("an input", error.message);
    }
    if (ob_view_init(shape, &error, value.dtype, value.shape.rank, dims) != OB_OK) give_up("an input", value.name);
}

static void read_inputs(const settings *set, subject *s, const ob_session *session) {
    const char *slash = strrchr(s->path, '/');
    s->n_inputs = ob_session_input_count(session);
    if (s->n_inputs > MAX_INPUTS) give_up("the model", "too many inputs");
    for (size_t i = 0; i < s->n_inputs; i++) {
        char path[4096];
        ob_error error;
        snprintf(path, sizeof path, "%.*stest_data_set_0/input_%zu.pb", slash ? (int)(slash + 1 - s->path) : 0, s->path, i);
        if (access(path, R_OK) == 0) {
            if (ob_tensor_file_read(path, NULL, &s->files[i], &error) != OB_OK) give_up("an input", error.message);
            s->inputs[i] = s->files[i].view;
        } else {
            ob_view shape;
            shape_input(set, session, i, &shape);
            make_up(&shape, &s->inputs[i]);
        }
    }
}

/* ---- The two sides ---- */

typedef struct theirs {
    ort_session session;
    OrtValue *inputs[MAX_INPUTS];
} theirs;

typedef struct ours {
    ob_model *model;
    ob_session *session;
    ob_view outputs[ORT_MAX_VALUES];
    size_t n_outputs;
    theirs fused; /* with a plugin: it runs the fused model in their library */
} ours;

static ort_host host;

static bool open_in_theirs(const settings *set, const char *plugin, const void *bytes, size_t n_bytes, theirs *t) {
    ort_options options = {.plugin = plugin, .optimize = true, .n_threads = set->threads};
    return ort_session_open(&host, bytes, n_bytes, &options, &t->session);
}

/* The session stays: it tells the shapes of inputs. */
static void open_fused(const settings *set, ours *o) {
    byte_buffer bytes = {0};
    ob_error error;
    if (ob_rewrite(o->model, OB_FORM_FUSED, NULL, NULL, &error) != OB_OK ||
        ob_model_write(o->model, OB_FORMAT_PROTOBUF, append_bytes, &bytes, &error) != OB_OK)
        give_up("the fused form", error.message);
    if (!open_in_theirs(set, set->plugin, bytes.data, bytes.n, &o->fused)) give_up("ONNX Runtime with the plugin", host.error);
    free(bytes.data);
}

static void open_ours(const settings *set, const subject *s, ours *out) {
    ob_error error;
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = set->threads;
    if (set->relaxed) config.numerics = OB_NUMERICS_RELAXED;
    if (ob_model_load_memory(s->bytes, s->n_bytes, s->path, NULL, &out->model, &error) != OB_OK ||
        ob_session_create(out->model, &config, &out->session, &error) != OB_OK)
        give_up("ours", error.message);
    out->n_outputs = ob_session_output_count(out->session);
    if (set->plugin) open_fused(set, out);
}

static void close_ours(ours *o) {
    ort_session_close(&o->fused.session);
    ob_session_close(&o->session);
    ob_model_close(&o->model);
}

static void open_theirs(const settings *set, const subject *s, theirs *t) {
    if (!open_in_theirs(set, NULL, s->bytes, s->n_bytes, t)) give_up("ONNX Runtime", host.error);
}

static void give_inputs(const subject *s, theirs *t) {
    for (size_t i = 0; i < s->n_inputs; i++)
        if (!ort_value_from_view(&host, &s->inputs[i], &t->inputs[i])) give_up("ONNX Runtime", host.error);
}

static void run_theirs(const subject *s, theirs *t) {
    OrtValue *out[ORT_MAX_VALUES] = {NULL};
    ort_session *o = &t->session;
    if (!ort_ok(&host, host.api->Run(o->session, NULL, (const char *const *)o->input_names, (const OrtValue *const *)t->inputs,
                                     s->n_inputs, (const char *const *)o->output_names, o->n_outputs, out)))
        give_up("ONNX Runtime", host.error);
    for (size_t i = 0; i < o->n_outputs; i++)
        if (out[i]) host.api->ReleaseValue(out[i]);
}

static void run_ours(const subject *s, ours *o) {
    ob_error error;
    if (o->fused.session.host) {
        run_theirs(s, &o->fused);
        return;
    }
    memset(o->outputs, 0, sizeof o->outputs);
    if (ob_session_run(o->session, s->inputs, s->n_inputs, o->outputs, o->n_outputs, &error) != OB_OK)
        give_up("ours", error.message);
}

/* ---- Measuring ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a run: the mean of as many as fill the time. */
#define TIME_RUNS(seconds, run)                                                                                                  \
    do {                                                                                                                         \
        double begin = now(), end = begin;                                                                                       \
        int n = 0;                                                                                                               \
        do {                                                                                                                     \
            run;                                                                                                                 \
            n++;                                                                                                                 \
            end = now();                                                                                                         \
        } while (end - begin < set->milliseconds / 1e3);                                                                         \
        seconds = (end - begin) / n;                                                                                             \
    } while (0)

/* Threads of a pool spin after a run, for up to half a second on some processors, and would take cores from the other side. */
static void let_threads_sleep(const settings *set) {
    const struct timespec pause = {.tv_nsec = 600000000};
    if (set->threads > 1) nanosleep(&pause, NULL);
}

static void measure_runs(const settings *set, subject *s) {
    ours o = {0};
    theirs t = {0};
    double ratios[MAX_ROUNDS];
    open_ours(set, s, &o);
    read_inputs(set, s, o.session);
    open_theirs(set, s, &t);
    give_inputs(s, &t);
    if (set->plugin) give_inputs(s, &o.fused);
    run_ours(s, &o);
    run_theirs(s, &t);
    result.ours = result.theirs = INFINITY;
    for (int i = 0; i < set->rounds; i++) {
        double a, b;
        let_threads_sleep(set);
        run_ours(s, &o);
        TIME_RUNS(a, run_ours(s, &o));
        let_threads_sleep(set);
        run_theirs(s, &t);
        TIME_RUNS(b, run_theirs(s, &t));
        ratios[i] = a / b;
        if (a < result.ours) result.ours = a;
        if (b < result.theirs) result.theirs = b;
    }
    qsort(ratios, (size_t)set->rounds, sizeof *ratios, ascending);
    result.ratio = ratios[set->rounds / 2];
    result.ours_create = result.theirs_create = INFINITY;
    for (int i = 0; i < set->rounds; i++) {
        ours again = {0};
        theirs other = {0};
        ob_error error;
        double begin = now();
        open_ours(set, s, &again);
        if (ob_session_prepare(again.session, s->inputs, s->n_inputs, &error) != OB_OK) give_up("ours", error.message);
        double middle = now();
        open_theirs(set, s, &other);
        double end = now();
        close_ours(&again);
        ort_session_close(&other.session);
        if (middle - begin < result.ours_create) result.ours_create = middle - begin;
        if (end - middle < result.theirs_create) result.theirs_create = end - middle;
    }
}

/* The peak of this process so far. Resident memory is counted by page, so a few hundred KiB are noise. */
static long peak_kib(void) {
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kib = strtol(line + 6, NULL, 10);
    if (file) fclose(file);
    return kib;
}

typedef enum task { RUNS, OUR_MEMORY, THEIR_MEMORY } task;

static void work(const settings *set, const char *path, task what) {
    subject s = {.path = path};
    if (set->text)
        read_text(&s, path);
    else
        read_bytes(&s);
    if ((what != OUR_MEMORY || set->plugin) && !ort_open(&host, set->library)) give_up("ONNX Runtime", host.error);
    if (what == RUNS) {
        measure_runs(set, &s);
        return;
    }
    ours o = {0};
    open_ours(set, &s, &o);
    read_inputs(set, &s, o.session);
    if (what == OUR_MEMORY) {
        if (set->plugin) give_inputs(&s, &o.fused);
        run_ours(&s, &o);
        result.ours_kib = peak_kib();
        return;
    }
    close_ours(&o); /* it only gave the shapes of the inputs, and took little memory */
    theirs t = {0};
    open_theirs(set, &s, &t);
    give_inputs(&s, &t);
    run_theirs(&s, &t);
    result.theirs_kib = peak_kib();
}

/* Runs the task in a separate process; false with out->error if it fails. */
static bool ask(const settings *set, const char *path, task what, figures *out) {
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        answer = ends[1];
        work(set, path, what);
        answer_and_exit();
    }
    close(ends[1]);
    bool complete = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    if (!complete) snprintf(out->error, sizeof out->error, "the process that measures ended");
    return complete && out->error[0] == '\0';
}

/* ---- The table ---- */

/* models/NAME/model.onnx is NAME, light/NAME.onnx too. */
static void name_of(const settings *set, const char *path, char *name, size_t n_bytes) {
    if (set->text) {
        size_t n = strcspn(path, "|");
        while (n > 0 && path[n - 1] == ' ') n--;
        snprintf(name, n_bytes, "%.*s", (int)n, path);
        return;
    }
    const char *end = strrchr(path, '/'), *begin = end;
    if (end && strcmp(end, "/model.onnx") == 0) {
        while (begin > path && begin[-1] != '/') begin--;
        snprintf(name, n_bytes, "%.*s", (int)(end - begin), begin);
        return;
    }
    begin = end ? end + 1 : path;
    size_t n = strlen(begin);
    snprintf(name, n_bytes, "%.*s", (int)(n > 5 ? n - 5 : n), begin);
}

static int run_table(const settings *set, char **paths, int n) {
    double sum = 0, best = 0;
    int counted = 0, faster = 0, over = 0, failed = 0;
    const char *how = set->relaxed ? ", relaxed numerics" : set->plugin ? ", the fused form with the plugin" : "";
    printf("\n%d thread%s%s\n\n", set->threads, set->threads == 1 ? "" : "s", how);
    printf("| model | ours, ms | ONNX Runtime, ms | ours / theirs | session, ms | theirs, ms | peak, MiB | theirs, MiB |\n");
    printf("|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < n; i++) {
        char name[256];
        figures f = {0}, mine = {0}, other = {0};
        name_of(set, paths[i], name, sizeof name);
        if (!ask(set, paths[i], RUNS, &f) || !ask(set, paths[i], OUR_MEMORY, &mine) ||
            !ask(set, paths[i], THEIR_MEMORY, &other)) {
            printf("| %s | not measured: %s |\n", name, f.error[0] ? f.error : mine.error[0] ? mine.error : other.error);
            failed++;
            continue;
        }
        bool slow = set->most > 0 && f.ratio > set->most;
        printf(slow ? "| %s | %.4g | %.4g | **%.2f** | %.3g | %.3g | %.1f | %.1f |\n"
                    : "| %s | %.4g | %.4g | %.2f | %.3g | %.3g | %.1f | %.1f |\n",
               name, f.ours * 1e3, f.theirs * 1e3, f.ratio, f.ours_create * 1e3, f.theirs_create * 1e3,
               (double)mine.ours_kib / 1024, (double)other.theirs_kib / 1024);
        sum += log(f.ratio);
        best += log(f.ours / f.theirs);
        counted++;
        faster += f.ratio < 1;
        over += slow;
    }
    if (counted)
        printf("\nGeometric mean of ours / theirs over %d models: **%.2f** (of the best times %.2f); faster in %d.\n", counted,
               exp(sum / counted), exp(best / counted), faster);
    return failed ? 2 : over ? 1 : 0;
}

static double number(const char *text) {
    char *end;
    double value = text ? strtod(text, &end) : 0;
    if (!text || *end || !(value > 0)) {
        fprintf(stderr, "ort_models: a number over 0 is missing\n");
        exit(2);
    }
    return value;
}

/* The text stays the caller's. */
static void add_dim(settings *set, char *text) {
    char *sign = strchr(text, '=');
    if (!sign || set->n_dims == MAX_DIMS) {
        fprintf(stderr, "ort_models: --dim takes NAME=SIZE, at most %d times\n", MAX_DIMS);
        exit(2);
    }
    *sign = '\0';
    set->dims[set->n_dims++] = (ob_named_size){text, (int64_t)number(sign + 1)};
}

/* The lines of the files, without comments; ends the program when a file has none. The lines live as long as the program. */
static int read_lines(char **paths, int n_paths, char **lines) {
    int n = 0;
    for (int i = 0; i < n_paths; i++) {
        FILE *file = fopen(paths[i], "r");
        char *buffer = malloc(MAX_TEXT);
        size_t n_bytes = file && buffer ? fread(buffer, 1, MAX_TEXT - 1, file) : 0;
        int before = n;
        if (file) fclose(file);
        if (buffer) buffer[n_bytes] = '\0';
        for (char *line = buffer ? strtok(buffer, "\n") : NULL; line && n < MAX_LINES; line = strtok(NULL, "\n"))
            if (line[0] != '#') lines[n++] = line;
        if (n > before) continue;
        fprintf(stderr, "ort_models: no models in %s\n", paths[i]);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv) {
    settings set = {.threads = 1, .rounds = 9, .milliseconds = 30};
    int i = 1;
    if (i < argc) set.library = argv[i++];
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--text") == 0) {
            set.text = true;
            i--;
        } else if (strcmp(argv[i], "--relaxed") == 0) {
            set.relaxed = true;
            i--;
        } else if (strcmp(argv[i], "--plugin") == 0 && i + 1 < argc)
            set.plugin = argv[i + 1];
        else if (strcmp(argv[i], "--dim") == 0 && i + 1 < argc)
            add_dim(&set, argv[i + 1]);
        else if (strcmp(argv[i], "--threads") == 0)
            set.threads = (int)number(argv[i + 1]);
        else if (strcmp(argv[i], "--rounds") == 0)
            set.rounds = (int)number(argv[i + 1]);
        else if (strcmp(argv[i], "--milliseconds") == 0)
            set.milliseconds = number(argv[i + 1]);
        else if (strcmp(argv[i], "--most") == 0)
            set.most = number(argv[i + 1]);
        else
            break;
    }
    if (i >= argc || strncmp(argv[i], "--", 2) == 0 || set.rounds > MAX_ROUNDS) {
        fprintf(stderr,
                "usage: ort_models LIBRARY [--threads N] [--rounds 1-%d] [--milliseconds M] [--most X] [--text] "
                "[--relaxed | --plugin PLUGIN] [--dim NAME=SIZE]... MODEL...\n",
                MAX_ROUNDS);
        return 2;
    }
    if (!set.text) return run_table(&set, argv + i, argc - i);
    char *lines[MAX_LINES];
    int n = read_lines(argv + i, argc - i, lines);
    return run_table(&set, lines, n);
}
