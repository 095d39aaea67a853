// The npm package in Node: packed, installed, and compared with the commands.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { arrayOf, folder, hasNumpy, install, models, nativeReport, nativeRun, packed, random, top } from './files.mjs';

const LARGEST = 1.5e6; // bytes of the module, compressed
let user;
let api;
let library;

before(async () => {
    user = install();
    api = await import(pathToFileURL(join(user.at, 'node_modules/onnx-broadcast/index.js')).href);
    library = await api.load();
});
after(() => user && user.remove());

const read = (file) => readFileSync(file);
const sample = (name) => join(top, 'models', name);
const text = (source, name = 'text.onnxtxt') => library.open(new TextEncoder().encode(source), name);
const graph = (body, head = 'float[N, 3] a, float[3] b) => (float[N, 3] y') =>
    `<ir_version: 8, opset_import: ["" : 17]> g (${head}) { ${body} }`;

test('the package holds its files, has no dependency, and is small', () => {
    const names = user.list.files.map((file) => file.path).sort();
    assert.deepEqual(names, [
        'LICENSE',
        'README.md',
        'THIRD-PARTY-LICENSES.txt',
        'index.d.ts',
        'index.js',
        'onnx-broadcast.wasm',
        'package.json',
        'tensor.js',
        'wasi.js',
        'wasm.js',
    ]);
    const about = JSON.parse(read(join(packed, 'package.json')));
    assert.equal(about.dependencies, undefined);
    assert.match(about.version, /^\d+\.\d+\.\d+$/);
    assert.equal(library.version, about.version);
    const bytes = read(join(packed, 'onnx-broadcast.wasm'));
    const [gzip, brotli] = [gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
    console.log(`# module ${bytes.length} bytes, gzip ${gzip}, brotli ${brotli}; package ${user.list.size}`);
    assert.ok(gzip < LARGEST);
});

test('wasi.js gives what the module imports', async () => {
    const module = new WebAssembly.Module(read(join(packed, 'onnx-broadcast.wasm')));
    const { imports } = await import(pathToFileURL(join(packed, 'wasi.js')).href);
    const given = imports(
        () => null,
        () => 0,
    );
    const wanted = WebAssembly.Module.imports(module);
    for (const { module: from, name, kind } of wanted) {
        assert.equal(kind, 'function');
        assert.equal(typeof given[from]?.[name], 'function', `${from}.${name}`);
    }
});

test('the README is a program that runs', () => {
    const code = /```js\n([\s\S]*?)```/.exec(read(join(packed, 'README.md')))[1];
    writeFileSync(join(user.at, 'readme.js'), code);
    copyFileSync(sample('digits.onnx'), join(user.at, 'model.onnx'));
    const said = execFileSync(process.execPath, ['readme.js'], { cwd: user.at });
    assert.match(String(said), /^0 \[/);
});

test('CommonJS reaches it by import()', () => {
    writeFileSync(
        join(user.at, 'old.cjs'),
        "import('onnx-broadcast').then((m) => m.load()).then((l) => console.log(l.version));",
    );
    assert.equal(String(execFileSync(process.execPath, ['old.cjs'], { cwd: user.at })).trim(), library.version);
});

test('the types describe the package, and refuse wrong use', () => {
    const at = join(folder, 'types');
    mkdirSync(at, { recursive: true });
    for (const name of ['package.json', 'package-lock.json'])
        copyFileSync(join(top, 'tests/web', name), join(at, name));
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: at });
    cpSync(join(user.at, 'node_modules/onnx-broadcast'), join(at, 'node_modules/onnx-broadcast'), { recursive: true });
    const compile = (code) => {
        writeFileSync(join(at, 'use.ts'), code);
        const words = [
            '--strict',
            '--noEmit',
            '--target',
            'es2022',
            '--module',
            'nodenext',
            '--lib',
            'es2022,dom',
            'use.ts',
        ];
        return spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...words], { cwd: at });
    };
    const good = compile(`import { load, OnnxBroadcastError, type Report, Tensor } from 'onnx-broadcast';
        export async function use(bytes: Uint8Array): Promise<Report> {
            const library = await load({ onProgress: (step) => step.length < 99 });
            const model = library.open(bytes, 'm.onnx');
            const session = model.session({ dims: { N: 1 }, maxRunMs: 5, optimize: false });
            const out: Record<string, Tensor> = session.run({ x: new Float32Array(3), s: { dims: [1], data: ['a'] } });
            const page: string = model.report('html', { graph: true });
            const n: number = model.rewrite('expand').left.length + model.fix({ all: true }).fixes.length + page.length;
            if (n < 0) throw new OnnxBroadcastError(Object.keys(out).join());
            return model.check({ rules: 'numpy', dims: { N: 3 }, shapes: { x: [1, null] }, severities: { OB02: 'none' } });
        }`);
    assert.equal(good.status, 0, String(good.stdout));
    const bad = compile(`import { load } from 'onnx-broadcast';
        const library = await load();
        library.open('path.onnx');`);
    assert.notEqual(bad.status, 0);
    // The names that the package has are those that the types have.
    const declared = [...String(read(join(packed, 'index.d.ts'))).matchAll(/^export (?:class|function) (\w+)/gm)]
        .map((m) => m[1])
        .sort();
    assert.deepEqual(Object.keys(api).sort(), declared);
});

