// onnx-broadcast as WebAssembly: checks, rewrites and runs ONNX models. index.d.ts describes every function.
import { complete, read, Tensor, write } from './tensor.js';
import { compile, OnnxBroadcastError, Wasm } from './wasm.js';

export { OnnxBroadcastError, Tensor };

const CHECK = 0;
const REWRITE = 1;
const FIX = 2;
const TEXT = new TextDecoder();

export async function load({ source = new URL('./onnx-broadcast.wasm', import.meta.url), onProgress } = {}) {
    const module = await compile(source);
    return new Library(module, await Wasm.start(module, onProgress));
}

// The options of a call as texts: a key, then its values (web/wasm/module.h).
function texts(options) {
    const list = [];
    const add = (...values) => list.push(...values.map(String));
    const known = {
        rules: (name) => add('rules', name),
        dims: (sizes) => Object.entries(sizes).forEach(([name, size]) => add('dim', name, size)),
        shapes: (shapes) =>
            Object.entries(shapes).forEach(([name, sizes]) =>
                add('shape', name, sizes.length, ...sizes.map((size) => size ?? -1)),
            ),
        assumptions: (conditions) => conditions.forEach((condition) => add('assume', condition)),
        targets: (names) => names.forEach((name) => add('target', name)),
        severities: (levels) => Object.entries(levels).forEach(([id, level]) => add('severity', id, level)),
        ignores: (pairs) => pairs.forEach(([id, pattern]) => add('ignore', id, pattern)),
        maxNodes: (n) => add('max-nodes', n),
        maxFindingBytes: (n) => add('max-finding-bytes', n),
        opsets: (versions) => Object.entries(versions).forEach(([domain, version]) => add('opset', domain, version)),
        graph: (wanted) => wanted && add('graph'),
        cost: (wanted) => wanted && add('cost'),
        ids: (ids) => ids.forEach((id) => add('fix', id)),
        all: (wanted) => wanted && add('fix-all'),
        maxMemory: (n) => add('max-memory', n),
        maxRunMs: (n) => add('max-run-ms', n),
        optimize: (wanted) => wanted || add('no-optimize'),
    };
    for (const [key, value] of Object.entries(options)) {
        if (!Object.hasOwn(known, key)) throw new OnnxBroadcastError(`there is no option "${key}"`);
        if (value !== undefined) known[key](value);
    }
    return list;
}

class Library {
    #wasm;

    constructor(module, wasm) {
        this.module = module;
        this.#wasm = wasm;
    }

    get version() {
        return this.#wasm.string(this.#wasm.call('version'));
    }

    get memoryBytes() {
        return this.#wasm.buffer.byteLength;
    }

    open(bytes, name = 'model.onnx') {
        const wasm = this.#wasm;
        const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
        if (!(view instanceof Uint8Array)) throw new OnnxBroadcastError('a model is a Uint8Array or an ArrayBuffer');
        return wasm.withTexts(
            [[name]],
            (title) => new Model(wasm, wasm.pointer('model_open', wasm.put(view), view.length, title.address)),
        );
    }
}

class Model {
    #wasm;
    #address;
    #sessions = new Set();

    constructor(wasm, address) {
        this.#wasm = wasm;
        this.#address = address;
    }

