#include "options.h"

#include <string.h>

enum { NAME_WIDTH = 24, HELP_WIDTH = 126 };

static bool matches(const option_row *row, const char *name, arguments *o) {
    if (!name) return false;
    if (!row->value) return option_is(o, name);
    return row->value[0] == '=' ? option_may_have_value(o, name) : option_has_value(o, name);
}

int options_take(const option_row *rows, size_t n, arguments *o, void *settings) {
    for (size_t i = 0; i < n; i++) {
        if (!matches(&rows[i], rows[i].name, o) && !matches(&rows[i], rows[i].other, o)) continue;
        return o->failed ? OPTION_REFUSED : rows[i].take(settings, o->value);
    }
    complain(o->tool, NULL, "unknown option \"%s\"", option_text(o));
    return OPTION_REFUSED;
}

/* Words in lines that begin at NAME_WIDTH. */
static void print_words(const char *text) {
    size_t column = NAME_WIDTH;
    for (bool first = true; *text; first = false) {
        const size_t n = strcspn(text, " ");
        if (!first && column + 1 + n > HELP_WIDTH) {
            printf("\n%*s", NAME_WIDTH, "");
            column = NAME_WIDTH;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)n, text);
        column += n;
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

void options_print(const option_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const option_row *row = &rows[i];
        char name[80];
        const bool is_short = row->other && row->other[1] != '-';
        int width = snprintf(name, sizeof name, "  %s%s%s", is_short ? row->other : "", is_short ? ", " : "", row->name);
        if (row->value && row->value[0] == '=')
            width += snprintf(name + width, sizeof name - (size_t)width, "[%s]", row->value);
        else if (row->value)
            width += snprintf(name + width, sizeof name - (size_t)width, " %s", row->value);
        if (width < NAME_WIDTH)
            printf("%-*s", NAME_WIDTH, name);
        else
            printf("%s\n%*s", name, NAME_WIDTH, "");
        print_words(row->help);
    }
}