test('the reports of all models are those of the command', () => {
    let n = 0;
    for (const file of models()) {
        const native = nativeReport(file, 'json');
        let model;
        try {
            model = library.open(read(file), file);
        } catch (error) {
            assert.ok(native.status !== 0, file + ': ' + error.message);
            continue;
        }
        const [mine, theirs] = [model.check(), JSON.parse(native.text).models[0]];
        assert.deepEqual(mine, theirs, relative(top, file));
        for (const format of ['html', 'markdown'])
            assert.equal(model.report(format), nativeReport(file, format).text, file + ' ' + format);
        model.close();
        n++;
    }
    console.log(`# ${n} models`);
    assert.ok(n >= 6);
});

// Elements that every model takes: small numbers, and for integers 0 and 1.
function feedsOf(session, next) {
    return session.inputs.map(({ name, type, shape }) => {
        const dims = (shape || []).map((size) => size ?? 1);
        const n = dims.reduce((product, size) => product * size, 1);
        const Store = arrayOf(type);
        const item = () => (/^(?:float|double)$/.test(type) ? next() - 0.5 : Math.floor(next() * 2));
        const number = Store === BigInt64Array || Store === BigUint64Array ? BigInt : Number;
        return [name, { type, dims, data: Store.from({ length: n }, () => number(item())) }];
    });
}

// Exponential functions of two C libraries differ in the last bit, which deep networks make larger: the results of YOLOX on two
// processors differ by 5e-4.
function near(mine, theirs, place) {
    assert.equal(mine.type, theirs.type, place);
    assert.deepEqual(mine.dims, theirs.dims, place);
    if (!/^(?:float|double)$/.test(mine.type)) return assert.deepEqual(mine.data, theirs.data, place);
    for (let i = 0; i < mine.data.length; i++) {
        const [a, b] = [mine.data[i], theirs.data[i]];
        const far = Math.abs(a - b) > 1e-3 + 1e-3 * Math.abs(b) || Number.isNaN(a) !== Number.isNaN(b);
        if (far && a !== b) assert.fail(`${place}: element ${i} is ${a}, not ${b}`);
    }
}

test('runs of all models give the results of the command', () => {
    let n = 0;
    let refused = 0;
    for (const file of models()) {
        let model, session;
        try {
            model = library.open(read(file), file);
            session = model.session();
        } catch {
            continue;
        }
        if (
            session.inputs.every((input) => input.tensor && hasNumpy(input.type)) &&
            session.outputs.every((output) => output.tensor)
        ) {
            const inputs = feedsOf(session, random(7));
            const native = nativeRun(file, inputs, session.outputs, []);
            if (native.failed) {
                assert.throws(
                    () => session.run(Object.fromEntries(inputs)),
                    api.OnnxBroadcastError,
                    file + native.failed,
                );
                refused++;
            } else {
                const results = session.run(Object.fromEntries(inputs));
                session.outputs.forEach(({ name }, k) =>
                    near(results[name], native.outputs[k], `${relative(top, file)} ${name}`),
                );
                n++;
            }
        }
        model.close();
    }
    console.log(`# ${n} models agree, ${refused} refuse these inputs in both`);
    assert.ok(n >= 3);
});

