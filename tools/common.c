#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Options ---- */

arguments arguments_begin(const char *tool, int argc, char **argv) {
    return (arguments){.tool = tool, .argc = argc, .argv = argv};
}

bool arguments_next(arguments *o) {
    if (o->at + 1 >= o->argc) return false;
    o->at++;
    if (!o->ended && strcmp(o->argv[o->at], "--") == 0) {
        o->ended = true;
        return arguments_next(o);
    }
    return true;
}

const char *option_text(const arguments *o) {
    return o->argv[o->at];
}

bool option_is_any(const arguments *o) {
    const char *text = option_text(o);
    return !o->ended && text[0] == '-' && text[1] != '\0';
}

/* The text after "name" in the current argument: "" or "=VALUE"; NULL: it is another option. */
static const char *behind_name(const arguments *o, const char *name) {
    size_t n = strlen(name);
    const char *text = option_text(o);
    if (!option_is_any(o) || strncmp(text, name, n) != 0 || (text[n] != '\0' && text[n] != '=')) return NULL;
    return text + n;
}

bool option_is(arguments *o, const char *name) {
    const char *rest = behind_name(o, name);
    if (!rest) return false;
    o->value = NULL;
    if (*rest == '=') {
        complain(o->tool, NULL, "option %s takes no value", name);
        o->failed = true;
    }
    return true;
}

bool option_has_value(arguments *o, const char *name) {
    const char *rest = behind_name(o, name);
    if (!rest) return false;
    if (*rest == '=') {
        o->value = rest + 1;
    } else if (o->at + 1 < o->argc) {
        o->value = o->argv[++o->at];
    } else {
        complain(o->tool, NULL, "option %s needs a value", name);
        o->value = "";
        o->failed = true;
    }
    return true;
}

bool option_may_have_value(arguments *o, const char *name) {
    const char *rest = behind_name(o, name);
    if (!rest) return false;
    o->value = *rest == '=' ? rest + 1 : NULL;
    return true;
}

bool parse_int(const char *tool, const char *option, const char *text, int64_t lowest, int64_t highest, int64_t *out) {
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || n < lowest || n > highest) {
        complain(tool, NULL, "option %s: \"%s\" is not a whole number from %lld to %lld", option, text, (long long)lowest,
                 (long long)highest);
        return false;
    }
    *out = n;
    return true;
}

bool parse_bytes(const char *tool, const char *option, const char *text, uint64_t *out) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    bool good =
        end != text && *text != '-' && errno == 0 && end[unit != NULL] == '\0' && n > 0 && n <= (uint64_t)INT64_MAX >> shift;
    if (good)
        *out = (uint64_t)n << shift;
    else
        complain(tool, NULL, "option %s: \"%s\" is not a number of bytes (1000000, 512K, 64M, 2G)", option, text);
    return good;
}

bool parse_real(const char *tool, const char *option, const char *text, double lowest, double highest, double *out) {
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end != '\0' || !(x >= lowest && x <= highest)) {
        complain(tool, NULL, "option %s: \"%s\" is not a number from %g to %g", option, text, lowest, highest);
        return false;
    }
    *out = x;
    return true;
}

bool parse_dim(const char *tool, const char *text, char *name, size_t n_bytes, int64_t *size) {
    const char *equals = strrchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= n_bytes) {
        complain(tool, NULL, "option --dim: \"%s\" is not of the form NAME=SIZE", text);
        return false;
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    return parse_int(tool, "--dim", equals + 1, 0, OB_DIM_CONST_MAX, size);
}

