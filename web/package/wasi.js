// The functions that the module imports. The library opens no file and prints nothing in the browser: files do not exist here.
const NO_SUCH_FILE = 44; // ENOENT and EBADF as WASI numbers them
const BAD_FILE = 8;

/** The imports of the module. `memory()` returns its memory, `progress(address)` hears of each step. */
export function imports(memory, progress) {
    const noFile = () => -NO_SUCH_FILE;
    const badFile = () => BAD_FILE;
    return {
        caller: { progress },
        env: {
            emscripten_notify_memory_growth() {},
            __syscall_fstat64: () => -BAD_FILE,
            __syscall_stat64: noFile,
            __syscall_fstatat64: noFile,
            __syscall_lstat64: noFile,
            __syscall_openat: noFile,
        },
        wasi_snapshot_preview1: {
            clock_time_get(clock, precision, out) {
                const now = clock === 0 ? Date.now() : performance.now();
                new DataView(memory().buffer).setBigUint64(out, BigInt(Math.round(now * 1e6)), true);
                return 0;
            },
            environ_get: () => 0,
            environ_sizes_get(count, size) {
                const view = new DataView(memory().buffer);
                view.setUint32(count, 0, true);
                view.setUint32(size, 0, true);
                return 0;
            },
            fd_close: badFile,
            fd_pread: badFile,
            fd_read: badFile,
            fd_seek: badFile,
            fd_write: badFile,
            proc_exit(code) {
                throw new Error('exit ' + code);
            },
        },
    };
}