test('without optimisation a run has the same bits', () => {
    const model = library.open(read(sample('digits.onnx')));
    const [first, second] = [true, false].map((optimize) => model.session({ optimize }));
    const feeds = Object.fromEntries(feedsOf(first, random(3)));
    assert.deepEqual(first.run(feeds), second.run(feeds));
    model.close();
});

test('every element type goes in and comes out', () => {
    const values = {
        float: Float32Array.of(1.5, -0, NaN),
        double: Float64Array.of(1e300, -1, Infinity),
        int8: Int8Array.of(-128, 0, 127),
        int16: Int16Array.of(-32768, 0, 32767),
        int32: Int32Array.of(-(2 ** 31), 0, 2 ** 31 - 1),
        int64: BigInt64Array.of(-(2n ** 63n), 0n, 2n ** 63n - 1n),
        uint8: Uint8Array.of(0, 1, 255),
        uint16: Uint16Array.of(0, 1, 65535),
        uint32: Uint32Array.of(0, 1, 2 ** 32 - 1),
        uint64: BigUint64Array.of(0n, 1n, 2n ** 64n - 1n),
        bool: Uint8Array.of(0, 1, 1),
        float16: Uint16Array.of(0x3c00, 0x8000, 0x7c01),
        bfloat16: Uint16Array.of(0x3f80, 0x8000, 0x7f81),
        complex64: Float32Array.of(1, 2, 3, 4, 5, 6),
        complex128: Float64Array.of(1, 2, 3, 4, 5, 6),
        string: ['', 'käse', 'a\0b'],
        float8e4m3fn: Uint8Array.of(0, 1, 0x7f),
        uint4: Uint8Array.of(0, 1, 15),
        int4: Int8Array.of(-8, 0, 7),
    };
    for (const [type, data] of Object.entries(values)) {
        for (const n of [3, 1, 0]) {
            const each = type.startsWith('complex') ? 2 : 1;
            const part = data.slice(0, n * each);
            const source = `<ir_version: 11, opset_import: ["" : 23]> g (${type}[N] x) => (${type}[N] y) { y = Identity (x) }`;
            const model = text(source);
            const out = model.session().run({ x: { type, dims: [n], data: part } }).y;
            assert.deepEqual({ ...out }, { type, dims: [n], data: part }, `${type} ${n}`);
            model.close();
        }
    }
});

test('feeds: types and sizes are completed, wrong ones are refused', () => {
    const model = text(graph('y = Add (a, b)'));
    const session = model.session({ dims: { N: 2 } });
    assert.deepEqual(session.inputs[0], { name: 'a', tensor: true, type: 'float', shape: [2, 3], shapeText: '[2, 3]' });
    const y = session.run({ a: [1, 2, 3, 4, 5, 6], b: { data: Float32Array.of(10, 20, 30) } }).y;
    assert.deepEqual([...y.data], [11, 22, 33, 14, 25, 36]);
    const a = new Float32Array(6);
    const refuse = (feeds, words, code = 'E_ARGUMENT') =>
        assert.throws(
            () => session.run(feeds),
            (error) => words.test(error.message) && error.code === code && error instanceof api.OnnxBroadcastError,
        );
    refuse({ a }, /input "b" is missing/);
    refuse({ a, b: a, c: a }, /no input "c"/);
    refuse({ a, b: a }, /6 numbers for sizes \[3\]/);
    refuse({ a, b: new Float64Array(3) }, /./, 'E_TYPE');
    refuse({ a, b: { dims: [3, -1], data: a } }, /whole number/);
    refuse({ a, b: { dims: [2 ** 40, 2 ** 40], data: a } }, /need/);
    refuse({ a, b: { type: 'wide', dims: [3], data: new Uint8Array(3) } }, /no element type "wide"/);
    refuse({ a, b: 3 }, /array "data"/);
    refuse({ a, b: { dims: [1, 3], data: new Float32Array(3) } }, /./, 'E_SHAPE');
    assert.deepEqual(
        [...session.run({ a, b: Float32Array.of(1, 2, 3) }).y.data],
        [1, 2, 3, 1, 2, 3],
        'it runs on after each',
    );
    model.close();
    assert.throws(() => session.run({ a }), /closed/);
    assert.throws(() => model.check(), /closed/);
});

