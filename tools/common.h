/* What the commands share: options, messages, exit codes. */
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
    int at;            /* of the argument at hand */
    bool ended;        /* behind "--" */
    bool failed;       /* a value is missing or superfluous; the message is out */
    const char *value; /* of the option that matched last */
} arguments;

arguments arguments_begin(const char *tool, int argc, char **argv);
/* Moves to the next argument; false at the end. */
bool arguments_next(arguments *o);
/* The argument at hand is an option (starts with '-', is not just "-"). */
bool option_is_any(const arguments *o);
/* It is this option, without a value. */
bool option_is(arguments *o, const char *name);
/* It is this option; its value is in o->value. */
bool option_has_value(arguments *o, const char *name);
/* It is this option, with a value only in the form --name=VALUE; o->value is NULL otherwise. */
bool option_may_have_value(arguments *o, const char *name);
const char *option_text(const arguments *o);

/* "N=4" with N not empty: copies the name, cut to n_bytes. False, with a message, when it is not of that form. */
bool parse_dim(const char *tool, const char *text, char *name, size_t n_bytes, int64_t *size);
/* A whole number in lowest .. highest; false, with a message. */
bool parse_int(const char *tool, const char *option, const char *text, int64_t lowest, int64_t highest, int64_t *out);
/* A size in bytes, with K, M, G or T behind it for 2^10, 2^20, 2^30, 2^40. At least 1; false, with a message. */
bool parse_bytes(const char *tool, const char *option, const char *text, uint64_t *out);
bool parse_real(const char *tool, const char *option, const char *text, double lowest, double highest, double *out);

/* Both paths lead to one file that exists; false for "-". */
bool is_same_file(const char *path, const char *other);

/* ---- Messages ---- */

/* "tool: file: message" on standard error, one line. file may be NULL. */
void complain(const char *tool, const char *file, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The error of a library call, with its node when it has one. */
void complain_error(const char *tool, const char *file, const ob_error *error);

/* Loads a library of operators (--op-library) into *operators, which is made when it is NULL. False, with a message, when it
 * cannot be used. */
bool load_operators(const char *tool, const char *path, ob_operators **operators);
/* What the library tells, up to `level`, goes to standard error. */
ob_logger logger_to_stderr(const char *tool, ob_log_level level);
/* The model at `path` ("-": standard input). It knows `operators` (NULL: the built-in ones only). max_arena: as in
 * ob_load_limits, 0: its default.
 * verbose: what the library tells about it goes to standard error. On failure the message is out, and in *error as well. */
enum { MAX_ASSUMED_OPSETS = 8 };
/* What --assume-opset says; a domain "" is ai.onnx. */
typedef struct assumed_opsets {
    char domains[MAX_ASSUMED_OPSETS][128];
    int64_t opsets[MAX_ASSUMED_OPSETS];
    size_t n;
} assumed_opsets;
/* "28" or "ai.onnx.ml=5"; false after a complaint. */
bool assume_opset(const char *tool, const char *text, assumed_opsets *out);
ob_status load_model(const char *tool, const char *path, const ob_operators *operators, const assumed_opsets *assumed,
                     bool verbose, uint64_t max_arena, ob_model **out, ob_error *error);

/* Characters that must be changed, put in or left out to make one name of the other; of long names the beginnings. */
unsigned name_distance(const char *a, const char *b);

/* The array, from realloc, with room for `wanted` entries, at least doubled when it has to move. *capacity counts entries, 0 with
 * items NULL: none yet. NULL: out of memory; everything is then as it was. */
void *with_room(void *items, size_t *capacity, size_t wanted, size_t n_bytes_each);

#endif
