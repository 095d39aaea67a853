/* The options of a command as a table: reading the command line, --help and completion use its rows. */
#ifndef OB_TOOLS_OPTIONS_H
#define OB_TOOLS_OPTIONS_H

#include "common.h"

/* A handler returns GO_ON or the exit status of the command. */
enum { GO_ON = -1, OPTION_REFUSED = -2 };

typedef struct option_row {
    const char *name;  /* "--output" */
    const char *other; /* a second name, or NULL; --help shows it if it is short: "-o" */
    const char *value; /* the value's name in --help, "OUT"; "=ID" if it may be absent and is given only as --name=ID; NULL: no
                          value */
    /* Values to complete, separated by spaces; "FILE" or "DIR" for paths; NULL: none. */
    const char *values;
    int (*take)(void *settings, const char *value); /* value: NULL if absent */
    const char *help;                               /* text without line breaks */
} option_row;

/* Takes the current option: the result of its handler, or OPTION_REFUSED after a message if it is unknown or lacks its value. */
int options_take(const option_row *rows, size_t n, arguments *o, void *settings);
/* The rows in two columns. */
void options_print(const option_row *rows, size_t n);

#endif