test('errors have the words of the library', () => {
    const model = text(graph('y = Add (a, b)', 'float[2, 4] a, float[3] b) => (float[2, 3] y'));
    assert.equal(model.check().findings[0].id, 'OB0101');
    assert.throws(
        () => model.rewrite('expand'),
        (error) => error.code === 'E_SHAPE' && error.opType === 'Add',
    );
    assert.throws(() => model.check({ rules: 'none' }), /rules/);
    assert.throws(() => model.check({ rule: 'numpy' }), /no option "rule"/);
    assert.throws(() => model.report('pdf'), /format/);
    assert.throws(() => model.check({ dims: { 'a\0b': 1 } }), /NUL/);
    model.close();
    assert.throws(
        () => library.open(Uint8Array.of(1, 2, 3), 'broken.onnx'),
        (error) => error.code === 'E_FORMAT',
    );
    assert.throws(() => library.open('file.onnx'), /Uint8Array/);
    assert.throws(
        () => text(graph('y = Nowhere (a, b)')).session(),
        (error) => error.code === 'E_UNSUPPORTED' && error.opType === 'Nowhere',
    );
});

test('options reach the check', () => {
    const model = text(graph('y = Add (a, b)', 'float[N, M] a, float[K] b) => (float[N, M] y'));
    const open = (options) => model.check(options).findings.filter((finding) => finding.id === 'OB0201').length;
    assert.equal(open({}), 1);
    assert.equal(open({ dims: { M: 3, K: 3 } }), 0);
    assert.equal(open({ shapes: { a: [null, 3], b: [3] } }), 0);
    assert.equal(open({ assumptions: ['K = M'] }), 0);
    assert.equal(open({ severities: { OB02: 'none' } }), 0);
    assert.equal(open({ ignores: [['OB02', '*']] }), 0);
    assert.equal(model.check({ severities: { OB02: 'error' } }).summary.errors, 1);
    assert.ok(model.check({ graph: true }).graph);
    assert.ok(model.check({ cost: true }).cost);
    assert.throws(
        () => model.check({ dims: { Z: 3 } }),
        (error) => error.code === 'E_NOT_FOUND',
    );
    assert.throws(() => model.check({ dims: { M: -3 } }), /dim/);
    model.close();
});

test('a rewritten and a fixed model are models that compute the same', () => {
    const model = library.open(read(sample('attention.onnx')), 'attention.onnx');
    const before = model.check();
    for (const form of ['broadcast', 'function', 'expand']) {
        const made = model.rewrite(form);
        assert.ok(made.inserted > 0 && made.left.length === 0, form);
        const again = library.open(made.bytes, form);
        assert.equal(again.check().summary.errors, 0);
        const sizes = { dims: Object.fromEntries(Object.keys(symbolsOf(model)).map((name) => [name, 2])) };
        const [old, now] = [model, again].map((m) => m.session(sizes));
        const feeds = Object.fromEntries(feedsOf(old, random(5)));
        assert.deepEqual(now.run(feeds), old.run(feeds), form);
        again.close();
    }
    assert.deepEqual(model.check(), before, 'the model itself stays as it is');
    model.close();
    const wrong = text(graph('y = Add (a, b)', 'float[N, 64, 8, 8] a, float[64] b) => (float[N, 64, 8, 8] y'));
    const fixed = wrong.fix({ all: true });
    assert.equal(fixed.fixes[0].outcome, 'applied');
    assert.equal(library.open(fixed.bytes).check().summary.errors, 0);
    assert.match(new TextDecoder().decode(wrong.fix({ all: true, fileName: 'x.onnxtxt' }).bytes), /Unsqueeze/);
    wrong.close();
});

// The open sizes of the inputs by name.
function symbolsOf(model) {
    const session = model.session();
    const names = session.inputs.flatMap(({ shapeText }) => shapeText.match(/[A-Za-z_]\w*/g) || []);
    session.close();
    return Object.fromEntries(names.map((name) => [name, true]));
}

test('progress is told, and ends a check', async () => {
    const steps = [];
    const other = await api.load({ source: library.module, onProgress: (step) => steps.push(step) });
    other.open(read(sample('digits.onnx'))).check();
    assert.ok(steps.includes('read') && steps.length > 4, steps.join());
    const ended = await api.load({ source: library.module, onProgress: (step) => step === 'read' });
    assert.throws(
        () => ended.open(read(sample('digits.onnx'))).check(),
        (error) => error.code === 'E_CANCELLED',
    );
    const thrown = await api.load({
        source: library.module,
        onProgress: (step) => {
            if (step !== 'read') throw new RangeError(step);
        },
    });
    const model = thrown.open(read(sample('digits.onnx')));
    assert.throws(() => model.check(), RangeError);
    assert.equal(model.session().inputs.length, 1, 'the library works on');
});

