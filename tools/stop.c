#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A handler has no other way to know. */
static volatile sig_atomic_t writing;
static char temporary[4096 + 64];

/* Only calls that a handler may make. Only this thread has handlers run: those of sessions block all signals. */
static void end_by(int number) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t set;
    if (writing) (void)unlink(temporary);
    sigaction(number, &standard, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* within its own handler it waits until here */
}

void stop_install(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = end_by, .sa_flags = SA_RESTART}, before;
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigfillset(&action.sa_mask);
    sigaction(SIGXFSZ, &ignored, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
}

/* The first unused name of those that ob_file_save tries. */
void stop_begin_file(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return; /* a device or a pipe is written in place */
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        const int n = snprintf(temporary, sizeof temporary, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        if (n < 0 || (size_t)n >= sizeof temporary) return;
        if (lstat(temporary, &info) == 0) continue;
        writing = 1;
        return;
    }
}

void stop_end_file(void) {
    writing = 0;
}