    #do(what, options, form, ending) {
        if (!this.#address) throw new OnnxBroadcastError('the model is closed');
        const wasm = this.#wasm;
        return wasm.withTexts([texts(options), [form], [ending]], (given, second, third) => {
            try {
                wasm.must('model_do', this.#address, what, given.address, given.size, second.address, third.address);
                return { bytes: wasm.output(), notes: wasm.notes() };
            } finally {
                if (!wasm.stopped) wasm.forget();
            }
        });
    }

    check(options = {}) {
        return JSON.parse(TEXT.decode(this.#do(CHECK, options, 'json', '').bytes));
    }

    report(format, options = {}) {
        return TEXT.decode(this.#do(CHECK, options, format, '').bytes);
    }

    rewrite(form = 'broadcast', { fileName = 'model.onnx', ...options } = {}) {
        const { bytes, notes } = this.#do(REWRITE, options, form, fileName);
        const [inserted, removed, lowered, , functions, weights, exchanged] = notes.slice(0, 7).map(Number);
        const left = groups(notes.slice(7), ['node', 'opType', 'reason']);
        return { bytes, inserted, removed, lowered, functions, weights, exchanged, left };
    }

    fix({ fileName = 'model.onnx', ...options } = {}) {
        const { bytes, notes } = this.#do(FIX, options, '', fileName);
        const names = ['id', 'node', 'opType', 'path', 'kind', 'text', 'outcome', 'reason', 'before', 'after'];
        return { bytes, fixes: groups(notes, names) };
    }

    session(options = {}) {
        if (!this.#address) throw new OnnxBroadcastError('the model is closed');
        const wasm = this.#wasm;
        return wasm.withTexts([texts(options)], ({ address, size }) => {
            const session = new Session(wasm, wasm.pointer('session_create', this.#address, address, size), (closed) =>
                this.#sessions.delete(closed),
            );
            this.#sessions.add(session);
            return session;
        });
    }

    close() {
        for (const session of [...this.#sessions]) session.close();
        if (this.#address && !this.#wasm.stopped) this.#wasm.call('model_close', this.#address);
        this.#address = 0;
    }
}

// Each len(names) texts as an object.
function groups(list, names) {
    const objects = [];
    for (let at = 0; at < list.length; at += names.length)
        objects.push(Object.fromEntries(names.map((name, i) => [name, list[at + i]])));
    return objects;
}

class Session {
    #wasm;
    #address;
    #onClose;

    constructor(wasm, address, onClose) {
        this.#wasm = wasm;
        this.#address = address;
        this.#onClose = onClose;
        wasm.must('session_describe', address);
        const notes = wasm.notes();
        wasm.forget();
        let at = 0;
        const next = () => notes[at++];
        const value = () => {
            const [name, kind, type, shapeText, ranked, rank] = [next(), next(), next(), next(), next(), next()];
            const sizes = Array.from({ length: Number(rank) }, next).map((size) => (size === '' ? null : Number(size)));
            return { name, tensor: kind === 'tensor', type: type || null, shapeText, shape: ranked ? sizes : null };
        };
        const [nInputs, nOutputs] = [Number(next()), Number(next())];
        this.inputs = Array.from({ length: nInputs }, value);
        this.outputs = Array.from({ length: nOutputs }, value);
    }

    run(feeds) {
        if (!this.#address) throw new OnnxBroadcastError('the session is closed');
        const wasm = this.#wasm;
        const unknown = Object.keys(feeds).find((name) => !this.inputs.some((input) => input.name === name));
        if (unknown !== undefined) throw new OnnxBroadcastError(`the model has no input "${unknown}"`);
        const given = this.inputs.map((input) => {
            if (!Object.hasOwn(feeds, input.name)) throw new OnnxBroadcastError(`input "${input.name}" is missing`);
            return complete(feeds[input.name], input);
        });
        given.forEach((tensor, index) => this.#put(index, tensor));
        wasm.must('session_run', this.#address);
        const results = {};
        this.outputs.forEach(({ name }, index) => {
            const view = wasm.call('session_output', this.#address, index);
            const tensor = read(wasm, view);
            // A name such as "__proto__" is a property like any other.
            Object.defineProperty(results, name, {
                value: tensor,
                enumerable: true,
                writable: true,
                configurable: true,
            });
        });
        return results;
    }

    #put(index, tensor) {
        const wasm = this.#wasm;
        const type = wasm.withTexts([[tensor.type]], ({ address }) => wasm.call('dtype_number', address));
        if (type === 0) throw new OnnxBroadcastError(`there is no element type "${tensor.type}"`);
        const sizes = new Uint8Array(BigInt64Array.from(tensor.dims, BigInt).buffer);
        const dims = wasm.put(sizes);
        try {
            write(wasm, tensor, (size) =>
                wasm.pointer('session_input', this.#address, index, type, tensor.dims.length, dims, size),
            );
        } finally {
            if (!wasm.stopped) wasm.call('free', dims);
        }
    }

    close() {
        if (this.#address && !this.#wasm.stopped) this.#wasm.call('session_close', this.#address);
        this.#address = 0;
        this.#onClose(this);
    }
}