test('limits of sessions', () => {
    const model = library.open(read(sample('digits.onnx')));
    assert.throws(
        () => model.session({ maxMemory: 100 }),
        (error) => error.code === 'E_LIMIT',
    );
    const loop = text(`<ir_version: 8, opset_import: ["" : 17]> g (float[1] a) => (float[1] y) {
        n = Constant <value_int = 9000000000> ()
        c = Constant <value = bool {1}> ()
        y = Loop (n, c, a) <body = b (int64 i, bool k, float[1] s) => (bool k2, float[1] t) { k2 = Identity (k) t = Add (s, s) }>
    }`);
    assert.throws(
        () => loop.session({ maxRunMs: 50 }).run({ a: [1] }),
        (error) => error.code === 'E_LIMIT',
    );
    loop.close();
    model.close();
});

test('names of outputs are only names', () => {
    const model = text(graph('"__proto__" = Add (a, b)', 'float[1] a, float[1] b) => (float[1] "__proto__"'));
    const results = model.session().run({ a: [1], b: [2] });
    assert.deepEqual(Object.keys(results), ['__proto__']);
    assert.equal(Object.getOwnPropertyDescriptor(results, '__proto__').value.data[0], 3);
    model.close();
});

test('closed models give their memory back', () => {
    const bytes = read(sample('digits.onnx'));
    const use = () => {
        const model = library.open(bytes);
        model.check();
        model.report('html');
        model.rewrite('expand');
        const session = model.session();
        session.run(Object.fromEntries(feedsOf(session, random(1))));
        model.close();
    };
    for (let i = 0; i < 5; i++) use();
    const size = library.memoryBytes;
    for (let i = 0; i < 300; i++) use();
    assert.equal(library.memoryBytes, size);
});

test('damaged models never stop the module', () => {
    const next = random(11);
    const outcomes = {};
    for (const file of ['digits.onnx', 'attention.onnx', 'slope.onnx', 'wrong.onnx'].map(sample)) {
        const whole = read(file);
        for (let i = 0; i < 250; i++) {
            const bytes = Uint8Array.from(
                whole.subarray(0, i % 4 === 0 ? Math.floor(next() * whole.length) : whole.length),
            );
            for (let k = 0; k <= i % 8 && bytes.length > 0; k++)
                bytes[Math.floor(next() * Math.min(bytes.length, 4000))] = next() * 256;
            let code = 'OK';
            try {
                const model = library.open(bytes, 'damaged.onnx');
                try {
                    model.check({ graph: true });
                    model.rewrite('expand');
                    model.session({ dims: {}, maxMemory: 1e8, maxRunMs: 200 });
                } finally {
                    model.close();
                }
            } catch (error) {
                assert.ok(error instanceof api.OnnxBroadcastError, error.stack);
                code = error.code;
            }
            assert.notEqual(code, 'E_INTERNAL', `${file} ${i}`);
            outcomes[code] = (outcomes[code] || 0) + 1;
        }
    }
    console.log('# ' + JSON.stringify(outcomes));
    assert.ok(Object.keys(outcomes).length > 2);
});

test('a module that has stopped says so', async () => {
    const other = await api.load({ source: library.module });
    const deep = '('.repeat(5);
    assert.throws(
        () => other.open(new TextEncoder().encode(deep), 'deep.onnxtxt'),
        (error) => error.code === 'E_FORMAT',
    );
    // More memory than there is: refused, and the library works on.
    const model = other.open(
        new TextEncoder().encode(graph('y = Expand (a, s)', 'float[1] a, int64[2] s) => (float[N, M] y')),
        'x.onnxtxt',
    );
    const session = model.session();
    assert.throws(
        () => session.run({ a: [1], s: [100000, 100000] }),
        (error) => ['E_MEMORY', 'E_LIMIT'].includes(error.code),
    );
    assert.deepEqual(session.run({ a: [1], s: [1, 2] }).y.dims, [1, 2]);
});
