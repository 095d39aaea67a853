#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>

/* A handler has no other way to know. */
static volatile sig_atomic_t held, caught;

static void end_by(int number) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigaction(number, &standard, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* within its own handler it waits until here */
}

static void handle(int number) {
    if (held)
        caught = number;
    else
        end_by(number);
}

void stop_install(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &ignored, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
}

void stop_hold(void) {
    held = held + 1;
}

void stop_release(void) {
    held = held - 1;
    if (held == 0 && caught) end_by(caught);
}

bool stop_hold_for(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return false;
    stop_hold();
    return true;
}

bool stop_asked(void *context) {
    (void)context;
    return caught != 0;
}