bool is_same_file(const char *path, const char *other) {
    struct stat a, b;
    if (strcmp(path, "-") == 0 || strcmp(other, "-") == 0 || stat(path, &a) != 0 || stat(other, &b) != 0) return false;
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* ---- Messages ---- */

void complain(const char *tool, const char *file, const char *format, ...) {
    char text[2000];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?'; /* names come from files: no control sequences, one line */
    if (file)
        fprintf(stderr, "%s: %s: %s\n", tool, file, text);
    else
        fprintf(stderr, "%s: %s\n", tool, text);
}

void complain_error(const char *tool, const char *file, const ob_error *error) {
    const char *message = error->message[0] ? error->message : ob_status_text(error->code);
    bool names_file = file && strncmp(message, file, strlen(file)) == 0; /* some messages begin with the path already */
    if (names_file) file = NULL;
    if (error->node[0] && error->op_type[0])
        complain(tool, file, "node \"%s\" (%s): %s", error->node, error->op_type, message);
    else if (error->op_type[0])
        complain(tool, file, "unnamed %s node: %s", error->op_type, message);
    else
        complain(tool, file, "%s", message);
}

bool load_operators(const char *tool, const char *path, ob_operators **operators) {
    ob_error error;
    ob_error_clear(&error);
    if (!*operators && ob_operators_create(NULL, operators) != OB_OK) {
        complain(tool, NULL, "%s", ob_status_text(OB_E_MEMORY));
        return false;
    }
    if (ob_operators_load(*operators, path, &error) == OB_OK) return true;
    complain_error(tool, NULL, &error);
    return false;
}

static void print_log(void *context, ob_log_level level, const char *message) {
    (void)level;
    complain(context, NULL, "%s", message);
}

ob_logger logger_to_stderr(const char *tool, ob_log_level level) {
    return (ob_logger){level, print_log, (void *)(uintptr_t)tool};
}

bool assume_opset(const char *tool, const char *text, assumed_opsets *out) {
    const char *equals = strchr(text, '=');
    if (out->n == MAX_ASSUMED_OPSETS) {
        complain(tool, NULL, "more than %d --assume-opset options", MAX_ASSUMED_OPSETS);
        return false;
    }
    char *domain = out->domains[out->n];
    if (equals && (size_t)(equals - text) >= sizeof out->domains[0]) {
        complain(tool, NULL, "--assume-opset: the domain is too long");
        return false;
    }
    if (equals) memcpy(domain, text, (size_t)(equals - text));
    domain[equals ? equals - text : 0] = '\0';
    if (!parse_int(tool, "--assume-opset", equals ? equals + 1 : text, 1, INT32_MAX, &out->opsets[out->n])) return false;
    out->n++;
    return true;
}

ob_status read_model(const char *tool, const char *path, const ob_operators *operators, const assumed_opsets *assumed,
                     bool verbose, uint64_t max_arena, ob_model **out, ob_error *error) {
    ob_error_clear(error);
    ob_logger logger = logger_to_stderr(tool, OB_LOG_DEBUG);
    ob_load_options options;
    ob_load_options_init(&options);
    if (verbose) options.logger = &logger;
    options.limits.max_arena = max_arena;
    bool is_stdin = strcmp(path, "-") == 0;
    ob_status status = is_stdin ? ob_model_load_descriptor(STDIN_FILENO, "<stdin>", &options, out, error)
                                : ob_model_load(path, &options, out, error);
    if (status == OB_OK) status = ob_model_set_operators(*out, operators);
    for (size_t i = 0; assumed && i < assumed->n && status == OB_OK; i++)
        status = ob_model_assume_opset(*out, assumed->domains[i], assumed->opsets[i], error);
    if (status == OB_OK) return status;
    ob_model_close(out);
    if (error->code == OB_OK) error->code = status;
    return status;
}

ob_status load_model(const char *tool, const char *path, const ob_operators *operators, const assumed_opsets *assumed,
                     bool verbose, uint64_t max_arena, ob_model **out, ob_error *error) {
    const ob_status status = read_model(tool, path, operators, assumed, verbose, max_arena, out, error);
    if (status != OB_OK) complain_error(tool, strcmp(path, "-") == 0 ? "<stdin>" : path, error);
    return status;
}

void *with_room(void *items, size_t *capacity, size_t wanted, size_t n_bytes_each) {
    if (items && wanted <= *capacity) return items;
    size_t more = *capacity > SIZE_MAX / 2 ? SIZE_MAX : *capacity * 2;
    if (more < wanted) more = wanted;
    if (more < 64) more = 64;
    void *grown = more > SIZE_MAX / n_bytes_each ? NULL : realloc(items, more * n_bytes_each);
    if (grown) *capacity = more;
    return grown;
}

void print_version(const char *tool) {
    const ob_build build = ob_build_info();
    printf("%s %s\n", tool, ob_version());
    printf("commit: %s\n", build.commit);
    printf("compiler: %s for %s\n", build.compiler, build.target);
    printf("build type: %s\n", *build.type ? build.type : "none");
    printf("flags: %s\n", build.flags);
    printf("options: %s\n", *build.options ? build.options : "none");
    printf("libraries: %s\n", build.libraries);
    printf("instruction-set level: %s%s (of %s)\n", build.level, build.dot_products ? " with dot products of bytes" : "",
           build.levels);
}

void format_bytes(int64_t n_bytes, char *text, size_t n) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)n_bytes;
    size_t unit = 0;
    while (amount >= 1024 && unit + 1 < sizeof units / sizeof *units) amount /= 1024, unit++;
    if (unit == 0)
        snprintf(text, n, "%lld bytes", (long long)n_bytes);
    else
        snprintf(text, n, "%.1f %s", amount, units[unit]);
}

unsigned name_distance(const char *a, const char *b) {
    enum { MOST = 63 };
    unsigned row[MOST + 1];
    size_t n_a = strnlen(a, MOST), n_b = strnlen(b, MOST);
    for (size_t k = 0; k <= n_b; k++) row[k] = (unsigned)k;
    for (size_t i = 1; i <= n_a; i++) {
        unsigned diagonal = row[0]; /* of the row above, to the left */
        row[0] = (unsigned)i;
        for (size_t k = 1; k <= n_b; k++) {
            unsigned above = row[k], least = diagonal + (a[i - 1] != b[k - 1]);
            if (above + 1 < least) least = above + 1;
            if (row[k - 1] + 1 < least) least = row[k - 1] + 1;
            diagonal = above;
            row[k] = least;
        }
    }
    return row[n_b];
}
