/* A plugin of qemu-user that counts the instructions of the guest: qemu-aarch64 -plugin ./count.so -d plugin PROGRAM. Prints
 * "instructions: N" to standard error. It declares the part of QEMU's plugin interface, version 1, that it uses, because Debian
 * has no package with the header. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_info;
enum { ADD_U64 = 0, VERSION = 1 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*call)(plugin_id id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *to, uint64_t n);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*call)(plugin_id id, void *data), void *data);
void qemu_plugin_outs(const char *text);

__attribute__((visibility("default"))) extern int qemu_plugin_version;
int qemu_plugin_version = VERSION;
__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv);

static uint64_t n_instructions; /* exact with one thread */

static void translated(plugin_id id, struct qemu_plugin_tb *tb) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, ADD_U64, &n_instructions, qemu_plugin_tb_n_insns(tb));
}

static void ended(plugin_id id, void *data) {
    char text[64];
    (void)id;
    (void)data;
    snprintf(text, sizeof text, "instructions: %" PRIu64 "\n", n_instructions);
    qemu_plugin_outs(text);
}

int qemu_plugin_install(plugin_id id, const struct qemu_info *info, int argc, char **argv) {
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
