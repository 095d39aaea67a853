/* Shared by the commands: options, messages, exit codes. */
#ifndef OB_TOOLS_COMMON_H
#define OB_TOOLS_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "onnx_broadcast/onnx_broadcast.h"

/* ---- Options: "--name VALUE", "--name=VALUE", "--" ends them ---- */

typedef struct arguments {
    const char *tool; /* name of the command, for messages */
    int argc;
    char **argv;
    int at;            /* of the current argument */
    bool ended;        /* after "--" */
    bool failed;       /* a value is missing or superfluous; the message was printed */
    const char *value; /* of the last matching option */
} arguments;

arguments arguments_begin(const char *tool, int argc, char **argv);
/* Moves to the next argument; false at the end. */
bool arguments_next(arguments *o);
/* True if the current argument is an option (starts with '-', is not just "-"). */
bool option_is_any(const arguments *o);
/* True if it is this option, without a value. */
bool option_is(arguments *o, const char *name);
/* True if it is this option; its value is in o->value. */
bool option_has_value(arguments *o, const char *name);
/* True if it is this option, with a value only in the form --name=VALUE; otherwise o->value is NULL. */
bool option_may_have_value(arguments *o, const char *name);
const char *option_text(const arguments *o);

/* "N=4" with N not empty: copies the name, cut to n_bytes. False, with a message, if it does not have that form. */
bool parse_dim(const char *tool, const char *text, char *name, size_t n_bytes, int64_t *size);
/* An integer in lowest .. highest; false, with a message. */
bool parse_int(const char *tool, const char *option, const char *text, int64_t lowest, int64_t highest, int64_t *out);
/* A size in bytes, with an optional suffix K, M, G or T for 2^10, 2^20, 2^30, 2^40. At least 1; false, with a message. */
bool parse_bytes(const char *tool, const char *option, const char *text, uint64_t *out);
bool parse_real(const char *tool, const char *option, const char *text, double lowest, double highest, double *out);

/* True if both paths lead to the same existing file; false for "-". */
bool is_same_file(const char *path, const char *other);

/* ---- Messages ---- */

/* "tool: file: message" on standard error, one line. file may be NULL. */
void complain(const char *tool, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The error of a library call, with its node if it has one. */
void complain_error(const char *tool, const char *file, const ob_error *error);

/* Loads an operator library (--op-library) into *operators, which is created if it is NULL. False, with a message, if it cannot
 * be used. */
bool load_operators(const char *tool, const char *path, ob_operators **operators);
/* Sends log messages of the library, up to `level`, to standard error. */
ob_logger logger_to_stderr(const char *tool, ob_log_level level);
/* The model at `path` ("-": standard input). It knows `operators` (NULL: the built-in ones only). max_arena: as in
 * ob_load_limits, 0: its default.
 * verbose: log messages about the model go to standard error. On failure the message is printed, and also in *error. */
enum { MAX_ASSUMED_OPSETS = 8 };
/* The value of --assume-opset; domain "" is ai.onnx. */
typedef struct assumed_opsets {
    char domains[MAX_ASSUMED_OPSETS][128];
    int64_t opsets[MAX_ASSUMED_OPSETS];
    size_t n;
} assumed_opsets;
/* Reads "28" or "ai.onnx.ml=5"; false, with a message. */
bool assume_opset(const char *tool, const char *text, assumed_opsets *out);
ob_status load_model(const char *tool, const char *path, const ob_operators *operators, const assumed_opsets *assumed,
                     bool verbose, uint64_t max_arena, ob_model **out, ob_error *error);
/* The same without a message. */
ob_status read_model(const char *tool, const char *path, const ob_operators *operators, const assumed_opsets *assumed,
                     bool verbose, uint64_t max_arena, ob_model **out, ob_error *error);

/* What --version prints: the version, then the build, a line for each of its properties. */
void print_version(const char *tool);

/* "12.3 KiB", "5 bytes". */
void format_bytes(int64_t n_bytes, char *text, size_t n);

/* The number of characters to change, insert or remove to turn one name into the other; of long names only the beginnings
 * count. */
unsigned name_distance(const char *a, const char *b);

/* The array, from realloc, with room for `wanted` entries, at least twice as many if it must move. *capacity counts entries; it
 * is 0 and items is NULL at first. NULL: out of memory; then nothing changes. */
void *with_room(void *items, size_t *capacity, size_t wanted, size_t n_bytes_each);

#endif
