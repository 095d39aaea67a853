// One instance of the module, with its memory and its errors.
import { imports } from './wasi.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A failure. `code` is the status of the C library without OB_, for instance "E_SHAPE". */
export class OnnxBroadcastError extends Error {
    constructor(message, { code = 'E_ARGUMENT', node = '', opType = '', value = '', axis = -1 } = {}) {
        super(message);
        this.name = 'OnnxBroadcastError';
        Object.assign(this, { code, node, opType, value, axis });
    }
}

/** The compiled module, from its bytes or its address. */
export async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    const url = new URL(source);
    if (url.protocol === 'file:') {
        const files = 'node:fs/promises'; // a name that bundlers for browsers do not follow
        const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
        return WebAssembly.compile(await readFile(url));
    }
    const answer = await fetch(url);
    if (!answer.ok) throw new OnnxBroadcastError(`cannot read ${url}: ${answer.status}`, { code: 'E_IO' });
    return WebAssembly.compile(await answer.arrayBuffer());
}

export class Wasm {
    #exports;
    #onProgress;
    #thrown;
    #stopped;

    static async start(module, onProgress) {
        const wasm = new Wasm();
        const { exports } = await WebAssembly.instantiate(
            module,
            imports(
                () => wasm.#exports.memory,
                (step) => wasm.#progress(step),
            ),
        );
        wasm.#exports = exports;
        wasm.#onProgress = onProgress;
        exports._initialize();
        return wasm;
    }

    // What is thrown must not unwind the module: it is thrown after the call.
    #progress(step) {
        if (this.#thrown) return 1;
        try {
            return this.#onProgress?.(this.string(step)) === false ? 1 : 0;
        } catch (error) {
            this.#thrown = { error };
            return 1;
        }
    }

    /** Calls a function of the module. After a trap the instance is of no use. */
    call(name, ...values) {
        if (this.#stopped) throw this.#stopped;
        this.#thrown = undefined;
        let result;
        try {
            result = this.#exports['web_' + name](...values);
        } catch (error) {
            this.#stopped = new OnnxBroadcastError(
                `the module has stopped (${error.message}); load() makes another one`,
                {
                    code: 'E_INTERNAL',
                },
            );
            throw this.#stopped;
        }
        if (this.#thrown) throw this.#thrown.error;
        return result;
    }

    get stopped() {
        return this.#stopped !== undefined;
    }

    /** The memory of the module; it moves whenever a call makes it grow. */
    get buffer() {
        return this.#exports.memory.buffer;
    }

    /** The error of the call before. */
    error() {
        const [code, kind, message, node, opType, value] = [0, 1, 2, 3, 4, 5].map((k) =>
            this.string(this.call('error_text', k)),
        );
        return new OnnxBroadcastError(message || kind, { code, node, opType, value, axis: this.call('error_axis') });
    }

    /** Throws when the call returned another status than OB_OK. */
    must(name, ...values) {
        if (this.call(name, ...values) !== 0) throw this.error();
    }

    /** Throws when the call returned NULL. */
    pointer(name, ...values) {
        const address = this.call(name, ...values);
        if (address === 0) throw this.error();
        return address >>> 0;
    }

    /** The text at an address, up to its NUL. */
    string(address) {
        const bytes = new Uint8Array(this.buffer, address >>> 0);
        return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    bytes(address, size) {
        return new Uint8Array(this.buffer, address >>> 0, size);
    }

    /** The bytes that the call left. */
    output() {
        return this.bytes(this.call('output_bytes'), this.call('output_size') >>> 0).slice();
    }

    /** The texts that the call left. */
    notes() {
        const text = decoder.decode(this.bytes(this.call('notes_bytes'), this.call('notes_size') >>> 0));
        return text === '' ? [] : text.slice(0, -1).split('\0');
    }

    forget() {
        this.call('forget');
    }

    /** Memory of the module with these bytes; web_free() gives it back. */
    put(bytes) {
        const address = this.pointer('alloc', bytes.length);
        this.bytes(address, bytes.length).set(bytes);
        return address;
    }

    /** Calls `use` with the address of each list of texts, and their size in bytes. */
    withTexts(lists, use) {
        const placed = [];
        try {
            for (const list of lists) {
                const bytes = encoder.encode(list.map((text) => plain(text) + '\0').join(''));
                placed.push({ address: this.put(bytes), size: bytes.length });
            }
            return use(...placed);
        } finally {
            if (!this.stopped) for (const { address } of placed) this.call('free', address);
        }
    }
}

function plain(text) {
    const string = String(text);
    if (string.includes('\0')) throw new OnnxBroadcastError('a text has a NUL character');
    return string;
}
